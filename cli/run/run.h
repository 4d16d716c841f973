// `wavesmith run`, in its two forms: a program that uses HIP, or a kernel of a code object.
#pragma once

#include <string>
#include <vector>

#include "cli/command.h"
#include "cli/exit_code.h"
#include "study/run_options.h"

namespace wavesmith::cli {

/// Runs a program with our libamdhip64. With a report it returns after the program, otherwise it becomes the
/// program.
int run_program(const study::RunOptions& options);

/// Launches one kernel of a file.
Exit run_kernel(const study::RunOptions& options);

/// The options that name a kernel of a file and how it is launched, under a heading of --help.
void add_kernel_options(CLI::App& command, study::RunOptions& options, const std::string& group);

/// The words behind `wavesmith` that launch it as these options say.
std::vector<std::string> run_of_kernel(const study::RunOptions& options);

}  // namespace wavesmith::cli
