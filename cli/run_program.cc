// Running a program: nothing but its environment is changed.
#include <fmt/format.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>

#include "cli/report.h"
#include "cli/run.h"
#include "cli/terminal.h"
#include "toolchain/discover.h"
#include "toolchain/process.h"

namespace wavesmith::cli {
namespace {

namespace fs = std::filesystem;

void set_environment(const RunOptions& options, const std::string& runtime, const std::string& report_path) {
  auto set = [](const char* name, const std::string& value) { setenv(name, value.c_str(), 1); };
  const char* path = std::getenv("LD_LIBRARY_PATH");
  set("LD_LIBRARY_PATH", runtime + (path && *path ? ":" + std::string(path) : ""));
  set("WAVESMITH_GPU", options.devices());
  if (options.threads) set("WAVESMITH_THREADS", fmt::to_string(options.threads));
  if (options.max_instructions) set("WAVESMITH_MAX_INSTRUCTIONS", fmt::to_string(options.max_instructions));
  if (options.timeout > 0) set("WAVESMITH_TIMEOUT", fmt::to_string(options.timeout));
  if (options.xnack) set("HSA_XNACK", "1");
  if (options.no_guard) set("WAVESMITH_GUARD", "0");
  if (!report_path.empty()) set("WAVESMITH_REPORT", report_path);
  // Programs that look for the library by a path of their own: Triton, IREE.
  for (const char* name : {"TRITON_LIBHIP_PATH", "IREE_HIP_DYLIB_PATH"})
    setenv(name, (runtime + "/libamdhip64.so").c_str(), 0);
}

volatile sig_atomic_t child = 0;
void pass_on(int signal) {
  if (child > 0) kill(child, signal);
}

/// Runs the program and waits; signals sent to us reach it.
int run_and_wait(std::vector<char*>& words) {
  const pid_t pid = fork();
  if (pid < 0)
    return static_cast<int>(
        report({ErrorKind::Internal, fmt::format("cannot start a process: {}", std::strerror(errno))}));
  if (pid == 0) {
    execvp(words[0], words.data());
    const int code = errno == ENOENT ? 127 : 126;
    fmt::print(stderr, "wavesmith: cannot run '{}': {}\n", words[0], std::strerror(errno));
    _exit(code);
  }
  child = pid;
  for (int number : {SIGINT, SIGTERM, SIGHUP, SIGQUIT}) signal(number, pass_on);
  int status = 0;
  while (waitpid(pid, &status, 0) < 0 && errno == EINTR) {
  }
  return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

}  // namespace

int run_program(const RunOptions& options) {
  const std::string runtime = toolchain::discover().runtime;
  if (runtime.empty())
    return static_cast<int>(report({ErrorKind::NotFound,
                                    "no libamdhip64.so beside this command",
                                    {},
                                    "build all of Wavesmith: make build"}));
  std::vector<char*> words;
  for (const std::string& word : options.program) words.push_back(const_cast<char*>(word.c_str()));
  words.push_back(nullptr);

  if (!options.report && !options.fidelity) {
    set_environment(options, runtime, {});
    execvp(words[0], words.data());
    const int error = errno;
    report({ErrorKind::NotFound, fmt::format("cannot run '{}': {}", words[0], std::strerror(error))});
    return error == ENOENT ? 127 : 126;  // as a shell says it
  }
  const std::string path =
      (fs::temp_directory_path() / fmt::format("wavesmith-report-{}.json", getpid())).string();
  set_environment(options, runtime, path);
  const int code = run_and_wait(words);
  std::ifstream file(path);
  const std::string text((std::istreambuf_iterator<char>(file)), {});
  file.close();
  std::error_code ignored;
  fs::remove(path, ignored);
  if (code != 126 && code != 127) print_report(text, {options.json, options.fidelity, code});
  return code;
}

}  // namespace wavesmith::cli
