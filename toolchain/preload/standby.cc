// A program kept at its start. Loading a compiler and linking it to its libraries takes a third of what it
// then does for a small program; so here it is loaded once, stops before its main, and for each command line
// that comes in a message forks, and the copy runs main with that line. It is nobody's child, holds nothing
// of the process that started it but the socket, and ends when the other end of that is closed.
// toolchain/standby.h is the other end.
#include <dlfcn.h>
#include <fcntl.h>
#include <poll.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <cstdlib>
#include <cstring>

namespace {

using Main = int (*)(int, char**, char**);

Main begin;
int requests;

constexpr int kMostRunning = 64, kMostWords = 4096;

struct Running {
  pid_t process;
  int told;  ///< where its status is written to
};
Running running[kMostRunning];
int count;

char text[1 << 18];
char* words[kMostWords + 1];

void take_ended(bool wait) {
  int status = 0;
  for (pid_t process; count != 0 && (process = waitpid(-1, &status, wait ? 0 : WNOHANG)) > 0; wait = false)
    for (int i = 0; i < count; ++i)
      if (running[i].process == process) {
        // Nobody listens any more: that is not our error.
        if (write(running[i].told, &status, sizeof status) < 0) status = 0;
        close(running[i].told);
        running[i] = running[--count];
        break;
      }
}

[[noreturn]] void run(const char* folder, int number, int output) {
  signal(SIGPIPE, SIG_DFL);
  sigset_t none;
  sigemptyset(&none);
  sigprocmask(SIG_SETMASK, &none, nullptr);
  close(requests);
  dup2(output, STDOUT_FILENO);
  dup2(output, STDERR_FILENO);
  close(output);
  if (chdir(folder) != 0) _exit(127);
  exit(begin(number, words, environ));
}

/// One message: a folder and a command line, each word with its end; with it come the end of a pipe for the
/// output and one for the status. False: there will be no more.
bool serve() {
  iovec part{text, sizeof text};
  alignas(cmsghdr) char control[CMSG_SPACE(2 * sizeof(int))];
  msghdr message{};
  message.msg_iov = &part;
  message.msg_iovlen = 1;
  message.msg_control = control;
  message.msg_controllen = sizeof control;
  const ssize_t size = recvmsg(requests, &message, MSG_CMSG_CLOEXEC);
  if (size <= 0) return false;
  const cmsghdr* const sent = CMSG_FIRSTHDR(&message);
  if (!sent || sent->cmsg_type != SCM_RIGHTS || sent->cmsg_len != CMSG_LEN(2 * sizeof(int))) return false;
  int ends[2];
  std::memcpy(ends, CMSG_DATA(sent), sizeof ends);
  const char* folder = text;
  int number = 0;
  const bool whole = !(message.msg_flags & MSG_TRUNC) && text[size - 1] == '\0';
  for (char* word = text + std::strlen(text) + 1; whole && word < text + size && number < kMostWords;
       word += std::strlen(word) + 1)
    words[number++] = word;
  words[number] = nullptr;
  if (count == kMostRunning) take_ended(true);
  const pid_t process = number == 0 ? -1 : fork();
  if (process == 0) run(folder, number, ends[0]);
  close(ends[0]);
  if (process > 0)
    running[count++] = {process, ends[1]};
  else
    close(ends[1]);
  return true;
}

int stand_by(int, char**, char**) {
  close_range(static_cast<unsigned>(requests) + 1, ~0u, 0);
  if (fork() != 0) _exit(0);
  setsid();
  const int null = open("/dev/null", O_RDWR);
  for (int i = 0; i < 3; ++i) dup2(null, i);
  close(null);
  signal(SIGPIPE, SIG_IGN);
  sigset_t child;
  sigemptyset(&child);
  sigaddset(&child, SIGCHLD);
  sigprocmask(SIG_SETMASK, &child, nullptr);
  signal(SIGCHLD, SIG_DFL);
  pollfd watched[2] = {{requests, POLLIN, 0}, {signalfd(-1, &child, SFD_CLOEXEC | SFD_NONBLOCK), POLLIN, 0}};
  for (;;) {
    if (poll(watched, 2, -1) < 0) continue;
    if (watched[1].revents) {
      signalfd_siginfo ignored;
      while (read(watched[1].fd, &ignored, sizeof ignored) > 0) {
      }
      take_ended(false);
    }
    if (watched[0].revents && !serve()) _exit(0);
  }
}

}  // namespace

extern "C" __attribute__((visibility("default"))) int __libc_start_main(Main main, int argc, char** argv,
                                                                        void (*init)(), void (*fini)(),
                                                                        void (*linker_fini)(), void* stack) {
  using Start = int (*)(Main, int, char**, void (*)(), void (*)(), void (*)(), void*);
  const auto start = reinterpret_cast<Start>(dlsym(RTLD_NEXT, "__libc_start_main"));
  if (const char* const socket = std::getenv("WAVESMITH_STANDBY")) {
    requests = std::atoi(socket);
    unsetenv("WAVESMITH_STANDBY");
    begin = main;
    main = stand_by;
  }
  return start(main, argc, argv, init, fini, linker_fini, stack);
}
