// AMD_SERIALIZE_KERNEL and HIP_LAUNCH_BLOCKING: the host sees what a kernel wrote without waiting for it, and
// the launch itself returns a kernel's error. The argument says what the environment asks for: "before" (a
// launch waits for what is in its stream) or "after" (for the kernel that it launches).
#include <hip/hip_runtime.h>

#include <cstring>

#include "check.h"

__global__ void slow(int* out, int steps, int value) {
  for (volatile int i = 0; i < steps; i = i + 1) {
  }
  *out = value;
}

int main(int, char** argv) {
  const bool after = std::strcmp(argv[1], "after") == 0;
  constexpr int kSteps = 300'000;
  int* out;
  CHECK_HIP(hipHostMalloc((void**)&out, 2 * sizeof(int)));
  std::memset(out, 0, 2 * sizeof(int));
  const volatile int* const seen = out;
  hipStream_t stream;
  CHECK_HIP(hipStreamCreateWithFlags(&stream, hipStreamNonBlocking));
  for (const hipStream_t where : {hipStream_t{}, stream}) {
    for (int value = 1; value <= 5; ++value) {
      slow<<<1, 1, 0, where>>>(out, kSteps, value);
      if (!after) slow<<<1, 1, 0, where>>>(out + 1, kSteps, value);
      CHECK(seen[0] == value);
      if (after) CHECK(hipStreamQuery(where) == hipSuccess);
    }
    CHECK_HIP(hipStreamSynchronize(where));
  }
  CHECK_HIP(hipGetLastError());
  if (after) {
    slow<<<1, 1>>>(nullptr, 1, 1);
    CHECK_ERROR(hipGetLastError(), hipErrorIllegalAddress);
  }
  return finish();
}
