// Cooperative launches: every workgroup meets the others at grid barriers; too large a grid is refused.
#include <hip/hip_runtime.h>
// After it: HIP 5's needs what the other declares.
#ifndef NO_GRID_GROUP  // whose barrier older device libraries cannot compile for every target
#include <hip/hip_cooperative_groups.h>
#endif

#include <vector>

#include "check.h"

#ifndef NO_GRID_GROUP
namespace groups = cooperative_groups;

/// Each round every block adds its neighbour's value of the round before: wrong unless all have met in
/// between.
__global__ void rounds(int* values, int* next, int count) {
  groups::grid_group grid = groups::this_grid();
  const int block = blockIdx.x, blocks = gridDim.x;
  for (int round = 0; round < count; ++round) {
    if (threadIdx.x == 0) next[block] = values[block] + values[(block + 1) % blocks];
    grid.sync();
    if (threadIdx.x == 0) values[block] = next[block] & 0xffff;
    grid.sync();
  }
}
#endif

/// A grid barrier as ROCm 7's device library makes it, in the memory that the runtime passes for it.
__device__ void meet() {
  __syncthreads();
  if (threadIdx.x == 0) {
    const auto* hidden = (const char*)__builtin_amdgcn_implicitarg_ptr();
    char* books = *(char* const*)(hidden + 88);  // hidden_multigrid_sync_arg of code object version 5
    auto* arrived = (unsigned*)(books + 32);
    const unsigned blocks = *(const unsigned*)(books + 40);
    const unsigned before = __hip_atomic_fetch_add(arrived, 1u, __ATOMIC_ACQ_REL, __HIP_MEMORY_SCOPE_AGENT);
    if ((before & 0xffff) == blocks - 1)
      __hip_atomic_fetch_add(arrived, 65536 - blocks, __ATOMIC_ACQ_REL, __HIP_MEMORY_SCOPE_AGENT);
    else
      while ((__hip_atomic_load(arrived, __ATOMIC_ACQUIRE, __HIP_MEMORY_SCOPE_AGENT) ^ before) < 65536)
        __builtin_amdgcn_s_sleep(1);
  }
  __syncthreads();
}

__global__ void rounds_that_count(int* values, int* next, int count) {
  const int block = blockIdx.x, blocks = gridDim.x;
  for (int round = 0; round < count; ++round) {
    if (threadIdx.x == 0) next[block] = values[block] + values[(block + 1) % blocks];
    meet();
    if (threadIdx.x == 0) values[block] = next[block] & 0xffff;
    meet();
  }
}

void check(void (*kernel)(int*, int*, int)) {
  const int blocks = 40, count = 10;
  std::vector<int> expected(blocks), next(blocks), found(blocks);
  for (int i = 0; i < blocks; ++i) expected[i] = i * i;
  int *values, *scratch;
  CHECK_HIP(hipMalloc((void**)&values, blocks * sizeof(int)));
  CHECK_HIP(hipMalloc((void**)&scratch, blocks * sizeof(int)));
  CHECK_HIP(hipMemcpy(values, expected.data(), blocks * sizeof(int), hipMemcpyHostToDevice));
  int rounds_wanted = count;
  void* arguments[] = {&values, &scratch, &rounds_wanted};
  CHECK_HIP(hipLaunchCooperativeKernel((const void*)kernel, dim3(blocks), dim3(128), arguments, 0, nullptr));
  CHECK_HIP(hipMemcpy(found.data(), values, blocks * sizeof(int), hipMemcpyDeviceToHost));
  for (int round = 0; round < count; ++round) {
    for (int i = 0; i < blocks; ++i) next[i] = expected[i] + expected[(i + 1) % blocks];
    for (int i = 0; i < blocks; ++i) expected[i] = next[i] & 0xffff;
  }
  CHECK(found == expected);
  CHECK_ERROR(
      hipLaunchCooperativeKernel((const void*)kernel, dim3(1 << 20), dim3(1024), arguments, 0, nullptr),
      hipErrorCooperativeLaunchTooLarge);
  CHECK_ERROR(hipLaunchCooperativeKernel((const void*)kernel, dim3(1), dim3(1025), arguments, 0, nullptr),
              hipErrorInvalidConfiguration);
  CHECK_ERROR(hipLaunchCooperativeKernel((const void*)kernel, dim3(1), dim3(64), arguments, 1 << 20, nullptr),
              hipErrorCooperativeLaunchTooLarge);
  CHECK_HIP(hipFree(values));
  CHECK_HIP(hipFree(scratch));
}

int main() {
#ifndef NO_GRID_GROUP
  check(rounds);
#endif
  check(rounds_that_count);
  return finish();
}
