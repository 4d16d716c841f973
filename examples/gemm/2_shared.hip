// 2. Shared memory (LDS): 64 x 64 elements of C per workgroup. What the workgroup needs of A and B is read
// once, and each element is used 64 times from there; a thread has 4 x 4 sums, so that of shared memory, too,
// it reads 8 numbers for 16 products. Now the vector instructions are the bound: 157 TFLOP/s of an MI300X at
// best, where its matrix cores do 1,307.
#include "gemm.h"

constexpr int kSide = 64, kDepth = 16, kOwn = 4, kThreads = 256;
constexpr Shape shape(int lanes) { return {kSide, kSide, kThreads / lanes}; }

__global__ void __launch_bounds__(kThreads) gemm(Product g) {
  __shared__ float a[kDepth][kSide + 4], b[kDepth][kSide + 4];  // by columns; 4 more, for other banks
  const int thread = threadIdx.x, x = thread % 16, y = thread / 16;
  const int first_row = blockIdx.y * kSide, first_column = blockIdx.x * kSide;

  float sums[kOwn][kOwn] = {};
  for (int first = 0; first < g.k; first += kDepth) {
    for (int i = thread; i < kSide * kDepth; i += kThreads) {
      const int line = i / kDepth, k = i % kDepth, row = first_row + line, column = first_column + line;
      const bool inside = first + k < g.k;
      a[k][line] =
          inside && row < g.m ? static_cast<float>(g.a[static_cast<long>(row) * g.k + first + k]) : 0;
      b[k][line] =
          inside && column < g.n ? static_cast<float>(g.b[static_cast<long>(column) * g.k + first + k]) : 0;
    }
    __syncthreads();
    for (int k = 0; k < kDepth; ++k)
      for (int i = 0; i < kOwn; ++i)
        for (int j = 0; j < kOwn; ++j) sums[i][j] += a[k][y * kOwn + i] * b[k][x * kOwn + j];
    __syncthreads();
  }
  for (int i = 0; i < kOwn; ++i)
    for (int j = 0; j < kOwn; ++j) {
      const int row = first_row + y * kOwn + i, column = first_column + x * kOwn + j;
      if (row < g.m && column < g.n) g.c[static_cast<long>(row) * g.n + column] = sums[i][j];
    }
}

int main(int argc, char** argv) { return run(gemm, shape, argc, argv); }
