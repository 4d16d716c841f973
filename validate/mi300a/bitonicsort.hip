// A bitonic sort in place: a launch for each step, a thread for each pair, 64 threads per workgroup.
#include "benchmark.h"

__global__ void step(unsigned* values, const unsigned stage, const unsigned part, const unsigned ascending) {
  const unsigned i = blockDim.x * blockIdx.x + threadIdx.x;
  const unsigned distance = 1u << (stage - part);
  const unsigned left = i % distance + i / distance * (2 * distance), right = left + distance;
  const unsigned first = values[left], second = values[right];
  const unsigned up = i / (1u << stage) % 2 == 1 ? 1 - ascending : ascending;
  const unsigned more = first > second ? first : second, less = first > second ? second : first;
  if (up) {
    values[left] = less;
    values[right] = more;
  } else {
    values[left] = more;
    values[right] = less;
  }
}

int main(int argc, char** argv) {
  const bench::Options options(argc, argv);
  const size_t count = options.value("--size", 4096);
  std::vector<unsigned> start(count);
  for (size_t i = 0; i < count; ++i) start[i] = bench::scramble(static_cast<unsigned>(i));
  const bench::Buffer<unsigned> values(count);
  unsigned stages = 0;
  while ((count >> stages) > 1) ++stages;
  bench::measure("bitonicsort", std::to_string(count), options.iterations(), [&] {
    bench::check(hipMemcpy(values.data(), start.data(), values.bytes(), hipMemcpyHostToDevice), "hipMemcpy");
    for (unsigned stage = 0; stage < stages; ++stage)
      for (unsigned part = 0; part <= stage; ++part)
        step<<<bench::blocks_for(count / 2, 64), 64>>>(values.data(), stage, part, 1);
    bench::check(hipDeviceSynchronize(), "hipDeviceSynchronize");
  });
}
