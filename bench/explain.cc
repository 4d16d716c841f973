// How long the static analysis of a large kernel takes, from the command line to the report.
#include <algorithm>
#include <cstdio>
#include <string>

#include "base/stopwatch.h"
#include "bench/report.h"

namespace wavesmith::bench {
namespace {

void explain(benchmark::State& state) {
  double best = 1e9;
  for (auto _ : state) {
    const Stopwatch watch;
    FILE* const pipe = popen(
        WAVESMITH_BENCH_COMMAND " explain --json --gpu mi300x " WAVESMITH_BENCH_KERNELS "/large.co", "r");
    if (!pipe) return state.SkipWithError("no process can be started");
    size_t bytes = 0;
    while (std::fgetc(pipe) != EOF) ++bytes;
    if (pclose(pipe) != 0 || bytes < 10'000) return state.SkipWithError("no explanation");
    best = std::min(best, watch.seconds());
  }
  report(state, {"explain", best, "s", 0, 1, false, true, "a kernel of 10,000 instructions, whole process"});
}
BENCHMARK(explain)->Unit(benchmark::kMillisecond)->Iterations(3);

}  // namespace
}  // namespace wavesmith::bench
