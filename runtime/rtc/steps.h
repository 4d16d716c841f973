// What clang's driver does for a program: the commands that it runs, compiler and linker. They are the same
// for programs that are compiled alike, so the driver is asked once, and each command is run with its program
// kept loaded.
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

/// Puts `by` in every place of `what`, which is not empty.
void replace_all(std::string& text, std::string_view what, std::string_view by);

/// The commands in what `clang -###` printed; none when a line of it is anything else than a command or the
/// compiler's version.
std::vector<toolchain::Command> parse_steps(std::string_view printed);

}  // namespace wavesmith::rtc
