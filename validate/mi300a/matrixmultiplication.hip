// C = A B in tiles of 4 x 4 a thread, 8 x 8 threads per workgroup. The tile of A goes through a scratch buffer
// in device memory, which all workgroups write: only the times are meant, not the product.
#include "benchmark.h"

__device__ inline void multiply(float4& sum, const float4& a, const float4& b0, const float4& b1, const float4& b2,
                                const float4& b3) {
  sum.x += a.x * b0.x + a.y * b1.x + a.z * b2.x + a.w * b3.x;
  sum.y += a.x * b0.y + a.y * b1.y + a.z * b2.y + a.w * b3.y;
  sum.z += a.x * b0.z + a.y * b1.z + a.z * b2.z + a.w * b3.z;
  sum.w += a.x * b0.w + a.y * b1.w + a.z * b2.w + a.w * b3.w;
}

__global__ void product(float4* a, float4* b, float4* c, int width, float4* scratch) {
  const int x = threadIdx.x, y = threadIdx.y, side = blockDim.x;
  const int column = blockDim.x * blockIdx.x + x, row = blockDim.y * blockIdx.y + y, columns = gridDim.x * blockDim.x;
  const int place = x + side * (y << 2), result = column + (row << 2) * columns;
  float4 sum0 = make_float4(0, 0, 0, 0), sum1 = sum0, sum2 = sum0, sum3 = sum0;
  const int quads = width / 4, rounds = quads / side;
  for (int i = 0; i < rounds; ++i) {
    const int source = i * side + x + (row << 2) * quads;
    scratch[place] = a[source];
    scratch[place + side] = a[source + quads];
    scratch[place + 2 * side] = a[source + 2 * quads];
    scratch[place + 3 * side] = a[source + 3 * quads];
    __syncthreads();
    const int from = column + ((i * side) << 2) * columns;
    for (int j = 0; j < side * 4; j += 4) {
      const float4 a0 = scratch[(j >> 2) + y * 4 * side], a1 = scratch[(j >> 2) + (y * 4 + 1) * side],
                   a2 = scratch[(j >> 2) + (y * 4 + 2) * side], a3 = scratch[(j >> 2) + (y * 4 + 3) * side];
      const float4 b0 = b[from + j * columns], b1 = b[from + (j + 1) * columns], b2 = b[from + (j + 2) * columns],
                   b3 = b[from + (j + 3) * columns];
      multiply(sum0, a0, b0, b1, b2, b3);
      multiply(sum1, a1, b0, b1, b2, b3);
      multiply(sum2, a2, b0, b1, b2, b3);
      multiply(sum3, a3, b0, b1, b2, b3);
    }
    __syncthreads();
  }
  c[result] = sum0;
  c[result + columns] = sum1;
  c[result + 2 * columns] = sum2;
  c[result + 3 * columns] = sum3;
}

int main(int argc, char** argv) {
  const bench::Options options(argc, argv);
  const size_t side = options.value("--size", 128);
  const size_t quads = side * side / 4;
  const unsigned blocks = static_cast<unsigned>(side / 32);
  const bench::Buffer<float4> a(quads), b(quads), c(quads), scratch(size_t{blocks} * blocks * 256);
  a.fill(-1, 1), b.fill(-1, 1);
  const std::string text = std::to_string(side);
  bench::measure("matrixmultiplication", text + "x" + text + "x" + text, options.iterations(), [&] {
    product<<<dim3(blocks, blocks), dim3(8, 8)>>>(a.data(), b.data(), c.data(), static_cast<int>(side),
                                                  scratch.data());
  });
}
