// What the runtime answers to wrong calls: the documented error, and the program goes on.
#include <hip/hip_runtime.h>

#include <string>

#include "check.h"

__global__ void store(int* out, int value) { *out = value; }
__global__ void __launch_bounds__(64) small(int* out) { out[threadIdx.x] = 1; }
__global__ void shared_user(int* out) {
  extern __shared__ int dynamic[];
  dynamic[threadIdx.x] = threadIdx.x;
  __syncthreads();
  out[threadIdx.x] = dynamic[63 - threadIdx.x];
}
void no_kernel() {}

int main() {
  int* out;
  CHECK_HIP(hipMalloc((void**)&out, 64 * sizeof(int)));

  // launches
  store<<<1, 1025>>>(out, 1);
  CHECK_ERROR(hipGetLastError(), hipErrorInvalidValue);
  store<<<0, 64>>>(out, 1);
  CHECK_ERROR(hipGetLastError(), hipErrorInvalidConfiguration);
  store<<<1, 0>>>(out, 1);
  CHECK_ERROR(hipGetLastError(), hipErrorInvalidConfiguration);
  store<<<dim3(1u << 31), 64>>>(out, 1);
  CHECK_ERROR(hipGetLastError(), hipErrorInvalidConfiguration);
  small<<<1, 128>>>(out);
  CHECK_ERROR(hipGetLastError(), hipErrorLaunchFailure);
  shared_user<<<1, 64, 1 << 20>>>(out);
  CHECK_ERROR(hipGetLastError(), hipErrorInvalidValue);
  CHECK_ERROR(hipLaunchKernel((const void*)no_kernel, dim3(1), dim3(64), nullptr, 0, nullptr),
              hipErrorInvalidDeviceFunction);
  void* null_argument[] = {nullptr, nullptr};
  CHECK_ERROR(hipLaunchKernel((const void*)store, dim3(1), dim3(64), null_argument, 0, nullptr),
              hipErrorInvalidValue);
  CHECK_ERROR(hipLaunchKernel((const void*)store, dim3(1), dim3(64), nullptr, 0, nullptr),
              hipErrorInvalidValue);
  CHECK_ERROR(hipGetLastError(), hipErrorInvalidValue);
  CHECK_ERROR(hipGetLastError(), hipSuccess);

  // memory
  void* pointer;
  CHECK_ERROR(hipMalloc(nullptr, 16), hipErrorInvalidValue);
  CHECK_ERROR(hipMalloc(&pointer, size_t{1} << 50), hipErrorOutOfMemory);
  CHECK_HIP(hipMalloc(&pointer, 0));
  CHECK(pointer == nullptr);
  CHECK_HIP(hipFree(nullptr));
  int local = 0;
  CHECK_ERROR(hipFree(&local), hipErrorInvalidValue);
  CHECK_ERROR(hipFree(out + 1), hipErrorInvalidValue);
  CHECK_HIP(hipMalloc(&pointer, 16));
  CHECK_HIP(hipFree(pointer));
  CHECK_ERROR(hipFree(pointer), hipErrorInvalidValue);
  CHECK_ERROR(hipMemcpy(out, &local, 1 << 20, hipMemcpyHostToDevice), hipErrorInvalidValue);
  CHECK_ERROR(hipMemcpy(nullptr, &local, 4, hipMemcpyHostToDevice), hipErrorInvalidValue);
  CHECK_ERROR(hipMemcpy(out, &local, 4, (hipMemcpyKind)77), hipErrorInvalidMemcpyDirection);
  CHECK_ERROR(hipMemset(out, 0, 257), hipErrorInvalidValue);
  CHECK_ERROR(hipMemset(&local, 0, 4), hipErrorInvalidValue);
  CHECK_ERROR(hipMallocManaged(&pointer, 0), hipErrorInvalidValue);
  CHECK_ERROR(hipHostUnregister(nullptr), hipErrorInvalidValue);
  CHECK_ERROR(hipHostRegister(&local, size_t{1} << 40, 0),
              hipErrorInvalidValue);  // not mapped as far as that

  // handles
  CHECK_ERROR(hipSetDevice(99), hipErrorInvalidDevice);
  CHECK_ERROR(hipSetDevice(-1), hipErrorInvalidDevice);
  CHECK_ERROR(hipStreamSynchronize((hipStream_t)0x1234560), hipErrorContextIsDestroyed);
  hipStream_t stream;
  CHECK_HIP(hipStreamCreate(&stream));
  CHECK_HIP(hipStreamDestroy(stream));
  CHECK_ERROR(hipStreamDestroy(stream), hipErrorContextIsDestroyed);
  CHECK_ERROR(hipStreamQuery(stream), hipErrorContextIsDestroyed);
  CHECK_ERROR(hipMemcpyAsync(out, &local, 4, hipMemcpyHostToDevice, stream), hipErrorContextIsDestroyed);
  unsigned stream_flags;
  CHECK_ERROR(hipStreamGetFlags(nullptr, &stream_flags), hipErrorInvalidValue);
  hipEvent_t event;
  CHECK_ERROR(hipEventCreateWithFlags(&event, 0x40), hipErrorInvalidValue);
  CHECK_HIP(hipEventCreate(&event));
  float milliseconds;
  CHECK_ERROR(hipEventElapsedTime(&milliseconds, event, event), hipErrorInvalidHandle);  // never recorded
  CHECK_ERROR(hipStreamWaitEvent(nullptr, event, ~0u), hipErrorInvalidValue);
  CHECK_HIP(hipEventDestroy(event));
  CHECK_ERROR(hipEventDestroy(event), hipErrorContextIsDestroyed);
  CHECK_ERROR(hipEventRecord(event, nullptr), hipErrorInvalidHandle);

  // modules
  hipModule_t module;
  CHECK_ERROR(hipModuleLoad(&module, "/nowhere/at.all"), hipErrorFileNotFound);
  CHECK_ERROR(hipModuleLoadData(&module, "this is no code object, only text that is long enough"),
              hipErrorInvalidImage);
  for (hipFunction_t none : {hipFunction_t(nullptr), (hipFunction_t)&local})
    CHECK_ERROR(hipModuleLaunchKernel(none, 1, 1, 1, 64, 1, 1, 0, nullptr, nullptr, nullptr),
                hipErrorInvalidHandle);

  CHECK(std::string(hipGetErrorName(hipErrorOutOfMemory)) == "hipErrorOutOfMemory");
  CHECK(std::string(hipGetErrorString(hipErrorInvalidValue)) == "invalid argument");
  CHECK(std::string(hipGetErrorName((hipError_t)12345)) == "hipErrorUnknown");

  // After all that a good launch works.
  store<<<1, 64>>>(out, 4711);
  CHECK_HIP(hipMemcpy(&local, out, sizeof local, hipMemcpyDeviceToHost));
  CHECK(local == 4711);
  return finish();
}
