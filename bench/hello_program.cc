// The smallest HIP program that does something: a fill of 256 floats, checked.
#include <cstdio>
#include <vector>

#include "bench/gpu.h"

int main() {
  using namespace wavesmith::bench;
  const Module module("interpreter");
  const Buffer to(1024);
  run(module.function("fill"), 1, 64, to.get(), uint32_t{64}, uint32_t{64}, 3.0f);
  std::vector<float> host(256);
  check(hipMemcpy(host.data(), to.get(), 1024, hipMemcpyDeviceToHost), "hipMemcpy");
  for (const float value : host)
    if (value != 3.0f) return 1;
  std::puts("hello from the GPU");
  return 0;
}
