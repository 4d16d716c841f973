// Runs other programs.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace wavesmith::toolchain {

/// A command line; the first word is the program.
using Command = std::vector<std::string>;

/// The result of a program.
struct Outcome {
  int code = 0;        ///< exit status; 128 + signal when a signal ended it
  std::string output;  ///< stdout and stderr, when captured
};

/// Runs a program to its end. With `capture` its output is returned, otherwise it goes where ours goes.
Result<Outcome> run(const Command& command, bool capture = false);

/// Reads a descriptor until its other end is closed.
std::string read_all(int descriptor);

/// Converts the status of waitpid to Outcome::code.
int exit_code(int status);

/// Quotes a word for any shell.
std::string in_quotes(std::string_view word);

/// The command as it can be typed into a shell.
std::string quoted(const Command& command);

/// The first of `names` that is an executable file: as it is when it has a '/', else searched in PATH. Empty:
/// none.
std::string find_program(const std::vector<std::string>& names);

}  // namespace wavesmith::toolchain
