// The whole process of a small HIP program: start, load the runtime, one kernel, end.
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>

#include "base/stopwatch.h"
#include "bench/report.h"

namespace wavesmith::bench {
namespace {

void hello(benchmark::State& state) {
  double best = 1e9, megabytes = 0;
  for (auto _ : state) {
    const Stopwatch watch;
    const pid_t child = fork();
    if (child == 0) {
      (void)freopen("/dev/null", "w", stdout);
      execl(WAVESMITH_BENCH_HELLO, WAVESMITH_BENCH_HELLO, nullptr);
      _exit(127);
    }
    int status = 0;
    rusage usage{};
    wait4(child, &status, 0, &usage);
    if (!WIFEXITED(status) || WEXITSTATUS(status) != 0) {
      state.SkipWithError("the hello program failed");
      return;
    }
    best = std::min(best, watch.seconds());
    megabytes = std::max(megabytes, static_cast<double>(usage.ru_maxrss) / 1024);
  }
  report(state, {"hello", best, "s", 0, 0.1, false, true,
                 "a HIP program that fills a buffer and checks it, whole process"});
  report(state, {"hello_memory", megabytes, "MB", 0, 200, false, true, "its peak resident memory"});
}
BENCHMARK(hello)->Unit(benchmark::kMillisecond)->Iterations(10);

}  // namespace
}  // namespace wavesmith::bench
