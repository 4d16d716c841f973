#include "cli/child.h"

#include <fmt/format.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstring>

#include "toolchain/process.h"

namespace wavesmith::cli {
namespace {

constexpr std::array kPassedOn = {SIGINT, SIGTERM, SIGHUP, SIGQUIT};
volatile sig_atomic_t child = 0;

void pass_on(int signal) {
  if (child > 0) kill(child, signal);
}

}  // namespace

Result<int> run_child(const std::function<void()>& become) {
  const pid_t pid = fork();
  if (pid < 0)
    return tl::unexpected(
        Error{ErrorKind::Internal, fmt::format("cannot start a process: {}", std::strerror(errno))});
  if (pid == 0) {
    become();
    _exit(126);
  }
  child = pid;
  std::array<sighandler_t, kPassedOn.size()> before;
  for (size_t i = 0; i < kPassedOn.size(); ++i) {
    before[i] = signal(kPassedOn[i], pass_on);
    if (before[i] == SIG_IGN) signal(kPassedOn[i], SIG_IGN);  // as under nohup, and for the child too
  }
  int status = 0;
  while (waitpid(pid, &status, 0) < 0 && errno == EINTR) {
  }
  for (size_t i = 0; i < kPassedOn.size(); ++i) signal(kPassedOn[i], before[i]);
  child = 0;
  return toolchain::exit_code(status);
}

}  // namespace wavesmith::cli
