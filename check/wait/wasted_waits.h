// Waits that never waited: for a process, what each kernel's waits did in all of its launches.
#pragma once

#include <cstdint>
#include <map>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

#include "check/launch.h"
#include "check/wait/site_facts.h"

namespace wavesmith::check::wait {

class WastedWaits {
 public:
  /// The waits that a launch executed.
  void add(const Launch& launch, const std::vector<const SiteFacts*>& waits);
  /// A hint for each that never waited.
  void tell(Findings& findings) const;

 private:
  struct Wait {
    Party party;
    uint64_t executed = 0;
    bool needed = false;
  };
  mutable std::mutex mutex_;
  std::map<std::pair<std::string, uint64_t>, std::map<uint64_t, Wait>>
      kernels_;  ///< by name and entry, by pc
};

}  // namespace wavesmith::check::wait
