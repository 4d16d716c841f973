// A filter: each output is the sum of the last inputs, weighted.
#include "benchmark.h"

__global__ void filter(float* output, float* weights, float* input, float* history, unsigned taps) {
  const unsigned i = blockDim.x * blockIdx.x + threadIdx.x;
  float sum = 0;
  for (unsigned tap = 0; tap < taps; ++tap)
    sum = i >= tap ? sum + weights[tap] * input[i - tap] : sum + weights[tap] * history[taps - (tap - i)];
  output[i] = sum;
}

int main(int argc, char** argv) {
  const bench::Options options(argc, argv);
  const unsigned length = static_cast<unsigned>(options.value("--length", 8192)),
                 taps = static_cast<unsigned>(options.value("--taps", 16));
  const bench::Buffer<float> output(length), weights(taps), input(length), history(taps);
  weights.fill(0, 1), input.fill(0, 1), history.fill(0, 0);
  bench::measure("fir", std::to_string(length) + "_taps" + std::to_string(taps), options.iterations(), [&] {
    filter<<<length / 256, 256>>>(output.data(), weights.data(), input.data(), history.data(), taps);
  });
}
