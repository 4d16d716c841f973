// What becomes of a process whose kernel has failed. Each case is a child, since some of them end by a
// signal.
#include <hip/hip_runtime.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <condition_variable>
#include <cstdlib>
#include <mutex>
#include <string>
#include <thread>

#include "check.h"

__global__ void store_at(int* out, long offset) { out[offset] = 1; }

/// A kernel that faults, and a program that has noticed.
static void fail() {
  int* out;
  CHECK_HIP(hipMalloc((void**)&out, 64 * sizeof(int)));
  store_at<<<1, 1>>>(out, 1 << 20);
  CHECK_ERROR(hipDeviceSynchronize(), hipErrorIllegalAddress);
}

static void wait_for_ever() {
  std::mutex mutex;
  std::condition_variable never;
  std::unique_lock lock(mutex);
  while (true) never.wait(lock);
}

/// A child that does `what` after a kernel's fault, for at most ten seconds.
template <class What>
static pid_t start(What what) {
  const pid_t pid = fork();
  if (pid == 0) {
    fail();
    alarm(10);
    what();
    _exit(finish());
  }
  return pid;
}

/// How it ended; SIGALRM: not within its time.
static int end_of(pid_t pid) {
  int status = 0;
  CHECK(waitpid(pid, &status, 0) == pid);
  return WIFSIGNALED(status) ? WTERMSIG(status) : WEXITSTATUS(status);
}

int main(int, char** argv) {
  const std::string which = argv[1];
  if (which == "standstill") {
    // ThreadSanitizer has a thread that looks up every so often: nothing stands still.
    const char* const preloaded = getenv("LD_PRELOAD");
    if (preloaded && std::string(preloaded).find("tsan") != std::string::npos) return 77;
    const pid_t one = start(wait_for_ever);
    // Threads that wait for each other are no better.
    const pid_t two = start([] {
      std::thread other(wait_for_ever);
      other.join();
    });
    CHECK(end_of(one) == SIGABRT);
    CHECK(end_of(two) == SIGABRT);
  } else if (which == "alive") {
    // Longer than what counts as a standstill: somebody outside may answer, a limit of time runs out.
    int nobody[2];
    CHECK(pipe(nobody) == 0);
    const pid_t reads = start([&] {
      char byte;
      (void)!read(nobody[0], &byte, 1);
    });
    const pid_t waits = start([] {
      std::mutex mutex;
      std::condition_variable late;
      std::unique_lock lock(mutex);
      late.wait_for(lock, std::chrono::seconds(8));
    });
    // Once the device is reset, nothing is wrong any more.
    const pid_t resets = start([] {
      CHECK_HIP(hipDeviceReset());
      wait_for_ever();
    });
    setenv("WAVESMITH_FAULT", "error", 1);
    const pid_t told = start(wait_for_ever);
    CHECK(end_of(reads) == SIGALRM);
    CHECK(end_of(waits) == 0);
    CHECK(end_of(resets) == SIGALRM);
    CHECK(end_of(told) == SIGALRM);
  } else if (which == "abort") {
    setenv("HIP_SKIP_ABORT_ON_GPU_ERROR", "0", 1);
    CHECK(end_of(start([] {})) == SIGABRT);
    setenv("HIP_SKIP_ABORT_ON_GPU_ERROR", "1", 1);
    CHECK(end_of(start([] {})) == 0);
    unsetenv("HIP_SKIP_ABORT_ON_GPU_ERROR");
    setenv("WAVESMITH_FAULT", "abort", 1);
    CHECK(end_of(start([] {})) == SIGABRT);
  } else {
    return 2;
  }
  return finish();
}
