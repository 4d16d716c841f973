// Programs compiled at run time: what a small kernel costs, once the first two of its kind are compiled.
#include <fmt/format.h>
#define __HIP_PLATFORM_AMD__ 1
#include <hip/hiprtc.h>

#include <algorithm>
#include <cstdlib>

#include "base/stopwatch.h"
#include "bench/report.h"

namespace wavesmith::bench {
namespace {

constexpr double kNever = 1e9;

/// Seconds that a kernel takes which was never compiled before; kNever when it does not compile.
double compile(int number) {
  const std::string text = fmt::format(
      "extern \"C\" __global__ void k(const float* x, float* y) {{\n"
      "  const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;\n  y[i] = x[i] * {}.0f;\n}}\n",
      number);
  hiprtcProgram program = nullptr;
  if (hiprtcCreateProgram(&program, text.c_str(), "k.hip", 0, nullptr, nullptr) != HIPRTC_SUCCESS)
    return kNever;
  const char* options[] = {"--gpu-architecture=gfx942"};
  const Stopwatch watch;
  const bool done = hiprtcCompileProgram(program, 1, options) == HIPRTC_SUCCESS;
  const double seconds = watch.seconds();
  hiprtcDestroyProgram(&program);
  return done ? seconds : kNever;
}

void hiprtc(benchmark::State& state) {
  double kept = kNever, anew = kNever;  // the best of each, taken in turn
  int number = 0;
  for (int i = 0; i < 2; ++i)
    if (compile(++number) == kNever) {
      state.SkipWithError("hiprtc compiles nothing here: no clang, or no lld");
      return;
    }
  for (auto _ : state) {
    kept = std::min(kept, compile(++number));
    state.PauseTiming();
    setenv("WAVESMITH_STANDBY", "0", 1);
    anew = std::min(anew, compile(++number));
    unsetenv("WAVESMITH_STANDBY");
    state.ResumeTiming();
  }
  report(state, {"hiprtc", kept * 1e3, "ms", anew / kept, 0, false, true,
                 "a small kernel compiled; against the same with the compiler started anew"});
}
BENCHMARK(hiprtc)->Unit(benchmark::kMillisecond)->Iterations(20);

}  // namespace
}  // namespace wavesmith::bench
