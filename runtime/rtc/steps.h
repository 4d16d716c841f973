// The compiler and linker commands that clang's driver runs. They are the same for programs with the same
// options, so the driver runs once, and then each command is run by a process that stays loaded.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/scratch.h"
#include "toolchain/process.h"

namespace wavesmith::rtc {

/// Compiles as `command` does, which reads and writes files of `scratch` only: `input`, in that folder, is
/// what is compiled. Nothing when that has to be left to the driver: the command does something else than
/// compile one file and link it, or a step failed in a way of which the driver says more, or nothing stands
/// by.
std::optional<toolchain::Outcome> run_steps(const toolchain::Command& command, const std::string& input,
                                            const Scratch& scratch);

/// Replaces every occurrence of `what`, which is not empty, by `by`.
void replace_all(std::string& text, std::string_view what, std::string_view by);

/// The commands in the output of `clang -###`; none if any line is neither a command nor the compiler's
/// version.
std::vector<toolchain::Command> parse_steps(std::string_view printed);

}  // namespace wavesmith::rtc
