// Cooperative launches: every workgroup meets the others at grid barriers; too large a grid is refused.
#include <hip/hip_runtime.h>
// After it: HIP 5's needs what the other declares.
#include <hip/hip_cooperative_groups.h>

#include <vector>

#include "check.h"

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

int main() {
  const int blocks = 40, count = 10;
  std::vector<int> expected(blocks), next(blocks), found(blocks);
  for (int i = 0; i < blocks; ++i) expected[i] = i * i;
  int *values, *scratch;
  CHECK_HIP(hipMalloc((void**)&values, blocks * sizeof(int)));
  CHECK_HIP(hipMalloc((void**)&scratch, blocks * sizeof(int)));
  CHECK_HIP(hipMemcpy(values, expected.data(), blocks * sizeof(int), hipMemcpyHostToDevice));
  int rounds_wanted = count;
  void* arguments[] = {&values, &scratch, &rounds_wanted};
  CHECK_HIP(hipLaunchCooperativeKernel((const void*)rounds, dim3(blocks), dim3(128), arguments, 0, nullptr));
  CHECK_HIP(hipMemcpy(found.data(), values, blocks * sizeof(int), hipMemcpyDeviceToHost));
  for (int round = 0; round < count; ++round) {
    for (int i = 0; i < blocks; ++i) next[i] = expected[i] + expected[(i + 1) % blocks];
    for (int i = 0; i < blocks; ++i) expected[i] = next[i] & 0xffff;
  }
  CHECK(found == expected);
  CHECK_ERROR(
      hipLaunchCooperativeKernel((const void*)rounds, dim3(1 << 20), dim3(1024), arguments, 0, nullptr),
      hipErrorCooperativeLaunchTooLarge);
  return finish();
}
