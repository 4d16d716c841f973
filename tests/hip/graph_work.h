// What the graphs of the tests do, and how one sees that they did it.
#pragma once

#include <hip/hip_runtime.h>

#include <vector>

#include "check.h"

__global__ void add(int* data, int count, int value) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < count) data[i] += value;
}
__global__ void multiply(int* data, int count, int value) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < count) data[i] *= value;
}

constexpr int kCount = 1000;
inline int calls = 0;
inline void count_call(void* user) { calls += *static_cast<int*>(user); }

inline std::vector<int> read(const int* device) {
  std::vector<int> host(kCount);
  CHECK_HIP(hipMemcpy(host.data(), device, kCount * sizeof(int), hipMemcpyDeviceToHost));
  return host;
}
inline bool all(const int* device, int value) {
  bool same = true;
  for (const int each : read(device)) same &= each == value;
  return same;
}
