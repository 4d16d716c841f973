#include "runtime/observe/ended.h"

#include <fcntl.h>
#include <signal.h>
#include <unistd.h>

#include <array>
#include <thread>

namespace wavesmith::runtime {
namespace {

constexpr std::array kEnd = {SIGINT, SIGTERM, SIGHUP, SIGQUIT};

std::array<int, 2> ends;  // of the pipe that wakes the thread: a handler may do little else
pid_t process = 0;

void on_signal(int signal) {
  const auto byte = static_cast<unsigned char>(signal);
  if (getpid() == process && write(ends[1], &byte, 1) == 1) return;
  raise(signal);  // in a process that was forked there is no thread; SA_RESETHAND has restored the default
}

void wait_for_signal(void (*last)()) {
  unsigned char signal = 0;
  while (read(ends[0], &signal, 1) != 1) {
  }
  last();
  kill(process, signal);
}

}  // namespace

void before_a_signal_ends_it(void (*last)()) {
  if (process || pipe2(ends.data(), O_CLOEXEC) != 0) return;
  process = getpid();
  sigset_t all, before;
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, &before);  // the thread takes none
  std::thread(wait_for_signal, last).detach();
  pthread_sigmask(SIG_SETMASK, &before, nullptr);
  for (const int signal : kEnd) {
    struct sigaction now = {};
    if (sigaction(signal, nullptr, &now) != 0 || (now.sa_flags & SA_SIGINFO) || now.sa_handler != SIG_DFL)
      continue;
    now.sa_handler = on_signal;
    now.sa_flags = SA_RESETHAND | SA_RESTART;
    sigaction(signal, &now, nullptr);
  }
}

}  // namespace wavesmith::runtime
