// Waits that never waited, in all launches of a process.
#pragma once

#include <memory>
#include <mutex>
#include <vector>

#include "check/launch.h"
#include "check/wait/site_facts.h"

namespace wavesmith::check::wait {

class WastedWaits {
 public:
  /// A wait is executed for the first time; its tally goes on. `owner` keeps it.
  void add(const Launch& launch, const SiteFacts& wait, std::shared_ptr<const void> owner);
  /// A hint for each that never waited.
  void tell(Findings& findings) const;

 private:
  struct Wait {
    Party party;
    uint64_t program, pc;
    const Tally* tally;
    std::shared_ptr<const void> owner;
  };
  mutable std::mutex mutex_;
  std::vector<Wait> waits_;
};

}  // namespace wavesmith::check::wait
