// What the process's kernels executed, written as JSON to WAVESMITH_REPORT when the process ends.
#pragma once

#include <chrono>
#include <string>

#include "emulate/dispatch.h"
#include "emulate/program.h"

namespace wavesmith::runtime {

void count_launch(const std::string& kernel, const emulate::Statistics& statistics,
                  std::chrono::nanoseconds time);

/// Wave-instructions of all launches so far.
uint64_t instructions();

/// The instructions of a program are counted from now on, until it is forgotten (before it is destroyed).
void count_program(const emulate::Program& program);
void forget_program(const emulate::Program& program);

}  // namespace wavesmith::runtime
