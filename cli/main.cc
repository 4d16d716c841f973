// `wavesmith`: one subcommand a file.
#include <fmt/format.h>

#include <cstring>
#include <exception>
#include <filesystem>
#include <optional>

#include "cli/command.h"
#include "cli/terminal.h"
#include "rocm/commands/tools.h"

namespace wavesmith::cli {
namespace {

constexpr const char* kFooter = R"(
Start here:
  wavesmith cc vector_add.hip -o vector_add             compile a HIP program, with no ROCm installed
  wavesmith run --gpu mi300x -- ./vector_add            run it on a GPU that is not there
  wavesmith predict gemm --m 4096 --n 4096 --k 4096 --gpu mi300x,mi355x    how long it would take, and why
  wavesmith COMMAND --help                              options and examples of a command

Exit codes:
  0 done   1 results differ   2 wrong command line   3 bad input   4 not found   5 code for another GPU
  6 not supported   7 out of memory or resources   8 a kernel's fault   9 budget or time over   70 a defect in wavesmith
  `wavesmith run -- ./app` returns what the program returned, `wavesmith cc` what the compiler returned.
)";

/// ROCm's commands are links to this one (rocm/installation/rocm.h): the name says which is meant.
std::optional<int> run_as(const char* path, const std::vector<std::string>& arguments) {
  const std::string name = std::filesystem::path(path).filename();
  if (name == "amdclang" || name == "amdclang++") return compile_as_clang(name, arguments);
  const auto output = rocm::run_command(name, arguments);
  if (!output) return {};
  fmt::print("{}", output->out);
  fmt::print(stderr, "{}", output->err);
  return output->code;
}

int run(int count, char** words) {
  if (count > 0)
    if (const auto code = run_as(words[0], {words + 1, words + count})) return *code;
  if (count > 1 && std::strcmp(words[1], "cc") == 0) return compile({words + 2, words + count});

  // What stands behind "--" is a program's command line or flags for a compiler, none of ours.
  std::vector<std::string> program;
  const auto takes_more = [&](const char* command) { return std::strcmp(words[1], command) == 0; };
  if (count > 1 && (takes_more("run") || takes_more("explain") || takes_more("profile") ||
                    takes_more("compare") || takes_more("sweep") || takes_more("check")))
    for (int i = 2; i < count; ++i)
      if (std::strcmp(words[i], "--") == 0) {
        program.assign(words + i + 1, words + count);
        count = i;
      }

  CLI::App app("Runs HIP programs and AMD code objects on described AMD GPUs, with no GPU and no ROCm.",
               "wavesmith");
  app.set_version_flag("--version", "wavesmith " WAVESMITH_VERSION);
  app.require_subcommand(1);
  app.get_formatter()->column_width(34);
  app.footer(kFooter);
  Action action;
  add_run(app, action, program);
  add_profile(app, action, program);
  add_check(app, action, program);
  // Only for its line in the list of commands; its arguments never come here.
  add_command(app, "cc", "Compiles HIP: takes hipcc's arguments");
  add_disasm(app, action);
  add_explain(app, action, program);
  add_compare(app, action, program);
  add_sweep(app, action, program);
  add_isa(app, action);
  add_predict(app, action);
  add_gpus(app, action);
  add_validate(app, action);
  add_env(app, action);
  add_kernels(app, action);
  add_libraries(app, action);

  try {
    app.parse(count, words);
  } catch (const CLI::ParseError& error) {
    const bool asked = error.get_exit_code() == 0;
    app.exit(error);
    return static_cast<int>(asked ? Exit::Ok : Exit::Usage);
  }
  return static_cast<int>(action ? action() : Exit::Usage);
}

}  // namespace
}  // namespace wavesmith::cli

int main(int count, char** words) {
  using namespace wavesmith;
  try {
    return cli::run(count, words);
  } catch (const std::exception& error) {
    return static_cast<int>(cli::report(Error{ErrorKind::Internal, error.what(), {}, "please report this"}));
  }
}
