#include "runtime/observe/ended.h"

#include <fcntl.h>
#include <signal.h>
#include <time.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <cstdint>
#include <thread>

namespace wavesmith::runtime {
namespace {

constexpr std::array kEnd = {SIGINT, SIGTERM, SIGHUP, SIGQUIT};

std::array<int, 2> ends;  // of the pipe that wakes the thread: a handler may do little else
pid_t process = 0;

/// Within which the same signal again is the same wish: `timeout` sends it to a process group, whose leader
/// passes it on.
constexpr int64_t kEcho = 1'000'000'000;  // nanoseconds

std::atomic<int> first_signal = 0;
std::atomic<int64_t> came_at = 0;

int64_t now() {
  timespec time{};
  clock_gettime(CLOCK_MONOTONIC, &time);
  return time.tv_sec * int64_t{1'000'000'000} + time.tv_nsec;
}

void on_signal(int signal) {
  if (getpid() == process) {  // in a process that was forked there is no thread
    int none = 0;
    if (first_signal.compare_exchange_strong(none, signal)) {
      came_at = now();
      const auto byte = static_cast<unsigned char>(signal);
      if (write(ends[1], &byte, 1) == 1) return;
    } else if (none == signal && now() - came_at < kEcho) {
      return;
    }
  }
  ::signal(signal, SIG_DFL);
  raise(signal);
}

void wait_for_signal(void (*last)()) {
  unsigned char signal = 0;
  while (read(ends[0], &signal, 1) != 1) {
  }
  last();
  ::signal(signal, SIG_DFL);
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
    now.sa_flags = SA_RESTART;
    sigaction(signal, &now, nullptr);
  }
}

}  // namespace wavesmith::runtime
