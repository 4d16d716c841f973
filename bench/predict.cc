// What a closed-form prediction takes: the goal is less than a millisecond a query.
#include <benchmark/benchmark.h>

#include <algorithm>
#include <map>
#include <string>

#include "base/stopwatch.h"
#include "bench/report.h"
#include "model/gemm/gemm.h"
#include "model/operation.h"

namespace wavesmith::bench {
namespace {

/// The best tile is looked for; fp8 has the most schedules to choose from.
void predict(benchmark::State& state) {
  const gpus::Gpu& gpu = **gpus::find_gpu("mi355x");
  uint64_t m = 1;
  double sum = 0;
  const Stopwatch watch;
  for (auto _ : state) {
    m = m % 8192 + 61;
    const auto result = model::predict_gemm(
        gpu, {.m = m, .n = 8192, .k = 8192, .a = model::NumberType::F8, .b = model::NumberType::F8});
    sum += result ? result->seconds : 0;
  }
  benchmark::DoNotOptimize(sum);
  const double seconds = watch.seconds();
  report(state, {"predict_gemm", seconds * 1e6 / static_cast<double>(state.iterations()), "us a query", 0,
                 1000, false, true, "fp8 on an MI355X, best of tiles, splits and schedules"});
}
BENCHMARK(predict)->Unit(benchmark::kMicrosecond);

/// Sizes for what an operation has no standard of.
std::map<std::string, std::string, std::less<>> sizes_of(const model::Operation& operation) {
  std::map<std::string, std::string, std::less<>> values;
  for (const model::Parameter& parameter : operation.parameters)
    if (parameter.kind == model::Parameter::Kind::Size && parameter.standard.empty())
      values[std::string(parameter.name)] = "4096";
  if (operation.name == "gemm") values["m"] = "4096";
  if (operation.name == "moe") values["topk"] = "8", values["tokens"] = "131072", values["experts"] = "256";
  return values;
}

/// Every operation by its name, as the command asks; the slowest is reported.
void predict_operations(benchmark::State& state) {
  const gpus::Gpu& gpu = **gpus::find_gpu("mi300x");
  std::map<std::string, double, std::less<>> seconds;
  double sum = 0;
  for (auto _ : state) {
    for (const model::Operation& operation : model::operations()) {
      const auto values = sizes_of(operation);
      const Stopwatch watch;
      const auto predicted = operation.predict(gpu, values);
      seconds[std::string(operation.name)] += watch.seconds();
      sum += predicted ? predicted->prediction.seconds : 0;
    }
  }
  benchmark::DoNotOptimize(sum);
  const auto slowest = std::max_element(seconds.begin(), seconds.end(),
                                        [](const auto& a, const auto& b) { return a.second < b.second; });
  report(state,
         {"predict_operations", slowest->second * 1e6 / static_cast<double>(state.iterations()), "us a query",
          0, 1000, false, true, "the slowest of " + std::to_string(seconds.size()) + ": " + slowest->first});
}
BENCHMARK(predict_operations)->Unit(benchmark::kMicrosecond);

}  // namespace
}  // namespace wavesmith::bench
