// Collects the results of benchmarks; the program prints them as one table and writes bench.json.
#pragma once

#include <benchmark/benchmark.h>

#include <algorithm>
#include <string>
#include <vector>

#include "base/stopwatch.h"

namespace wavesmith::bench {

/// One row of the table.
struct Row {
  std::string name;
  double value = 0;
  std::string unit;
  double host_ratio =
      0;  ///< value over what the host itself does, measured in the same run; 0 when there is no such thing
  double goal = 0;  ///< of `value`, or of `host_ratio` when goal_is_ratio; 0: only reported
  bool goal_is_ratio = false;
  bool less_is_better = false;
  std::string note;
};

/// Adds a row, and shows value and ratio as the benchmark's counters. Of repetitions the best is kept.
void report(benchmark::State& state, Row row);

/// All rows so far, in the order of their first report.
const std::vector<Row>& rows();

/// Seconds of the benchmark's best round, after one uncounted warm-up round.
template <typename Work>
double best_seconds(benchmark::State& state, const Work& work) {
  work();
  double best = 1e9;
  for (auto _ : state) {
    const Stopwatch watch;
    work();
    best = std::min(best, watch.seconds());
  }
  return best;
}

}  // namespace wavesmith::bench
