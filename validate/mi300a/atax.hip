// y = A' (A x), a thread per row and then a thread a column; sums stay in memory.
#include "benchmark.h"

__global__ void rows(float* matrix, float* x, float* sums, int height, int width) {
  const int i = blockDim.x * blockIdx.x + threadIdx.x;
  if (i < height)
    for (int j = 0; j < width; ++j) sums[i] += matrix[i * width + j] * x[j];
}

__global__ void columns(float* matrix, float* y, float* sums, int height, int width) {
  const int j = blockDim.x * blockIdx.x + threadIdx.x;
  if (j < width)
    for (int i = 0; i < height; ++i) y[j] += matrix[i * width + j] * sums[i];
}

int main(int argc, char** argv) {
  const bench::Options options(argc, argv);
  const int side = static_cast<int>(options.value("--size", 256));
  const bench::Buffer<float> matrix(size_t{1} * side * side), x(side), sums(side), y(side);
  matrix.fill(0, 10), x.fill(0, 10);
  const unsigned blocks = bench::blocks_for(side, 256);
  bench::measure("atax", std::to_string(side) + "x" + std::to_string(side), options.iterations(), [&] {
    bench::check(hipMemset(sums.data(), 0, sums.bytes()), "hipMemset");
    bench::check(hipMemset(y.data(), 0, y.bytes()), "hipMemset");
    rows<<<blocks, 256>>>(matrix.data(), x.data(), sums.data(), side, side);
    columns<<<blocks, 256>>>(matrix.data(), y.data(), sums.data(), side, side);
  });
}
