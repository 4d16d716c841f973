// Memory of malloc() where kernels see it, on an APU or under HSA_XNACK=1: kernels and copies use it like any.
#include <hip/hip_runtime.h>

#include <algorithm>
#include <numeric>
#include <vector>

#include "check.h"

__global__ void add(int* to, const int* from, int count) {
  const int i = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
  if (i < count) to[i] += from[i];
}

int main() {
  int pageable = 0;
  CHECK_HIP(hipDeviceGetAttribute(&pageable, hipDeviceAttributePageableMemoryAccess, 0));
  CHECK(pageable == 1);
  constexpr int kCount = 3000;
  std::vector<int> from(kCount), to(kCount, 7), back(kCount);
  std::iota(from.begin(), from.end(), 0);
  add<<<(kCount + 255) / 256, 256>>>(to.data(), from.data(), kCount);
  CHECK_HIP(hipDeviceSynchronize());
  for (int i = 0; i < kCount; ++i) CHECK(to[i] == 7 + i);

  int* device;
  constexpr size_t kBytes = kCount * sizeof(int);
  CHECK_HIP(hipMalloc((void**)&device, kBytes));
  CHECK_HIP(hipMemcpy(device, to.data(), kBytes, hipMemcpyHostToDevice));
  add<<<(kCount + 255) / 256, 256>>>(device, from.data(), kCount);
  CHECK_HIP(hipMemcpyAsync(back.data(), device, kBytes, hipMemcpyDeviceToHost, nullptr));
  CHECK_HIP(hipDeviceSynchronize());
  for (int i = 0; i < kCount; ++i) CHECK(back[i] == 7 + 2 * i);
  CHECK_HIP(hipMemcpy(to.data(), back.data(), kBytes, hipMemcpyDefault));
  CHECK(to == back);
  CHECK_HIP(hipMemcpy(device, from.data(), kBytes, hipMemcpyDeviceToDevice));
  CHECK_HIP(hipMemcpy(back.data(), device, kBytes, hipMemcpyDefault));
  CHECK(back == from);

  // What the device's memory has freed is nobody's here, too.
  CHECK_HIP(hipFree(device));
  CHECK_ERROR(hipMemcpy(back.data(), device, kBytes, hipMemcpyDefault), hipErrorInvalidValue);
  return finish();
}
