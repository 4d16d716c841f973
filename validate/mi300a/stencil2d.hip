// A stencil of nine points: a workgroup of 64 threads takes 64 columns of 16 rows through LDS.
#include "benchmark.h"

constexpr int kRows = 16, kColumns = 64, kAlignment = 16;

__device__ inline int with_halo(int row, int column, int width) { return (row + 1) * (width + 2) + column + 1; }

__global__ void apply(float* from, float* to, const int alignment, float centre, float side, float corner) {
  __shared__ float tile[(kRows + 2) * (kColumns + 2)];
  const int column = threadIdx.y, first = blockIdx.x * kRows + threadIdx.x,
            global_column = blockIdx.y * blockDim.y + column;
  const int columns = gridDim.y * blockDim.y + 2;
  const int padded = columns + (columns % alignment == 0 ? 0 : alignment - columns % alignment);
  const int width = padded - 2, tile_width = blockDim.y;
  const int row = threadIdx.x;

  // All of a thread's loads are under way before the first is waited for: the times measured rule anything
  // else out, and compilers differ in whether they find it.
  const auto copy_column = [&](int right) {
    float values[kRows + 2];
    for (int i = 0; i < kRows + 2; ++i) values[i] = from[with_halo(first - 1 + i, global_column + right, width)];
    for (int i = 0; i < kRows + 2; ++i) tile[with_halo(row - 1 + i, column + right, tile_width)] = values[i];
  };
  copy_column(0);
  if (column == 0)
    copy_column(-1);
  else if (column == tile_width - 1)
    copy_column(1);
  __syncthreads();

  for (int i = 0; i < kRows; ++i) {
    const auto at = [&](int down, int right) {
      return tile[with_halo(row + i + down, column + right, tile_width)];
    };
    const float sides = at(-1, 0) + at(1, 0) + at(0, 1) + at(0, -1);
    const float corners = at(-1, 1) + at(1, 1) + at(-1, -1) + at(1, -1);
    to[with_halo(first + i, global_column, width)] = centre * at(0, 0) + side * sides + corner * corners;
  }
}

int main(int argc, char** argv) {
  const bench::Options options(argc, argv);
  const size_t side = options.value("--size", 512);
  const size_t columns = (side + 2 + kAlignment - 1) / kAlignment * kAlignment;
  const bench::Buffer<float> from((side + 2) * columns), to((side + 2) * columns);
  from.fill(0, 10);
  const dim3 block(1, kColumns), grid(static_cast<unsigned>(side / kRows), static_cast<unsigned>(side / kColumns));
  bench::measure("stencil2d", std::to_string(side) + "x" + std::to_string(side), options.iterations(), [&] {
    apply<<<grid, block>>>(from.data(), to.data(), kAlignment, 0.25f, 0.15f, 0.05f);
  });
}
