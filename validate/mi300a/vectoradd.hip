// c = a + b, a thread an element.
#include "benchmark.h"

__global__ void add(float* __restrict__ sum, const float* __restrict__ left, const float* __restrict__ right,
                    int width, int height) {
  const int x = blockDim.x * blockIdx.x + threadIdx.x, y = blockDim.y * blockIdx.y + threadIdx.y;
  const int i = y * width + x;
  if (i < width * height) sum[i] = left[i] + right[i];
}

int main(int argc, char** argv) {
  const bench::Options options(argc, argv);
  const int count = static_cast<int>(options.value("--size", 4096));
  const bench::Buffer<float> sum(count), left(count), right(count);
  left.fill(0, 1), right.fill(0, 1);
  bench::measure("vectoradd", std::to_string(count), options.iterations(), [&] {
    add<<<bench::blocks_for(count, 256), 256>>>(sum.data(), left.data(), right.data(), count, 1);
  });
}
