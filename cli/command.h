// The subcommands: each adds itself to the parser and sets the action to run.
#pragma once

#include <CLI/CLI.hpp>
#include <functional>
#include <string>
#include <vector>

#include "cli/exit_code.h"

namespace wavesmith::cli {

/// Adds a subcommand to `app`. Compiled once here, because CLI11 is header-only and would double the compile
/// time of each file that calls it.
CLI::App* add_command(CLI::App& app, const std::string& name, const std::string& about);

/// The action that the parsed command line asks for; set by the subcommand's callback.
using Action = std::function<Exit()>;

void add_env(CLI::App& app, Action& action);
void add_gpus(CLI::App& app, Action& action);
void add_isa(CLI::App& app, Action& action);
void add_kernels(CLI::App& app, Action& action);
void add_libraries(CLI::App& app, Action& action);
void add_predict(CLI::App& app, Action& action);
void add_validate(CLI::App& app, Action& action);
void add_disasm(CLI::App& app, Action& action);
/// `program`: the words after "--".
void add_run(CLI::App& app, Action& action, std::vector<std::string> program);
/// `program`: the words after "--".
void add_profile(CLI::App& app, Action& action, std::vector<std::string> program);
/// `program`: the words after "--".
void add_check(CLI::App& app, Action& action, std::vector<std::string> program);

/// `flags`: the words after "--", for the compiler.
void add_explain(CLI::App& app, Action& action, std::vector<std::string> flags);
void add_compare(CLI::App& app, Action& action, std::vector<std::string> flags);
void add_sweep(CLI::App& app, Action& action, std::vector<std::string> behind);

/// `wavesmith cc`: its arguments are hipcc's, so they are not parsed by CLI11.
int compile(const std::vector<std::string>& arguments);

/// `amdclang` and `amdclang++`: HIP sources are compiled as by `wavesmith cc`, everything else by clang
/// itself.
int compile_as_clang(const std::string& name, const std::vector<std::string>& arguments);

/// Adds a footer with examples, in one layout for all subcommands.
inline void teach(CLI::App& command, const std::string& examples) {
  command.footer("\nExamples:\n" + examples);
}

}  // namespace wavesmith::cli
