// 1. A thread per element of C. Right, and readable; every operand comes from the caches, 4 bytes for two
// operations, and the matrix cores stand still.
#include "gemm.h"

constexpr Shape shape(int lanes) { return {16, 16, 256 / lanes}; }

__global__ void gemm(Product g) {
  const int row = blockIdx.y * 16 + threadIdx.x / 16, column = blockIdx.x * 16 + threadIdx.x % 16;
  if (row >= g.m || column >= g.n) return;
  float sum = 0;
  for (int i = 0; i < g.k; ++i)
    sum += static_cast<float>(g.a[static_cast<long>(row) * g.k + i]) *
           static_cast<float>(g.b[static_cast<long>(column) * g.k + i]);
  g.c[static_cast<long>(row) * g.n + column] = sum;
}

int main(int argc, char** argv) { return run(gemm, shape, argc, argv); }
