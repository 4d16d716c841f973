// The whole process of a small HIP program: start, load the runtime, one kernel, end.
#include <algorithm>

#include "base/stopwatch.h"
#include "bench/child.h"
#include "bench/report.h"

namespace wavesmith::bench {
namespace {

void hello(benchmark::State& state) {
  double best = 1e9, megabytes = 0;
  for (auto _ : state) {
    const Stopwatch watch;
    const auto usage = run_to_end({WAVESMITH_BENCH_HELLO}, Errors::Shown);
    if (!usage) {
      state.SkipWithError("the hello program failed");
      return;
    }
    best = std::min(best, watch.seconds());
    megabytes = std::max(megabytes, static_cast<double>(usage->ru_maxrss) / 1024);
  }
  report(state, {"hello", best, "s", 0, 0.1, false, true,
                 "a HIP program that fills a buffer and checks it, whole process"});
  report(state, {"hello_memory", megabytes, "MB", 0, 200, false, true, "its peak resident memory"});
}
BENCHMARK(hello)->Unit(benchmark::kMillisecond)->Iterations(10);

}  // namespace
}  // namespace wavesmith::bench
