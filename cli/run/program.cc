// Running a program: nothing but its environment is changed.
#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <set>
#include <string_view>

#include "base/file.h"
#include "base/scratch.h"
#include "cli/child.h"
#include "cli/run/report.h"
#include "cli/run/run.h"
#include "cli/terminal.h"
#include "gpus/gpu.h"
#include "rocm/libraries/shared_object.h"
#include "study/program_environment.h"
#include "toolchain/process.h"

namespace wavesmith::cli {
namespace {

namespace fs = std::filesystem;

/// Prints one line when AMD's libraries replace stand-ins, and one for each library that cannot be used.
void say_libraries(const rocm::Libraries& libraries) {
  std::string names;
  std::set<std::string_view> said;
  for (const rocm::LibraryProvider& provider : libraries.providers) {
    if (!provider.refused.empty())
      fmt::print(stderr, "wavesmith: AMD's {} is not used: {}{}\n", provider.amd, provider.refused,
                 provider.stand_in.empty() ? "" : "; its stand-in answers");
    if (provider.is_amd && !provider.stand_in.empty() && said.insert(provider.library->title).second)
      names += (names.empty() ? "" : ", ") + std::string(provider.library->title);
  }
  if (const std::string warning = libraries.warning(); !warning.empty())
    fmt::print(stderr, "wavesmith: {}\n", warning);
  if (!names.empty())
    fmt::print(stderr, "wavesmith: with AMD's own {} ('wavesmith libraries' says from where)\n", names);
}

Result<void> set_environment(const study::RunOptions& options, const std::string& report_path) {
  auto set = [](const std::string& name, const std::string& value) {
    setenv(name.c_str(), value.c_str(), 1);
  };
  const auto environment = study::program_environment(options.devices(), options.libraries);
  if (!environment) return tl::unexpected(environment.error());
  for (const Error& note : environment->notes) report(note);
  for (const auto& [name, value] : environment->variables) set(name, value);
  const char* const silent = std::getenv("WAVESMITH_QUIET");
  const bool quiet = options.quiet || (silent && *silent);
  if (const auto machine = options.machine(); machine && !quiet)
    fmt::print(stderr, "wavesmith: emulating {}\n", gpus::describe(*machine));
  if (!quiet) say_libraries(environment->libraries);
  if (!quiet) set("WAVESMITH_PROGRESS", "1");
  if (options.threads) set("WAVESMITH_THREADS", fmt::to_string(options.threads));
  if (options.max_instructions) set("WAVESMITH_MAX_INSTRUCTIONS", fmt::to_string(options.max_instructions));
  if (options.timeout > 0) set("WAVESMITH_TIMEOUT", fmt::to_string(options.timeout));
  if (!options.time.empty()) set("WAVESMITH_TIME", options.time);
  if (options.xnack) set("HSA_XNACK", "1");
  if (options.no_guard) set("WAVESMITH_GUARD", "0");
  if (options.interleave) set("WAVESMITH_INTERLEAVE", fmt::to_string(options.interleave));
  if (options.torch_cuda) set("WAVESMITH_TORCH", "cuda");
  if (!report_path.empty()) set("WAVESMITH_REPORT", report_path);
  return {};
}

/// Becomes the program of a command line.
[[noreturn]] void become(const std::vector<char*>& words) {
  execvp(words[0], words.data());
  const int code = errno == ENOENT ? 127 : 126;
  fmt::print(stderr, "wavesmith: cannot run '{}': {}\n", words[0], std::strerror(errno));
  _exit(code);
}

/// The command line, by the dynamic linker that AMD's libraries need where there is one: a program that links
/// them would not start by the system's. Scripts and others are started anew later
/// (rocm/preload/loader.cc).
std::vector<std::string> by_loader(const std::vector<std::string>& program) {
  const char* const loader = std::getenv("WAVESMITH_LOADER");
  const std::string file = loader ? toolchain::find_program({program[0]}) : "";
  const auto object = rocm::SharedObject::read(file);
  if (!object || object->interpreter.empty()) return program;
  std::error_code failed;
  setenv("WAVESMITH_LOADER_PROGRAM", fs::canonical(file, failed).c_str(), 1);
  std::vector<std::string> words = {
      loader,
      "--argv0",
      program[0],
      "--library-path",
      fmt::format("{}:{}", std::getenv("WAVESMITH_LOADER_PATH"), std::getenv("LD_LIBRARY_PATH")),
      file};
  words.insert(words.end(), program.begin() + 1, program.end());
  return words;
}

/// For execvp; points into the command.
std::vector<char*> pointers(const std::vector<std::string>& command) {
  std::vector<char*> words;
  for (const std::string& word : command) words.push_back(const_cast<char*>(word.c_str()));
  words.push_back(nullptr);
  return words;
}

}  // namespace

int run_program(const study::RunOptions& options) {
  if (!options.report && !options.fidelity) {
    if (const auto set = set_environment(options, {}); !set) return static_cast<int>(report(set.error()));
    const std::vector<std::string> command = by_loader(options.program);
    execvp(command[0].c_str(), pointers(command).data());
    const int error = errno;
    report({ErrorKind::NotFound, fmt::format("cannot run '{}': {}", command[0], std::strerror(error))});
    return error == ENOENT ? 127 : 126;  // as a shell says it
  }
  const Scratch scratch("report");
  if (!scratch.made())
    return static_cast<int>(
        report({ErrorKind::BadInput, "cannot make a temporary folder", {}, "set TMPDIR"}));
  const std::string path = (scratch / "report.json").string();
  if (const auto set = set_environment(options, path); !set) return static_cast<int>(report(set.error()));
  const std::vector<std::string> command = by_loader(options.program);
  const std::vector<char*> words = pointers(command);
  const auto ended = run_child([&] { become(words); });
  if (!ended) return static_cast<int>(report(ended.error()));
  const int code = *ended;
  const std::vector<uint8_t> text = read_file(path).value_or(std::vector<uint8_t>());
  if (code != 126 && code != 127)
    print_report({text.begin(), text.end()}, {options.json, options.fidelity, code});
  return code;
}

}  // namespace wavesmith::cli
