// What a closed-form prediction takes: the goal is less than a millisecond a query.
#include <benchmark/benchmark.h>

#include <chrono>

#include "bench/report.h"
#include "model/gemm.h"

namespace wavesmith::bench {
namespace {

/// The best tile is looked for; fp8 has the most schedules to choose from.
void predict(benchmark::State& state) {
  const gpus::Gpu& gpu = **gpus::find_gpu("mi355x");
  uint64_t m = 1;
  double sum = 0;
  const auto start = std::chrono::steady_clock::now();
  for (auto _ : state) {
    m = m % 8192 + 61;
    const auto result = model::predict_gemm(
        gpu, {.m = m, .n = 8192, .k = 8192, .a = model::NumberType::F8, .b = model::NumberType::F8});
    sum += result ? result->seconds : 0;
  }
  benchmark::DoNotOptimize(sum);
  const double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  report(state, {"predict_gemm", seconds * 1e6 / static_cast<double>(state.iterations()), "us a query", 0,
                 1000, false, true, "fp8 on an MI355X, best of tiles, splits and schedules"});
}
BENCHMARK(predict)->Unit(benchmark::kMicrosecond);

}  // namespace
}  // namespace wavesmith::bench
