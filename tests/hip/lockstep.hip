// Waves of a workgroup that race: what they do is the scheduler's choice, and on a GPU nearly that of waves
// in lockstep.
#include <hip/hip_runtime.h>

#include <cstdlib>

#include "check.h"

/// Each wave reads a number, adds 1 and writes it back. In lockstep all read the same; a wave that runs alone
/// reads what those before it have written.
__global__ void race(int* out, int times) {
  __shared__ volatile int number;
  if (threadIdx.x == 0) number = 0;
  __syncthreads();
  if (threadIdx.x % warpSize == 0)
    for (int i = 0; i < times; ++i) number = number + 1;
  __syncthreads();
  if (threadIdx.x == 0) out[blockIdx.x] = number;
}

/// Workgroups that wait for each other.
__global__ void wait_for_all(int* counter) {
  if (threadIdx.x == 0) {
    atomicAdd(counter, 1);
    while (__atomic_load_n(counter, __ATOMIC_RELAXED) < (int)gridDim.x) {
    }
  }
  __syncthreads();
}

int main() {
  const bool in_lockstep = getenv("WAVESMITH_INTERLEAVE");
  int* out;
  CHECK_HIP(hipMalloc((void**)&out, 64 * sizeof(int)));
  int device = 0, lanes = 0;
  CHECK_HIP(hipGetDevice(&device));
  CHECK_HIP(hipDeviceGetAttribute(&lanes, hipDeviceAttributeWarpSize, device));
  race<<<64, 4 * lanes>>>(out, 10);
  int results[64];
  CHECK_HIP(hipMemcpy(results, out, sizeof results, hipMemcpyDeviceToHost));
  for (int result : results) CHECK(result == (in_lockstep ? 10 : 40));
  CHECK_HIP(hipMemset(out, 0, sizeof(int)));
  wait_for_all<<<50, 128>>>(out);
  CHECK_HIP(hipDeviceSynchronize());
  return finish();
}
