// What `run --time` costs: processor time of the programs of validate/mi300a with it, over that without.
#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "bench/child.h"
#include "bench/report.h"

namespace wavesmith::bench {
namespace {

namespace fs = std::filesystem;
using Words = std::vector<std::string>;

/// A program, and the sizes at which it is run: small ones, where a launch is little beside what the model
/// asks of it, and larger ones.
struct Program {
  std::string name;
  std::vector<Words> sizes;
};

const std::vector<Program>& programs() {
  static const std::vector<Program> all{
      {"atax", {{"--size", "512"}, {"--size", "2048"}, {"--size", "4096"}}},
      {"bitonicsort", {{"--size", "4096"}, {"--size", "65536"}, {"--size", "1048576"}}},
      {"fir", {{"--length", "65536", "--taps", "16"}, {"--length", "4194304", "--taps", "64"}}},
      {"floydwarshall", {{"--nodes", "64"}, {"--nodes", "256"}}},
      {"kmeans",
       {{"--points", "65536", "--features", "32", "--clusters", "5"},
        {"--points", "262144", "--features", "32", "--clusters", "5"}}},
      {"matrixmultiplication", {{"--size", "256"}, {"--size", "512"}, {"--size", "1024"}}},
      {"matrixtranspose", {{"--size", "1024"}, {"--size", "4096"}}},
      {"memcopy", {{"--size", "1"}, {"--size", "64"}}},
      {"nbody", {{"--bodies", "1024"}, {"--bodies", "8192"}}},
      {"relu", {{"--size", "65536"}, {"--size", "4194304"}, {"--size", "67108864"}}},
      {"stencil2d", {{"--size", "256"}, {"--size", "1024"}, {"--size", "4096"}}},
      {"vectoradd", {{"--size", "65536"}, {"--size", "4194304"}}},
  };
  return all;
}

/// Seconds of a processor that a command takes; nothing where it fails.
std::optional<double> processor_seconds(const Words& command) {
  const auto usage = run_to_end(command, Errors::Hidden);
  if (!usage) return std::nullopt;
  const auto seconds = [](const timeval& time) {
    return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_usec) * 1e-6;
  };
  return seconds(usage->ru_utime) + seconds(usage->ru_stime);
}

/// The program as an executable, compiled when its source is newer; an empty path where that fails.
fs::path built(const std::string& name) {
  const fs::path source = fs::path(WAVESMITH_BENCH_TIMED) / (name + ".hip"),
                 program = fs::path(WAVESMITH_BENCH_KERNELS) / name;
  std::error_code none;
  if (fs::exists(program, none) &&
      fs::last_write_time(program, none) >
          std::max(fs::last_write_time(source, none),
                   fs::last_write_time(source.parent_path() / "benchmark.h", none)))
    return program;
  const auto took = processor_seconds({WAVESMITH_BENCH_COMMAND, "cc", "--offload-arch=gfx942", "-O3",
                                       source.string(), "-o", program.string()});
  return took ? program : fs::path();
}

/// The ratio at one size, of the fastest of a few runs each way; they take turns. One timed iteration behind
/// the one that warms up: launches that have been seen twice cost nothing any more.
std::optional<double> ratio_at(const fs::path& program, const Words& size) {
  constexpr int kRounds = 3;
  double best[2] = {1e9, 1e9};
  for (int round = 0; round < 2 * kRounds; ++round) {
    const bool timed = round % 2 == 1;
    Words command{WAVESMITH_BENCH_COMMAND, "run", "--gpu", "mi300a", "--threads", "1"};
    if (timed) command.emplace_back("--time");
    command.insert(command.end(), {"--", program.string()});
    command.insert(command.end(), size.begin(), size.end());
    command.insert(command.end(), {"--iterations", "1"});
    const auto took = processor_seconds(command);
    if (!took) return std::nullopt;
    best[timed] = std::min(best[timed], *took);
  }
  return best[1] / best[0];
}

void modelled_time(benchmark::State& state) {
  constexpr double kGoal = 1.5;
  for (auto _ : state) {
    double sum = 0;
    for (const Program& program : programs()) {
      const fs::path path = built(program.name);
      if (path.empty()) return state.SkipWithError("a program of validate/mi300a does not compile here");
      double of_program = 0;
      std::string sizes;
      for (const Words& size : program.sizes) {
        const auto ratio = ratio_at(path, size);
        if (!ratio) return state.SkipWithError("a program of validate/mi300a failed");
        of_program += *ratio / static_cast<double>(program.sizes.size());
        sizes += fmt::format("{}{:.2f} at {}", sizes.empty() ? "" : ", ", *ratio, size[1]);
      }
      sum += of_program;
      report(state, {"time_" + program.name, of_program, "times the run", 0, kGoal, false, true, sizes});
    }
    report(state, {"time", sum / static_cast<double>(programs().size()), "times the run", 0, kGoal, false,
                   true, "processor time under run --time over that without, mean of these programs"});
  }
}
BENCHMARK(modelled_time)->Unit(benchmark::kMillisecond)->Iterations(1);

}  // namespace
}  // namespace wavesmith::bench
