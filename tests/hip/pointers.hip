// What a pointer points to, and host memory that the program registers.
#include <hip/hip_runtime.h>

#include <vector>

#include "check.h"

__global__ void add(int* values, int amount) { values[threadIdx.x] += amount; }

int main() {
  int *device, *host, *managed;
  CHECK_HIP(hipMalloc((void**)&device, 1000));
  CHECK_HIP(hipHostMalloc((void**)&host, 1000, hipHostMallocPortable));
  CHECK_HIP(hipMallocManaged((void**)&managed, 1000, hipMemAttachGlobal));

  hipPointerAttribute_t attributes;
  CHECK_HIP(hipPointerGetAttributes(&attributes, device + 5));
  CHECK(attributes.device == 0 && attributes.devicePointer == device + 5 && !attributes.isManaged &&
        !attributes.hostPointer);
  CHECK_HIP(hipPointerGetAttributes(&attributes, host));
  CHECK(attributes.hostPointer == host && attributes.devicePointer == host &&
        attributes.allocationFlags == hipHostMallocPortable);
  CHECK_HIP(hipPointerGetAttributes(&attributes, managed));
  CHECK(attributes.isManaged);

  // Values are as wide as ROCm's, and written where the pointer has none, too.
  struct {
    unsigned bytes = 0, after = 7;
    void* on_host;
  } got;
  got.on_host = &got;
  void* places[] = {&got.bytes, &got.on_host};
  hipPointer_attribute asked[] = {HIP_POINTER_ATTRIBUTE_RANGE_SIZE, HIP_POINTER_ATTRIBUTE_HOST_POINTER};
  CHECK_HIP(hipDrvPointerGetAttributes(2, asked, places, device + 5));
  CHECK(got.bytes == 1000 && got.after == 7 && got.on_host == nullptr);

  hipDeviceptr_t base;
  size_t size;
  CHECK_HIP(hipMemGetAddressRange(&base, &size, device + 17));
  CHECK(base == device && size == 1000);

  std::vector<int> mine(64, 1);
  CHECK_HIP(hipHostRegister(mine.data(), mine.size() * sizeof(int), hipHostRegisterDefault));
  // What was freed without hipHostUnregister is registered anew when malloc() gives it again; parts of it are
  // not.
  CHECK_HIP(hipHostRegister(mine.data(), mine.size() * sizeof(int), hipHostRegisterDefault));
  CHECK_ERROR(hipHostRegister(mine.data() + 8, 32, hipHostRegisterDefault),
              hipErrorHostMemoryAlreadyRegistered);
  void* seen;
  CHECK_HIP(hipHostGetDevicePointer(&seen, mine.data(), 0));
  add<<<1, 64>>>(static_cast<int*>(seen), 41);
  CHECK_HIP(hipDeviceSynchronize());
  for (const int value : mine) CHECK(value == 42);
  CHECK_HIP(hipHostUnregister(mine.data()));
  CHECK_ERROR(hipHostUnregister(mine.data()), hipErrorHostMemoryNotRegistered);
  CHECK_ERROR(hipHostGetDevicePointer(&seen, mine.data(), 0), hipErrorInvalidValue);

  CHECK_HIP(hipMemPrefetchAsync(managed, 1000, 0, nullptr));
  CHECK_HIP(hipMemAdvise(managed, 1000, hipMemAdviseSetReadMostly, 0));
  CHECK_ERROR(hipMemPrefetchAsync(device, 1000, 0, nullptr), hipErrorInvalidValue);
  CHECK_HIP(hipFree(device));
  CHECK_HIP(hipHostFree(host));
  CHECK_HIP(hipFree(managed));
  return finish();
}
