// The positive part of each element.
#include "benchmark.h"

__global__ void rectify(const int count, float* in, float* out) {
  const int i = blockDim.x * blockIdx.x + threadIdx.x;
  if (i < count) out[i] = in[i] > 0 ? in[i] : 0;
}

int main(int argc, char** argv) {
  const bench::Options options(argc, argv);
  const int count = static_cast<int>(options.value("--size", 65536));
  const bench::Buffer<float> in(count), out(count);
  in.fill(-10, 10);
  bench::measure("relu", std::to_string(count), options.iterations(), [&] {
    rectify<<<bench::blocks_for(count, 256), 256>>>(count, in.data(), out.data());
  });
}
