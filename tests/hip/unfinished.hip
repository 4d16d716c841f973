// A program that ends while its kernels run: they are waited for by what the compiler put behind main, when
// other things of the process are gone already.
#include "check.h"

__global__ void spin(float* out, int rounds) {
  float x = threadIdx.x;
  for (int i = 0; i < rounds; ++i) x = x * 0.5f + 1;
  out[threadIdx.x] = x;
}

/// Other instructions, DPP and LDS among them, so that much is looked up for the first time.
__global__ void after(float* out) {
  __shared__ float shared[64];
  shared[63 - threadIdx.x] = sinf(out[threadIdx.x]) + static_cast<float>(clock64() & 1);
  __syncthreads();
  out[threadIdx.x] =
      static_cast<float>(__popcll(__ballot(shared[threadIdx.x] > 0))) + __shfl_xor(shared[threadIdx.x], 1);
}

int main() {
  float* out;
  CHECK_HIP(hipMalloc(&out, 64 * sizeof(float)));
  spin<<<1, 64>>>(out, 1);
  CHECK_HIP(hipDeviceSynchronize());
  spin<<<1, 64>>>(out, 20'000'000);
  after<<<1, 64>>>(out);
  CHECK_HIP(hipGetLastError());
  return finish();
}
