// How fast the interpreter executes each kind of instruction.

#include "base/stopwatch.h"
#include "bench/gpu.h"
#include "bench/host.h"
#include "bench/report.h"

namespace wavesmith::bench {
namespace {

/// Wave-instructions per second of `work`, over the benchmark's iterations.
template <class Work>
double instruction_rate(benchmark::State& state, const Work& work) {
  work();
  const uint64_t before = instructions();
  const Stopwatch watch;
  for (auto _ : state) work();
  const double seconds = watch.seconds();
  return static_cast<double>(instructions() - before) / seconds;
}

constexpr uint32_t kBlocks = 16, kThreads = 256;

struct Interpreter {
  Module module{"interpreter"};
  Buffer out{size_t{kBlocks} * kThreads * 4};
};

double valu_rate(benchmark::State& state, int threads) {
  const Interpreter gpu;
  set_threads(threads);
  const hipFunction_t kernel = gpu.module.function("valu");
  const double rate = instruction_rate(
      state, [&] { run(kernel, kBlocks, kThreads, gpu.out.get(), uint32_t{4000}, 0.5f, 0x5a5a5a5au); });
  set_threads(1);
  return rate;
}

double one_thread_rate = 0;

void valu(benchmark::State& state) {
  one_thread_rate = valu_rate(state, 1);
  report(state, {"valu", one_thread_rate / 1e6, "M wave64 instr/s", 0, has_avx512() ? 300.0 : 150.0, false,
                 false, "one thread; fma, mul, shift-add, compare and select over 40 VGPRs and SGPRs"});
}
BENCHMARK(valu)->Unit(benchmark::kMillisecond);

void threads_2(benchmark::State& state) {
  const double two = valu_rate(state, 2);
  report(state, {"threads_2", two / one_thread_rate, "times one thread", 0, 1.8, false, false,
                 "valu on two threads"});
}
BENCHMARK(threads_2)->Unit(benchmark::kMillisecond)->UseRealTime();

void reported(benchmark::State& state, const char* name, const char* note, uint32_t rounds) {
  const Interpreter gpu;
  set_threads(1);
  const hipFunction_t kernel = gpu.module.function(name);
  const double rate =
      std::string_view(name) == "salu"
          ? instruction_rate(state, [&] { run(kernel, kBlocks, 64, gpu.out.get(), rounds, 12345u); })
          : instruction_rate(state, [&] { run(kernel, kBlocks, kThreads, gpu.out.get(), rounds); });
  report(state, {name, rate / 1e6, "M wave64 instr/s", 0, 0, false, false, note});
}
BENCHMARK_CAPTURE(reported, salu, "salu", "one thread; scalar arithmetic", 100'000)
    ->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(reported, dpp, "dpp", "one thread; DPP exchanges within and across rows", 20'000)
    ->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(reported, divergent, "divergent", "one thread; loops of different length in every lane",
                  2'000)
    ->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(reported, lds, "lds", "one thread; LDS reads and writes with barriers", 10'000)
    ->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(reported, atomics, "atomics", "one thread; 64 global atomic adds an instruction", 1'000)
    ->Unit(benchmark::kMillisecond);

/// Bytes that are written; 192 MiB is the size that AMD's emulator publishes a time for.
constexpr size_t kBytes = size_t{192} << 20;

double bandwidth(benchmark::State& state, bool copy) {
  const Interpreter gpu;
  set_threads(1);
  const Buffer from(kBytes), to(kBytes);
  constexpr uint32_t kCount = kBytes / 16, kLanes = 256 * 1024;
  const hipFunction_t kernel = gpu.module.function(copy ? "copy" : "fill");
  const auto work = [&] {
    if (copy)
      run(kernel, kLanes / kThreads, kThreads, from.get(), to.get(), kCount, kLanes);
    else
      run(kernel, kLanes / kThreads, kThreads, to.get(), kCount, kLanes, 1.0f);
  };
  return static_cast<double>(kBytes) / best_seconds(state, work);
}

void fill(benchmark::State& state) {
  const double rate = bandwidth(state, false);
  report(state, {"fill", rate / 1e9, "GB/s", rate / memset_rate(kBytes), 0.5, true, false,
                 "192 MiB, 16 bytes per lane; against memset, one thread each"});
}
BENCHMARK(fill)->Unit(benchmark::kMillisecond);

void copy(benchmark::State& state) {
  const double rate = bandwidth(state, true);
  report(state, {"copy", rate / 1e9, "GB/s", rate / memcpy_rate(kBytes), 0.5, true, false,
                 "192 MiB, 16 bytes per lane; against memcpy, one thread each"});
}
BENCHMARK(copy)->Unit(benchmark::kMillisecond);

void launch_empty(benchmark::State& state) {
  const Interpreter gpu;
  const hipFunction_t kernel = gpu.module.function("empty");
  run(kernel, 1, 64);
  const Stopwatch watch;
  for (auto _ : state) run(kernel, 1, 64);
  const double seconds = watch.seconds();
  report(state, {"launch", seconds / static_cast<double>(state.iterations()) * 1e6, "us", 0, 10, false, true,
                 "an empty kernel of one wave, launched and waited for"});
}
BENCHMARK(launch_empty);

void waves(benchmark::State& state) {
  const Interpreter gpu;
  set_threads(1);
  const hipFunction_t kernel = gpu.module.function("empty");
  constexpr uint32_t kGroups = 1 << 14, kWaves = 16;
  const double seconds = best_seconds(state, [&] { run(kernel, kGroups, 64 * kWaves); });
  report(state, {"waves", kGroups * kWaves / seconds / 1e6, "M waves/s", 0, 0, false, false,
                 "one thread; waves of an empty kernel, begun and ended, 16 a workgroup"});
}
BENCHMARK(waves)->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace wavesmith::bench
