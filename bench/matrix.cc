// How fast matrix instructions run, against the host's own peak of float32 multiply-adds.
#include <algorithm>
#include <cmath>
#include <cstring>
#include <memory>
#include <random>
#include <string_view>

#include "base/small_float.h"
#include "bench/gpu.h"
#include "bench/host.h"
#include "bench/report.h"

namespace wavesmith::bench {
namespace {

/// Makes the device of an architecture current while it lives; `found` is false when the machine has none.
class OnDevice {
 public:
  explicit OnDevice(std::string_view arch) {
    int count = 0;
    check(hipGetDeviceCount(&count), "hipGetDeviceCount");
    for (int device = 0; device < count && !found; ++device) {
      hipDeviceProp_t properties{};
      check(hipGetDeviceProperties(&properties, device), "hipGetDeviceProperties");
      found = std::string_view(properties.gcnArchName).starts_with(arch);
      if (found) check(hipSetDevice(device), "hipSetDevice");
    }
  }
  ~OnDevice() { (void)hipSetDevice(0); }
  OnDevice(const OnDevice&) = delete;
  OnDevice& operator=(const OnDevice&) = delete;
  bool found = false;
};

/// The host's peak, the best of many tries: other programs on the host must not make it look slow.
double peak() {
  static const double best = [] {
    double rate = 0;
    for (int i = 0; i < 10; ++i) rate = std::max(rate, fma_peak());
    return rate;
  }();
  return best;
}

enum class Operands { F16, Bf16, Fp8 };

/// 64 lanes' operands: numbers between -1 and 1.
std::vector<uint8_t> random_operands(Operands kind, size_t bytes) {
  std::mt19937 random(7);
  std::uniform_real_distribution<float> number(-1, 1);
  std::vector<uint8_t> data(bytes);
  if (kind == Operands::Fp8) {
    for (uint8_t& byte : data) byte = static_cast<uint8_t>(encode<kFp8>(number(random)));
    return data;
  }
  for (size_t i = 0; i + 1 < bytes; i += 2) {
    const uint32_t code =
        kind == Operands::F16 ? encode<kF16>(number(random)) : encode<kBf16>(number(random));
    data[i] = static_cast<uint8_t>(code), data[i + 1] = static_cast<uint8_t>(code >> 8);
  }
  return data;
}

struct MatrixKernel {
  const char* arch;
  const char* module;
  const char* function;
  Operands operands;
  double flop;  ///< of one instruction
};

void matrix(benchmark::State& state, const char* name, MatrixKernel kernel) {
  const OnDevice device(kernel.arch);
  if (!device.found) {
    state.SkipWithError("no device of this architecture");
    return;
  }
  set_threads(1);
  const Module module(kernel.module);
  const hipFunction_t function = module.function(kernel.function);
  const std::vector<uint8_t> operands = random_operands(kernel.operands, 256 * 32);
  const Buffer in(operands.size()), out(64 * 4);
  check(hipMemcpy(in.get(), operands.data(), operands.size(), hipMemcpyHostToDevice), "hipMemcpy");
  const auto rounds = static_cast<uint32_t>(2e8 / kernel.flop / 16);
  const auto work = [&] { run(function, 1, 64, out.get(), in.get(), rounds); };
  const double best = best_seconds(state, work);
  const double rate = kernel.flop * 16 * rounds / best;
  report(state, {name, rate / 1e9, "GFLOP/s", rate / peak(), 0.5, true, false,
                 std::string("one thread; v_") + kernel.function});
}

constexpr MatrixKernel kHalf{"gfx942", "mfma", "mfma_f16_32x32x8", Operands::F16, 16384};
constexpr MatrixKernel kHalfSmall{"gfx942", "mfma", "mfma_f16_16x16x16", Operands::F16, 8192};
constexpr MatrixKernel kBfloat{"gfx942", "mfma", "mfma_bf16_32x32x8", Operands::Bf16, 16384};
constexpr MatrixKernel kBfloatSmall{"gfx942", "mfma", "mfma_bf16_16x16x16", Operands::Bf16, 8192};
constexpr MatrixKernel kByte{"gfx950", "mfma_cdna4", "mfma_fp8_16x16x128", Operands::Fp8, 65536};
constexpr MatrixKernel kByteLarge{"gfx950", "mfma_cdna4", "mfma_fp8_32x32x64", Operands::Fp8, 131072};
constexpr MatrixKernel kByteFnuz{"gfx942", "mfma", "mfma_fp8_16x16x32", Operands::Fp8, 16384};
BENCHMARK_CAPTURE(matrix, f16, "mfma_f16", kHalf)->Unit(benchmark::kMillisecond)->UseRealTime();
BENCHMARK_CAPTURE(matrix, f16_16x16, "mfma_f16_16x16", kHalfSmall)
    ->Unit(benchmark::kMillisecond)
    ->UseRealTime();
BENCHMARK_CAPTURE(matrix, bf16, "mfma_bf16", kBfloat)->Unit(benchmark::kMillisecond)->UseRealTime();
BENCHMARK_CAPTURE(matrix, bf16_16x16, "mfma_bf16_16x16", kBfloatSmall)
    ->Unit(benchmark::kMillisecond)
    ->UseRealTime();
BENCHMARK_CAPTURE(matrix, fp8, "mfma_fp8", kByte)->Unit(benchmark::kMillisecond)->UseRealTime();
BENCHMARK_CAPTURE(matrix, fp8_32x32, "mfma_fp8_32x32", kByteLarge)
    ->Unit(benchmark::kMillisecond)
    ->UseRealTime();
BENCHMARK_CAPTURE(matrix, fp8_fnuz, "mfma_fp8_fnuz", kByteFnuz)->Unit(benchmark::kMillisecond)->UseRealTime();

/// A whole GEMM from launch to end. The peer that publishes this case takes 4.21 s on one thread.
void gemm_fp8_1024(benchmark::State& state) {
  const OnDevice device("gfx950");
  if (!device.found) {
    state.SkipWithError("no device of this architecture");
    return;
  }
  set_threads(1);
  constexpr size_t kSize = 1024;
  const Module module("mfma_cdna4");
  const hipFunction_t function = module.function("gemm_fp8_1024");
  std::vector<uint8_t> numbers = random_operands(Operands::Fp8, 2 * kSize * kSize);
  const uint8_t* const a = numbers.data();
  const uint8_t* const b = a + kSize * kSize;
  const Buffer on_device(numbers.size()), out(kSize * kSize * 4);
  check(hipMemcpy(on_device.get(), a, numbers.size(), hipMemcpyHostToDevice), "hipMemcpy");
  auto* const device_a = static_cast<uint8_t*>(on_device.get());
  const auto work = [&] { run(function, 256, 64, device_a, device_a + kSize * kSize, out.get()); };
  const double best = best_seconds(state, work);

  std::vector<float> c(kSize * kSize);
  check(hipMemcpy(c.data(), out.get(), out.size(), hipMemcpyDeviceToHost), "hipMemcpy");
  std::mt19937 random(11);
  for (int sample = 0; sample < 1000; ++sample) {
    const size_t row = random() % kSize, column = random() % kSize;
    double sum = 0, magnitude = 0;
    for (size_t k = 0; k < kSize; ++k) {
      const double product = double{decode<wavesmith::kFp8>(a[row * kSize + k])} *
                             decode<wavesmith::kFp8>(b[column * kSize + k]);
      sum += product, magnitude += std::fabs(product);
    }
    if (!(std::fabs(c[row * kSize + column] - sum) <= 1024 * 0x1p-24 * magnitude)) {
      state.SkipWithError("the product is wrong");
      return;
    }
  }
  report(state, {"gemm_fp8_1024", best, "s", 2.0 * kSize * kSize * kSize / best / peak(), 0.05, false, true,
                 "one thread; 1024 x 1024 x 1024 e4m3 on CDNA4, 256 workgroups of 64 x 64"});
}
BENCHMARK(gemm_fp8_1024)->Unit(benchmark::kMillisecond)->UseRealTime();

}  // namespace
}  // namespace wavesmith::bench
