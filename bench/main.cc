// Runs the benchmarks, prints one table and writes bench.json beside the program's build (or to --json=PATH).
#include <benchmark/benchmark.h>
#include <fmt/format.h>

#include <cstdlib>
#include <cstring>
#include <fstream>
#include <nlohmann/json.hpp>
#include <string>

#include "bench/gpu.h"
#include "bench/report.h"

namespace wavesmith::bench {
namespace {

/// Whether a row reaches its goal; rows without one always do.
bool reached(const Row& row) {
  if (row.goal == 0) return true;
  const double value = row.goal_is_ratio ? row.host_ratio : row.value;
  return row.less_is_better ? value <= row.goal : value >= row.goal;
}

void print_table() {
  fmt::print("\n{:<26} {:>10} {:<18} {:>8} {:>8}  {}\n", "benchmark", "value", "unit", "of host", "goal",
             "note");
  for (const Row& row : rows()) {
    const std::string ratio = row.host_ratio != 0 ? fmt::format("{:.2f}", row.host_ratio) : "-";
    const std::string goal =
        row.goal != 0
            ? fmt::format("{}{:g}{}", row.less_is_better ? "<=" : ">=", row.goal, reached(row) ? "" : " no")
            : "-";
    fmt::print("{:<26} {:>10.4g} {:<18} {:>8} {:>8}  {}\n", row.name, row.value, row.unit, ratio, goal,
               row.note);
  }
}

void write_json(const std::string& path) {
  nlohmann::json list = nlohmann::json::array();
  for (const Row& row : rows())
    list.push_back(
        {{"name", row.name},
         {"value", row.value},
         {"unit", row.unit},
         {"host_ratio", row.host_ratio != 0 ? nlohmann::json(row.host_ratio) : nlohmann::json(nullptr)},
         {"goal", row.goal != 0 ? nlohmann::json(row.goal) : nlohmann::json(nullptr)},
         {"note", row.note}});
  std::ofstream(path) << list.dump(2) << '\n';
  fmt::print("written to {}\n", path);
}

}  // namespace
}  // namespace wavesmith::bench

int main(int argc, char** argv) {
  std::string json = WAVESMITH_BENCH_JSON;
  int kept = 1;
  for (int i = 1; i < argc; ++i) {
    if (std::strncmp(argv[i], "--json=", 7) == 0)
      json = argv[i] + 7;
    else
      argv[kept++] = argv[i];
  }
  argc = kept;
  benchmark::Initialize(&argc, argv);
  if (benchmark::ReportUnrecognizedArguments(argc, argv)) return 2;
  // A CDNA3 and a CDNA4 device, where the emulated machine is ours to choose.
  setenv("WAVESMITH_GPU", "mi300x,mi355x", 0);
  wavesmith::bench::set_threads(1);
  benchmark::RunSpecifiedBenchmarks();
  wavesmith::bench::print_table();
  wavesmith::bench::write_json(json);
  return 0;
}
