// The subcommands: each file adds itself to the parser and leaves what is to be run.
#pragma once

#include <CLI/CLI.hpp>
#include <functional>
#include <string>
#include <vector>

#include "cli/exit_code.h"

namespace wavesmith::cli {

/// A subcommand of `app`. The parser is all in headers, and a file that makes a subcommand itself compiles
/// every function of it: half of what such a file takes.
CLI::App* add_command(CLI::App& app, const std::string& name, const std::string& about);

/// What the parsed command line asks for; set by the subcommand's callback.
using Action = std::function<Exit()>;

void add_env(CLI::App& app, Action& action);
void add_gpus(CLI::App& app, Action& action);
void add_isa(CLI::App& app, Action& action);
void add_libraries(CLI::App& app, Action& action);
void add_predict(CLI::App& app, Action& action);
void add_validate(CLI::App& app, Action& action);
void add_disasm(CLI::App& app, Action& action);
/// `program`: what stands behind "--".
void add_run(CLI::App& app, Action& action, std::vector<std::string> program);
/// The same.
void add_profile(CLI::App& app, Action& action, std::vector<std::string> program);

/// `flags`: what stands behind "--", for the compiler.
void add_explain(CLI::App& app, Action& action, std::vector<std::string> flags);
void add_compare(CLI::App& app, Action& action, std::vector<std::string> flags);
void add_sweep(CLI::App& app, Action& action, std::vector<std::string> behind);

/// `wavesmith cc`: its arguments are hipcc's, so they are not parsed by CLI11.
int compile(const std::vector<std::string>& arguments);

/// `amdclang` and `amdclang++`: sources of HIP as `wavesmith cc` compiles them, all else by clang itself.
int compile_as_clang(const std::string& name, const std::vector<std::string>& arguments);

/// A footer with examples, the same for all.
inline void teach(CLI::App& command, const std::string& examples) {
  command.footer("\nExamples:\n" + examples);
}

}  // namespace wavesmith::cli
