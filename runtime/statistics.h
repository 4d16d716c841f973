// What the process's kernels executed, written as JSON to WAVESMITH_REPORT when the process ends.
#pragma once

#include <chrono>
#include <string>

#include "emulate/dispatch.h"

namespace wavesmith::runtime {

void count_launch(const std::string& kernel, const emulate::Statistics& statistics,
                  std::chrono::nanoseconds time);

/// Wave-instructions of all launches so far.
uint64_t instructions();

}  // namespace wavesmith::runtime
