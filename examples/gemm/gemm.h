// What the programs of this folder share: the arguments of a kernel, how its results are stored, and a host
// part that launches it and compares C with double precision.
#pragma once

#include <hip/hip_runtime.h>

#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <random>
#include <vector>

#include "tile/registers.h"

/// C = A * B transposed: C is m x n of f32, A m x k and B n x k of bf16, all by rows; k is a multiple of 8.
struct Product {
  const tile::bf16 *a, *b;
  float* c;
  int m, n, k;
};

/// The part of C that a workgroup has, and its waves.
struct Shape {
  int rows, columns, waves;
};

/// Stores a wave's sums, of which the first is at (row, column) of C.
template <class Atom, int kRows, int kColumns>
__device__ void store(const tile::Sums<Atom, kRows, kColumns>& sums, const Product& g, int row, int column,
                      int lane) {
  using Layout = tile::AtomLayout<Atom>;
  row += Layout::row(lane), column += lane / Layout::kRows * Layout::kGroupStep;
  for (int i = 0; i < kRows; ++i)
    for (int j = 0; j < kColumns; ++j)
      for (int s = 0; s < Layout::kSums; ++s) {
        const int r = row + i * Layout::kRows, c = column + j * Layout::kRows + Layout::first_row(s);
        if (r < g.m && c < g.n) g.c[static_cast<long>(r) * g.n + c] = sums.at[i][j][s];
      }
}

inline void must(hipError_t error) {
  if (error == hipSuccess) return;
  std::printf("%s\n", hipGetErrorString(error));
  std::exit(1);
}

template <class T>
T* on_gpu(const std::vector<T>& numbers) {
  T* memory = nullptr;
  must(hipMalloc(&memory, numbers.size() * sizeof(T)));
  must(hipMemcpy(memory, numbers.data(), numbers.size() * sizeof(T), hipMemcpyHostToDevice));
  return memory;
}

/// The upper half of a float.
inline tile::bf16 cut(float number) {
  const auto bits = __builtin_bit_cast(unsigned, number);
  return __builtin_bit_cast(tile::bf16, static_cast<unsigned short>(bits >> 16));
}

/// main: `PROGRAM [M N K]` compares, with odd sizes where none are given; `PROGRAM M N K fast` launches
/// twice, for `wavesmith profile`. `shape` is asked with the lanes of the GPU's waves.
inline int run(void (*kernel)(Product), Shape (*shape)(int), int argc, char** argv) {
  const auto word = [&](int i, int otherwise) { return argc > i ? std::atoi(argv[i]) : otherwise; };
  const int m = word(1, 197), n = word(2, 331), k = (word(3, 203) + 7) / 8 * 8;
  hipDeviceProp_t gpu;
  must(hipGetDeviceProperties(&gpu, 0));
  const unsigned seed = std::random_device()();
  std::mt19937 random(seed);
  std::normal_distribution<float> normal;
  std::vector<tile::bf16> a(static_cast<size_t>(m) * k), b(static_cast<size_t>(n) * k);
  for (auto* matrix : {&a, &b})
    for (size_t i = 0; i < matrix->size(); ++i) (*matrix)[i] = cut(normal(random));
  std::vector<float> c(static_cast<size_t>(m) * n, NAN);
  const Product product{on_gpu(a), on_gpu(b), on_gpu(c), m, n, k};

  const Shape of = shape(gpu.warpSize);
  const dim3 grid((n + of.columns - 1) / of.columns, (m + of.rows - 1) / of.rows);
  kernel<<<grid, of.waves * gpu.warpSize>>>(product);
  must(hipGetLastError());
  must(hipDeviceSynchronize());
  if (argc > 4) {
    kernel<<<grid, of.waves * gpu.warpSize>>>(product);
    must(hipDeviceSynchronize());
    return 0;
  }

  must(hipMemcpy(c.data(), product.c, c.size() * sizeof(float), hipMemcpyDeviceToHost));
  double largest = 0;
  for (int row = 0; row < m; ++row)
    for (int column = 0; column < n; ++column) {
      double sum = 0, magnitude = 0;
      for (int i = 0; i < k; ++i) {
        const double one = static_cast<double>(a[static_cast<size_t>(row) * k + i]) *
                           static_cast<double>(b[static_cast<size_t>(column) * k + i]);
        sum += one, magnitude += std::abs(one);
      }
      const double error = std::abs(c[static_cast<size_t>(row) * n + column] - sum) / (magnitude + 1e-30);
      largest = error <= largest ? largest : error;  // a NaN stays
    }
  const bool right = largest <= k * 0x1p-24;
  std::printf("%d x %d x %d on %s, seed %u: largest error %.2g of the sum of magnitudes: %s\n", m, n, k,
              gpu.gcnArchName, seed, largest, right ? "PASS" : "FAIL");
  return right ? 0 : 1;
}
