// The cycle model's speed, and how long a profile takes from the command line to the summary.
#include <sys/wait.h>

#include <algorithm>
#include <cstdio>
#include <nlohmann/json.hpp>
#include <string>

#include "base/stopwatch.h"
#include "bench/report.h"

namespace wavesmith::bench {
namespace {

void profile(benchmark::State& state) {
  double seconds = 1e9, rate = 0;
  for (auto _ : state) {
    const Stopwatch watch;
    FILE* const pipe =
        popen(WAVESMITH_BENCH_COMMAND
              " profile --gpu mi300x --json --threads 1 --grid 32,32 --block 256 "
              "--arg 'i16[16777216]=ones' --arg 'i16[16777216]=ones' --arg "
              "'f32[16777216]=zeros' --arg i32=4096 --arg i32=4096 --arg i32=4096 " WAVESMITH_BENCH_KERNELS
              "/gemm.co",
              "r");
    if (!pipe) return state.SkipWithError("no process can be started");
    std::string text;
    for (int c = 0; (c = std::fgetc(pipe)) != EOF;) text += static_cast<char>(c);
    const int status = pclose(pipe);
    seconds = std::min(seconds, watch.seconds());
    const auto json = nlohmann::json::parse(text, nullptr, false);
    if (status != 0 || !json.is_object() || !json.contains("kernels"))
      return state.SkipWithError("no profile");
    const auto& replay = json["kernels"][0]["replay"];
    const double took = replay.value("host_seconds", 0.0);
    if (took > 0) rate = std::max(rate, replay.value("instructions", 0.0) / took);
  }
  report(state,
         {"profile_gemm", seconds, "s", 0, 15, false, true, "profile of a 4096^3 bf16 GEMM, whole process"});
  report(state, {"replay", rate / 1e6, "M wave-instr/s", 0, 15, false, false,
                 "the cycle model on one thread, the same GEMM"});
}
BENCHMARK(profile)->Unit(benchmark::kMillisecond)->Iterations(20);

}  // namespace
}  // namespace wavesmith::bench
