// printf and assert in kernels: what they print and what the program gets to see.
#include <hip/hip_runtime.h>

#include <algorithm>
#include <cassert>
#include <string>

#include "check.h"
#include "printed.h"

__global__ void greet(int number, double real, const char* name) {
  if (threadIdx.x == 0) printf("number %d, real %.3f, name %s, percent %%\n", number, real, name);
  if (threadIdx.x >= 62) printf("lane %u of %u\n", unsigned(threadIdx.x), unsigned(blockDim.x));
}

__global__ void many(int) { printf("%d %d\n", int(blockIdx.x), int(threadIdx.x)); }

__global__ void claim(int value) { assert(value == 42); }

int main() {
  char* name;
  CHECK_HIP(hipHostMalloc((void**)&name, 16, 0));
  std::snprintf(name, 16, "wave");
  const std::string text = printed(stdout, [&] {
    greet<<<1, 64>>>(7, 2.5, name);
    CHECK_HIP(hipDeviceSynchronize());
  });
  CHECK(text.find("number 7, real 2.500, name wave, percent %\n") != std::string::npos);
  CHECK(text.find("lane 62 of 64\n") != std::string::npos);
  CHECK(text.find("lane 63 of 64\n") != std::string::npos);
  if (failures) std::printf("it printed: %s\n", text.c_str());

  const std::string lines = printed(stdout, [&] {
    many<<<50, 100>>>(0);
    CHECK_HIP(hipDeviceSynchronize());
  });
  CHECK(std::count(lines.begin(), lines.end(), '\n') == 5000);
  for (const char* line : {"0 0\n", "\n49 99\n", "\n17 64\n"})
    CHECK(("\n" + lines).find(line) != std::string::npos);

  claim<<<1, 64>>>(42);
  CHECK_HIP(hipDeviceSynchronize());
  const std::string said = printed(stderr, [&] {
    claim<<<1, 64>>>(41);
    CHECK_ERROR(hipDeviceSynchronize(), hipErrorLaunchFailure);
  });
  CHECK(said.find("value == 42") != std::string::npos);
  CHECK(said.find("claim") != std::string::npos);
  if (failures) std::printf("it said: %s\n", said.c_str());
  CHECK_ERROR(hipDeviceSynchronize(), hipErrorLaunchFailure);  // it stays
  return finish();
}
