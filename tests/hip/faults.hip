// Kernels that end badly: the program gets HIP's error, the process lives on, and after a reset the device
// works again.
#include <hip/hip_runtime.h>

#include <cstring>
#include <string>

#include "check.h"

__global__ void store_at(int* out, long offset) { out[offset] = 1; }
__global__ void load_at(const int* in, int* out) { *out = *in; }
__global__ void trap(int) { __builtin_trap(); }
/// An instruction that is not served. No compiler makes it of HIP.
__global__ void unserved(int) { asm volatile("s_mov_b32 m0, 0\nds_gws_init v0 offset:0 gds"); }
__global__ void store(int* out, int value) { *out = value; }

int main(int argc, char** argv) {
  const std::string which = argc > 1 ? argv[1] : "";
  int* out;
  CHECK_HIP(hipMalloc((void**)&out, 64 * sizeof(int)));
  hipError_t expected = hipErrorIllegalAddress;
  if (which == "beyond")
    store_at<<<1, 1>>>(out, 1 << 20);
  else if (which == "null")
    store_at<<<1, 1>>>(nullptr, 0);
  else if (which == "freed") {
    CHECK_HIP(hipFree(out));
    store_at<<<1, 1>>>(out, 0);
  } else if (which == "host") {
    static int mine = 5;
    load_at<<<1, 1>>>(&mine, out);
  } else if (which == "trap") {
    expected = hipErrorLaunchFailure;
    trap<<<1, 64>>>(0);
  } else if (which == "unserved") {
    expected = hipErrorNotSupported;
    unserved<<<1, 64>>>(0);
  } else {
    return 2;
  }
  CHECK_ERROR(hipGetLastError(), hipSuccess);  // the launch itself was fine
  CHECK_ERROR(hipDeviceSynchronize(), expected);
  CHECK_ERROR(hipGetLastError(), expected);
  // The failure stays.
  store<<<1, 1>>>(out, 1);
  CHECK_ERROR(hipGetLastError(), expected);
  int value = 0;
  CHECK_ERROR(hipMemcpy(&value, out, sizeof value, hipMemcpyDeviceToHost),
              which == "freed" ? hipErrorInvalidValue : expected);
  hipStream_t stream;
  CHECK_HIP(hipStreamCreate(&stream));
  CHECK_HIP(hipDeviceReset());
  CHECK_ERROR(hipStreamQuery(stream), hipErrorContextIsDestroyed);  // streams go with it
  (void)hipGetLastError();
  CHECK_HIP(hipMalloc((void**)&out, sizeof(int)));
  store<<<1, 1>>>(out, 77);
  CHECK_HIP(hipMemcpy(&value, out, sizeof value, hipMemcpyDeviceToHost));
  CHECK(value == 77);
  return finish();
}
