#include "runtime/stream/standstill.h"

#include <fmt/format.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <map>
#include <optional>
#include <string>
#include <thread>

#include "runtime/device/device.h"

namespace wavesmith::runtime {
namespace {

/// Samples are a second apart; that many equal ones are a standstill.
constexpr int kEqualSamples = 5;

std::string read(const std::filesystem::path& path) {
  std::ifstream file(path);
  return {std::istreambuf_iterator<char>(file), {}};
}

/// Whether a thread in this system call can only be woken by another thread: futex(2) without a timeout, or
/// io_uring_enter(2), by which a thread waits for requests that nobody makes. `line` is
/// /proc/PID/task/TID/syscall: the number and six arguments, or "running".
bool waits_for_another(const std::string& line) {
  long number = 0;
  unsigned long arguments[4] = {};
  if (std::sscanf(line.c_str(), "%ld %lx %lx %lx %lx", &number, &arguments[0], &arguments[1], &arguments[2],
                  &arguments[3]) != 5)
    return false;
  return number == SYS_io_uring_enter || (number == SYS_futex && arguments[3] == 0);
}

/// What the other threads wait in, and how often each has run; nothing when one of them may go on by itself.
std::optional<std::map<std::string, std::string>> waiting_threads() {
  namespace fs = std::filesystem;
  std::map<std::string, std::string> threads;
  const std::string self = std::to_string(gettid());
  std::error_code failed;
  for (const fs::directory_entry& task : fs::directory_iterator("/proc/self/task", failed)) {
    const std::string id = task.path().filename();
    if (id == self) continue;
    const std::string line = read(task.path() / "syscall");
    if (!waits_for_another(line)) return std::nullopt;
    // A thread that was woken and waits again is in the same call, but has given up the processor once more.
    const std::string status = read(task.path() / "status");
    threads[id] = line + status.substr(std::min(status.size(), status.find("voluntary_ctxt_switches")));
  }
  if (failed) return std::nullopt;
  return threads;
}

void watch(const Device& device) {
  std::optional<std::map<std::string, std::string>> before;
  for (int equal = 0; device.failure() != hipSuccess;) {
    std::this_thread::sleep_for(std::chrono::seconds(1));
    auto now = waiting_threads();
    equal = now && now == before ? equal + 1 : 0;
    before = std::move(now);
    if (equal < kEqualSamples) continue;
    fmt::print(
        stderr,
        "wavesmith: since its kernel failed, every thread of this program waits for another one, so it would "
        "never end; it is ended (WAVESMITH_FAULT=error: it is left as it is)\n");
    std::fflush(nullptr);
    std::abort();
  }
}

}  // namespace

void end_at_standstill(const Device& device) {
  static std::atomic<int> watched{0};
  if (watched.fetch_add(1) == 0)
    std::thread([&device] {
      watch(device);
      watched = 0;
    }).detach();
}

}  // namespace wavesmith::runtime
