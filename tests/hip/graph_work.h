// What the graphs of the tests do, and how one sees that they did it.
#pragma once

#include <hip/hip_runtime.h>

#include <vector>

#include "check.h"

#if HIP_VERSION < 50500000
// Newer than the headers; the library has them. Source: HIP 6.0, hip_runtime_api.h.
typedef struct hipUserObject* hipUserObject_t;
constexpr unsigned hipUserObjectNoDestructorSync = 1, hipGraphUserObjectMove = 1;
extern "C" {
hipError_t hipUserObjectCreate(hipUserObject_t* object, void* pointer, hipHostFn_t destroy,
                               unsigned references, unsigned flags);
hipError_t hipUserObjectRelease(hipUserObject_t object, unsigned count);
hipError_t hipGraphRetainUserObject(hipGraph_t graph, hipUserObject_t object, unsigned count, unsigned flags);
hipError_t hipGraphReleaseUserObject(hipGraph_t graph, hipUserObject_t object, unsigned count);
hipError_t hipGraphNodeGetEnabled(hipGraphExec_t exec, hipGraphNode_t node, unsigned* enabled);
}
#endif

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
