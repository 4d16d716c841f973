#include "bench/host.h"

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <functional>
#include <memory>

#include "base/stopwatch.h"

namespace wavesmith::bench {
namespace {

double seconds(const std::function<void()>& work) {
  const Stopwatch watch;
  work();
  return watch.seconds();
}

double best_rate(double amount, const std::function<void()>& work) {
  work();
  double best = 0;
  for (int i = 0; i < 7; ++i) best = std::max(best, amount / seconds(work));
  return best;
}

/// Enough independent chains to hide the latency of an FMA on any current core (latency 4, two per cycle).
constexpr int kChains = 16;
constexpr int kRounds = 2'000'000;

template <class V>
[[gnu::always_inline]] inline void chains(float* out) {
  V x[kChains];
  for (int i = 0; i < kChains; ++i) x[i] = V(static_cast<float>(i) * 1e-3f);
  const V a = V(0.9999f), b = V(1e-6f);
  for (int round = 0; round < kRounds; ++round) {
#pragma clang loop unroll(full)
    for (int i = 0; i < kChains; ++i) x[i] = __builtin_elementwise_fma(x[i], a, b);
    asm volatile("" ::: "memory");
  }
  V sum = V(0.0f);
  for (int i = 0; i < kChains; ++i) sum += x[i];
  *reinterpret_cast<volatile float*>(out) = sum[0];
}

using Float4 = float __attribute__((ext_vector_type(4)));
#if defined(__x86_64__)
using Float8 = float __attribute__((ext_vector_type(8)));
using Float16 = float __attribute__((ext_vector_type(16)));
__attribute__((target("avx512f"), noinline)) void chains16(float* out) { chains<Float16>(out); }
__attribute__((target("avx2,fma"), noinline)) void chains8(float* out) { chains<Float8>(out); }
#else
__attribute__((noinline)) void chains4(float* out) { chains<Float4>(out); }
#endif

}  // namespace

bool has_avx512() {
#if defined(__x86_64__)
  return __builtin_cpu_supports("x86-64-v4");
#else
  return false;
#endif
}

double fma_peak() {
  float out = 0;
  const auto rate = [&out](int lanes, void (*run)(float*)) {
    return best_rate(2.0 * lanes * kChains * kRounds, [&] { run(&out); });
  };
#if defined(__x86_64__)
  if (has_avx512()) return std::max(rate(16, chains16), rate(8, chains8));
  return rate(8, chains8);
#else
  return rate(4, chains4);
#endif
}

double memset_rate(size_t bytes) {
  const std::unique_ptr<uint8_t[]> to(new uint8_t[bytes]);
  uint8_t value = 1;
  return best_rate(static_cast<double>(bytes), [&] {
    std::memset(to.get(), ++value, bytes);
    asm volatile("" ::"r"(to.get()) : "memory");
  });
}

double memcpy_rate(size_t bytes) {
  const std::unique_ptr<uint8_t[]> from(new uint8_t[bytes]), to(new uint8_t[bytes]);
  std::memset(from.get(), 1, bytes);
  return best_rate(static_cast<double>(bytes), [&] {
    std::memcpy(to.get(), from.get(), bytes);
    asm volatile("" ::"r"(to.get()) : "memory");
  });
}

}  // namespace wavesmith::bench
