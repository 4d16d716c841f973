#include "bench/child.h"

#include <sys/wait.h>
#include <unistd.h>

#include <cstdio>

namespace wavesmith::bench {

std::optional<rusage> run_to_end(const std::vector<std::string>& command, Errors errors) {
  const pid_t child = fork();
  if (child == 0) {
    (void)freopen("/dev/null", "w", stdout);
    if (errors == Errors::Hidden) (void)freopen("/dev/null", "w", stderr);
    std::vector<char*> words;
    for (const std::string& word : command) words.push_back(const_cast<char*>(word.c_str()));
    words.push_back(nullptr);
    execv(words[0], words.data());
    _exit(127);
  }
  int status = 0;
  rusage usage{};
  if (child < 0 || wait4(child, &status, 0, &usage) != child || !WIFEXITED(status) ||
      WEXITSTATUS(status) != 0)
    return std::nullopt;
  return usage;
}

}  // namespace wavesmith::bench
