// A transpose through LDS: a thread moves 4 x 4 elements, a workgroup of 16 x 16 threads 64 x 64. Workgroups
// take tiles along diagonals.
#include "benchmark.h"

__global__ void transpose(float4* __restrict__ to, float4* __restrict__ from, unsigned width, unsigned height,
                          unsigned tiles) {
  extern __shared__ float4 tile[];
  const unsigned x = threadIdx.x, y = threadIdx.y, side = blockDim.x;
  const unsigned row_tile = blockIdx.x, column_tile = (blockIdx.x + blockIdx.y) % tiles;

  const unsigned source = column_tile * side + x + (row_tile * side + y) * width * 4;
  const unsigned at = y * side * 4 + x;
  for (unsigned i = 0; i < 4; ++i) tile[at + i * side] = from[source + i * width];
  __syncthreads();

  const unsigned destination = row_tile * side + x + (column_tile * side + y) * height * 4;
  const unsigned column = x * side * 4 + y;
  const float4 a = tile[column], b = tile[column + side], c = tile[column + side * 2], d = tile[column + side * 3];
  to[destination] = make_float4(a.x, b.x, c.x, d.x);
  to[destination + height] = make_float4(a.y, b.y, c.y, d.y);
  to[destination + height * 2] = make_float4(a.z, b.z, c.z, d.z);
  to[destination + height * 3] = make_float4(a.w, b.w, c.w, d.w);
}

int main(int argc, char** argv) {
  const bench::Options options(argc, argv);
  const size_t side = options.value("--size", 1024);
  const bench::Buffer<float> from(side * side), to(side * side);
  from.fill(0, 1);
  const unsigned quads = static_cast<unsigned>(side / 4), tiles = quads / 16;
  bench::measure("matrixtranspose", std::to_string(side) + "x" + std::to_string(side), options.iterations(), [&] {
    transpose<<<dim3(tiles, tiles), dim3(16, 16), 64 * 64 * sizeof(float)>>>(
        reinterpret_cast<float4*>(to.data()), reinterpret_cast<float4*>(from.data()), quads, quads, tiles);
  });
}
