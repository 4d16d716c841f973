// Whether a compiler has made a kernel of RDNA4.
#pragma once

#include <cstdint>
#include <map>
#include <mutex>

#include "check/launch.h"

namespace wavesmith::check::hazard {

/// Of a program's kernels: such one has s_delay_alu or s_wait_alu. AMD's own assembly has neither.
class Compiled {
 public:
  bool is(const Launch& launch);

 private:
  std::mutex mutex_;
  std::map<uint64_t, bool> kernels_;  ///< by entry
};

}  // namespace wavesmith::check::hazard
