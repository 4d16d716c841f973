// The occupancy of a function on a multiprocessor.
#pragma once

#include "runtime/launch/module.h"

namespace wavesmith::runtime {

/// Resident workgroups on one multiprocessor of the function's device; 0 if it does not fit.
uint32_t resident_workgroups(const KernelFunction& function, uint32_t workgroup, size_t dynamic_lds);

/// The workgroup size, at most `limit`, that fills a device best, and the workgroups that fill it.
struct BestWorkgroup {
  uint32_t size = 0, workgroups = 0;
};
BestWorkgroup best_workgroup(const KernelFunction& function, size_t dynamic_lds, uint32_t limit);

}  // namespace wavesmith::runtime
