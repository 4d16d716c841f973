// Host code that the steps of the fp8 ladder share: operands, the reference, and the timing loop.
//
// The steps are those that AMD describes in "FP8 GEMM Optimization on AMD CDNA4 Architecture" (ROCm blogs,
// 2026): C = A B^T of OCP e4m3 numbers, both operands' rows along K, C in bf16. The code is our own.
//   ./block_tiles --step double_buffer    prints: step,size,iterations,average ms,least ms,most ms
//   ./block_tiles check                   compares every number of C with a product in double, step by step
#pragma once

#include <hip/hip_runtime.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <random>
#include <string>
#include <vector>

#include "validate/mi300a/benchmark.h"

namespace fp8 {

using bench::Buffer;
using bench::check;

using Byte = unsigned char;  ///< an e4m3 number
/// A number of C, as a struct because mangled kernel names contain their parameters' types, and __bf16 is
/// mangled differently on an AArch64 host than on the GPU.
struct Bf16 {
  __bf16 number;
};
using GemmFunction = void (*)(const Byte* a, const Byte* b, Bf16* c, int m, int n, int k);

struct Step {
  const char* name;
  GemmFunction kernel;
  dim3 block;
  int rows, columns, depth;  ///< of C that a workgroup makes; of K that it takes at once
};

class Options {
 public:
  Options(int count, char** words) : words_(words + 1, words + count) {}
  bool has(const char* name) const { return std::find(words_.begin(), words_.end(), name) != words_.end(); }
  std::string text(const char* name, const char* otherwise) const {
    for (size_t i = 0; i + 1 < words_.size(); ++i)
      if (words_[i] == name) return words_[i + 1];
    return otherwise;
  }
  int number(const char* name, int otherwise) const {
    const std::string found = text(name, "");
    return found.empty() ? otherwise : std::atoi(found.c_str());
  }

 private:
  std::vector<std::string> words_;
};

/// Random bytes, none of which is e4m3's NaN (all bits of exponent and mantissa set).
inline std::vector<Byte> random_numbers(size_t count, unsigned seed) {
  std::mt19937 random(seed);
  std::vector<Byte> numbers(count);
  for (size_t i = 0; i < count; i += 4) {
    const unsigned four = random();
    std::memcpy(&numbers[i], &four, std::min<size_t>(4, count - i));
  }
  for (Byte& each : numbers)
    if ((each & 0x7f) == 0x7f) each ^= 1;
  return numbers;
}

/// OCP 8-bit floating point, e4m3: bias 7, no infinities.
inline double value(Byte number) {
  const int exponent = number >> 3 & 15, mantissa = number & 7;
  const double magnitude = exponent == 0 ? std::ldexp(mantissa, -9) : std::ldexp(8 + mantissa, exponent - 10);
  return number & 0x80 ? -magnitude : magnitude;
}

inline void launch(const Step& step, const Byte* a, const Byte* b, Bf16* c, int m, int n, int k) {
  step.kernel<<<dim3(n / step.columns, m / step.rows), step.block>>>(a, b, c, m, n, k);
  check(hipGetLastError(), step.name);
}

/// Whether each number of C is a rounded sum of its products: half a unit in the last place of bf16, and what
/// K additions in single precision may lose.
inline bool right(const Step& step, int m, int n, int k, unsigned seed) {
  const std::vector<Byte> a = random_numbers(size_t(m) * k, seed),
                          b = random_numbers(size_t(n) * k, seed + 1);
  const Buffer<Byte> device_a(a.size()), device_b(b.size());
  const Buffer<Bf16> device_c(size_t(m) * n);
  check(hipMemcpy(device_a.data(), a.data(), a.size(), hipMemcpyHostToDevice), "hipMemcpy");
  check(hipMemcpy(device_b.data(), b.data(), b.size(), hipMemcpyHostToDevice), "hipMemcpy");
  check(hipMemset(device_c.data(), 0xff, device_c.bytes()), "hipMemset");  // NaN, where nothing is written
  launch(step, device_a.data(), device_b.data(), device_c.data(), m, n, k);
  std::vector<uint16_t> c(size_t(m) * n);
  check(hipMemcpy(c.data(), device_c.data(), device_c.bytes(), hipMemcpyDeviceToHost), "hipMemcpy");

  double values[256];
  for (int i = 0; i < 256; ++i) values[i] = value(static_cast<Byte>(i));
  size_t wrong = 0;
  for (int row = 0; row < m; ++row)
    for (int column = 0; column < n; ++column) {
      double sum = 0, magnitudes = 0;
      for (int i = 0; i < k; ++i) {
        const double product = values[a[size_t(row) * k + i]] * values[b[size_t(column) * k + i]];
        sum += product;
        magnitudes += std::abs(product);
      }
      const uint32_t bits = uint32_t(c[size_t(row) * n + column]) << 16;
      float found;
      std::memcpy(&found, &bits, sizeof found);
      const double allowed = std::ldexp(std::abs(sum), -8) + k * std::ldexp(magnitudes, -24);
      if (std::abs(found - sum) <= allowed) continue;
      if (++wrong <= 5) std::printf("row %d, column %d: %g, not %g\n", row, column, found, sum);
    }
  std::printf("%s %dx%dx%d, seed %u: %zu of %zu wrong\n", step.name, m, n, k, seed, wrong, c.size());
  return wrong == 0;
}

/// Measures as AMD did: operands alternate, so that no cache holds them from the previous launch, and C is
/// cleared.
inline void measure(const Step& step, int m, int n, int k, int iterations, unsigned seed) {
  constexpr size_t kInTurn = size_t{512} << 20;  // bytes
  const size_t of_a = size_t(m) * k, of_b = size_t(n) * k,
               sets = std::max<size_t>(1, kInTurn / (of_a + of_b));
  const Buffer<Byte> a(of_a * sets), b(of_b * sets);
  const Buffer<Bf16> c(size_t(m) * n);
  const std::vector<Byte> some_a = random_numbers(of_a, seed), some_b = random_numbers(of_b, seed + 1);
  for (size_t i = 0; i < sets; ++i) {
    check(hipMemcpy(a.data() + i * of_a, some_a.data(), of_a, hipMemcpyHostToDevice), "hipMemcpy");
    check(hipMemcpy(b.data() + i * of_b, some_b.data(), of_b, hipMemcpyHostToDevice), "hipMemcpy");
  }
  hipEvent_t start, stop;
  check(hipEventCreate(&start), "hipEventCreate");
  check(hipEventCreate(&stop), "hipEventCreate");
  double sum = 0, least = 1e30, most = 0;
  for (int i = 0; i <= iterations; ++i) {  // the first one warms up
    const size_t set = i % sets;
    check(hipMemset(c.data(), 0, c.bytes()), "hipMemset");
    check(hipEventRecord(start, nullptr), "hipEventRecord");
    launch(step, a.data() + set * of_a, b.data() + set * of_b, c.data(), m, n, k);
    check(hipEventRecord(stop, nullptr), "hipEventRecord");
    check(hipEventSynchronize(stop), "hipEventSynchronize");
    float milliseconds = 0;
    check(hipEventElapsedTime(&milliseconds, start, stop), "hipEventElapsedTime");
    if (i == 0) continue;
    sum += milliseconds;
    least = std::min<double>(least, milliseconds);
    most = std::max<double>(most, milliseconds);
  }
  std::printf("%s,%dx%dx%d,%d,%.6f,%.6f,%.6f\n", step.name, m, n, k, iterations, sum / iterations, least,
              most);
}

/// A program's main: runs the requested step, or all of its own.
inline int run(int count, char** words, const std::vector<Step>& steps) {
  const Options options(count, words);
  const bool checks = options.has("check");
  const std::string name = options.text("--step", "");
  const int m = options.number("--m", checks ? 256 : 4096), n = options.number("--n", checks ? 512 : 4096),
            k = options.number("--k", checks ? 384 : 4096);
  const unsigned seed = static_cast<unsigned>(options.number("--seed", 1));
  bool found = false, good = true;
  for (const Step& step : steps) {
    if (!name.empty() && name != step.name) continue;
    found = true;
    if (m <= 0 || n <= 0 || k <= 0 || m % step.rows || n % step.columns || k % step.depth) {
      std::fprintf(stderr, "%s takes whole tiles only, of %dx%dx%d\n", step.name, step.rows, step.columns,
                   step.depth);
      return 2;
    }
    if (checks)
      good = right(step, m, n, k, seed) && good;
    else
      measure(step, m, n, k, std::max(1, options.number("--iterations", 3)), seed);
  }
  if (!found) std::fprintf(stderr, "there is no step '%s' here\n", name.c_str());
  return found && good ? 0 : 1;
}

}  // namespace fp8
