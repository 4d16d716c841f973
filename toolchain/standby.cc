#include "toolchain/standby.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <spawn.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <map>
#include <mutex>
#include <optional>
#include <string_view>

#include "base/hash.h"
#include "toolchain/discover.h"

extern char** environ;

namespace wavesmith::toolchain {
namespace {

namespace fs = std::filesystem;

/// A file descriptor, closed in the end.
class Descriptor {
 public:
  explicit Descriptor(int number = -1) : number_(number) {}
  ~Descriptor() { reset(); }
  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;
  void reset(int number = -1) {
    if (number_ >= 0) close(number_);
    number_ = number;
  }
  [[nodiscard]] int get() const { return number_; }

 private:
  int number_;
};

/// The library that keeps a program at its start: it lies beside the one (or the program's folder's lib/)
/// that this is in. Empty: there is none.
std::string find_preload() {
  const fs::path self = own_file();
  if (self.empty()) return {};
  std::error_code failed;
  for (const char* relative : {".", "../lib", "../lib/wavesmith"}) {
    const fs::path file = self.parent_path() / relative / "libwavesmith_standby.so";
    if (fs::exists(file, failed)) return file.lexically_normal().string();
  }
  return {};
}

/// A script's interpreter would stand by for other words than the script's.
bool is_executable(const std::string& program) {
  char magic[4] = {};
  std::ifstream(program, std::ios::binary).read(magic, sizeof magic);
  return std::memcmp(magic, "\177ELF", sizeof magic) == 0;
}

/// Where a program stands by.
struct Standing {
  Descriptor socket;
  size_t environment = 0;  ///< that it was started in
  int failures = 0;
};

/// After so many a program is not asked again.
constexpr int kMostFailures = 2;

constexpr std::string_view kSetting = "WAVESMITH_STANDBY";

bool is_setting(std::string_view variable) {
  return variable.starts_with(kSetting) && variable.substr(kSetting.size()).starts_with('=');
}

/// Its end of the socket, by the number that it has there.
constexpr int kSocket = 3;

void start(Standing& standing, const std::string& program, const std::string& preload) {
  int ends[2];
  standing.socket.reset();
  if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends) != 0) return;
  standing.socket.reset(ends[0]);
  const Descriptor theirs(ends[1]);
  std::string preloads = "LD_PRELOAD=", number = fmt::format("{}={}", kSetting, kSocket), name = program;
  // Symbols are looked up once, before the first copy is made.
  std::string now = "LD_BIND_NOW=1";
  std::vector<char*> variables{number.data(), now.data()};
  for (char** each = environ; *each; ++each)
    if (const std::string_view variable = *each; variable.starts_with("LD_PRELOAD="))
      // A sanitizer's library insists on being the first.
      preloads += std::string(variable.substr(11)) + ":";
    else if (!is_setting(variable) && !variable.starts_with("LD_BIND_NOW="))
      variables.push_back(*each);
  preloads += preload;
  variables.insert(variables.end(), {preloads.data(), nullptr});
  std::array<char*, 2> words{name.data(), nullptr};
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_adddup2(&actions, theirs.get(), kSocket);
  // Where the library is not taken, the program says that it has nothing to do.
  posix_spawn_file_actions_addopen(&actions, STDERR_FILENO, "/dev/null", O_WRONLY, 0);
  posix_spawn_file_actions_addopen(&actions, STDOUT_FILENO, "/dev/null", O_WRONLY, 0);
  pid_t child = 0;
  const int failed = posix_spawn(&child, program.c_str(), &actions, nullptr, words.data(), variables.data());
  posix_spawn_file_actions_destroy(&actions);
  if (failed) return standing.socket.reset();
  int status = 0;
  while (waitpid(child, &status, 0) < 0 && errno == EINTR) {
  }
}

/// False when it did not arrive.
bool send(int socket, const Command& command, int output, int status) {
  std::error_code failed;
  std::string text = fs::current_path(failed).string();
  if (failed) return false;
  text += '\0';
  for (const std::string& word : command) text += word, text += '\0';
  iovec part{text.data(), text.size()};
  const int ends[2] = {output, status};
  alignas(cmsghdr) char control[CMSG_SPACE(sizeof ends)]{};
  msghdr message{};
  message.msg_iov = &part;
  message.msg_iovlen = 1;
  message.msg_control = control;
  message.msg_controllen = sizeof control;
  cmsghdr* const rights = CMSG_FIRSTHDR(&message);
  rights->cmsg_level = SOL_SOCKET;
  rights->cmsg_type = SCM_RIGHTS;
  rights->cmsg_len = CMSG_LEN(sizeof ends);
  std::memcpy(CMSG_DATA(rights), ends, sizeof ends);
  return sendmsg(socket, &message, MSG_NOSIGNAL) == static_cast<ssize_t>(text.size());
}

/// What the program did; nothing when it does not stand by any more.
std::optional<Outcome> ask(int socket, const Command& command) {
  int output[2], status[2];
  if (pipe2(output, O_CLOEXEC) != 0) return {};
  const Descriptor output_end(output[0]);
  Descriptor output_theirs(output[1]);
  if (pipe2(status, O_CLOEXEC) != 0) return {};
  const Descriptor status_end(status[0]);
  Descriptor status_theirs(status[1]);
  if (!send(socket, command, output[1], status[1])) return {};
  output_theirs.reset();
  status_theirs.reset();
  Outcome outcome;
  outcome.output = read_all(output[0]);
  const std::string ended = read_all(status[0]);
  int how = 0;
  if (ended.size() != sizeof how) return {};
  std::memcpy(&how, ended.data(), sizeof how);
  outcome.code = exit_code(how);
  return outcome;
}

/// The programs that stand by, until the process ends.
class Programs {
 public:
  /// A socket to the program, the caller's own to close; -1 where it cannot stand by.
  int socket(const std::string& program) {
    const std::scoped_lock lock(mutex_);
    Standing& standing = all_[program];
    if (preload_.empty() || standing.failures == kMostFailures) return -1;
    const uint64_t environment = environment_hash();
    if (standing.socket.get() < 0 || standing.environment != environment) {
      if (!is_executable(program)) return -1;
      start(standing, program, preload_);
      standing.environment = environment;
    }
    return fcntl(standing.socket.get(), F_DUPFD_CLOEXEC, 0);
  }
  void failed(const std::string& program) {
    const std::scoped_lock lock(mutex_);
    Standing& standing = all_[program];
    standing.socket.reset();
    if (standing.failures < kMostFailures) ++standing.failures;
  }

 private:
  const std::string preload_ = find_preload();
  std::mutex mutex_;
  std::map<std::string, Standing> all_;
};

}  // namespace

bool stands_by() {
  const char* const asked = std::getenv(kSetting.data());
  return !asked || std::string_view(asked) != "0";
}

uint64_t environment_hash() {
  Hash hash;
  for (char** each = environ; *each; ++each)
    if (!is_setting(*each)) hash.add(*each).separate();
  return hash.value();
}

Result<Outcome> run_standing_by(const Command& command) {
  static Programs& programs = *new Programs;
  const std::string program = command.empty() ? std::string() : find_program({command[0]});
  if (stands_by() && !program.empty()) {
    const Descriptor socket(programs.socket(program));
    if (socket.get() >= 0) {
      if (auto outcome = ask(socket.get(), command)) return std::move(*outcome);
      programs.failed(program);
    }
  }
  return run(command, true);
}

}  // namespace wavesmith::toolchain
