// `wavesmith run`, in its two forms: a program that uses HIP, or a kernel of a code object.
#pragma once

#include "cli/exit_code.h"
#include "study/run_options.h"

namespace wavesmith::cli {

/// Runs a program with our libamdhip64. With a report it returns after the program, otherwise it becomes the
/// program.
int run_program(const study::RunOptions& options);

/// Launches one kernel of a file.
Exit run_kernel(const study::RunOptions& options);

}  // namespace wavesmith::cli
