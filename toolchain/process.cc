#include "toolchain/process.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <string_view>

extern char** environ;

namespace wavesmith::toolchain {

Result<Outcome> run(const Command& command, bool capture) {
  // posix_spawn may tell that there is no such program by the child's exit code alone (POSIX, "posix_spawn").
  const std::string program = command.empty() ? std::string() : find_program({command[0]});
  if (program.empty())
    return fail(ErrorKind::NotFound,
                fmt::format("cannot run '{}': no such program", command.empty() ? "" : command[0]));
  std::vector<char*> words;
  for (const std::string& word : command) words.push_back(const_cast<char*>(word.c_str()));
  words.push_back(nullptr);

  int pipe_ends[2] = {-1, -1};
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  if (capture) {
    if (pipe2(pipe_ends, O_CLOEXEC) != 0) return fail(ErrorKind::Internal, "no pipe");
    posix_spawn_file_actions_adddup2(&actions, pipe_ends[1], 1);
    posix_spawn_file_actions_adddup2(&actions, pipe_ends[1], 2);
  }
  pid_t child = 0;
  const int failed = posix_spawnp(&child, program.c_str(), &actions, nullptr, words.data(), environ);
  posix_spawn_file_actions_destroy(&actions);
  if (capture) close(pipe_ends[1]);
  Outcome outcome;
  if (!failed && capture) outcome.output = read_all(pipe_ends[0]);
  if (capture) close(pipe_ends[0]);
  if (failed)
    return fail(ErrorKind::NotFound, fmt::format("cannot run '{}': {}", command[0], std::strerror(failed)));
  int status = 0;
  while (waitpid(child, &status, 0) < 0 && errno == EINTR) {
  }
  outcome.code = exit_code(status);
  return outcome;
}

std::string read_all(int descriptor) {
  std::string text;
  char buffer[4096];
  for (ssize_t got; (got = read(descriptor, buffer, sizeof buffer)) != 0;) {
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) break;
    text.append(buffer, static_cast<size_t>(got));
  }
  return text;
}

int exit_code(int status) { return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status); }

std::string in_quotes(std::string_view word) {
  std::string text = "'";
  for (const char c : word) {
    if (c == '\'')
      text += "'\\''";
    else
      text += c;
  }
  return text + "'";
}

std::string quoted(const Command& command) {
  std::string line;
  for (const std::string& word : command) {
    if (!line.empty()) line += ' ';
    const bool plain = !word.empty() && word.find_first_of(" \t\n'\"\\$`*?[](){}<>|&;~#!") == word.npos;
    line += plain ? word : in_quotes(word);
  }
  return line;
}

std::string find_program(const std::vector<std::string>& names) {
  const char* path = std::getenv("PATH");
  for (const std::string& name : names) {
    if (name.find('/') != name.npos) {
      if (access(name.c_str(), X_OK) == 0) return name;
      continue;
    }
    std::string_view rest = path ? path : "/usr/local/bin:/usr/bin:/bin";
    while (!rest.empty()) {
      const size_t colon = std::min(rest.find(':'), rest.size());
      const std::string file = std::string(rest.substr(0, colon)) + "/" + name;
      if (access(file.c_str(), X_OK) == 0) return file;
      rest.remove_prefix(std::min(colon + 1, rest.size()));
    }
  }
  return {};
}

}  // namespace wavesmith::toolchain
