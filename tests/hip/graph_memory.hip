// What graphs hold of a device's memory: from the run of the node that allocates to that of the one that
// frees.
#include <hip/hip_runtime.h>

#include "check.h"

#if HIP_VERSION < 50300000
// Newer than the headers; the library has them. Source: HIP 6.0, hip_runtime_api.h.
enum hipGraphMemAttributeType {
  hipGraphMemAttrUsedMemCurrent,
  hipGraphMemAttrUsedMemHigh,
  hipGraphMemAttrReservedMemCurrent,
  hipGraphMemAttrReservedMemHigh,
};
extern "C" {
hipError_t hipDeviceGetGraphMemAttribute(int device, hipGraphMemAttributeType which, void* value);
hipError_t hipDeviceSetGraphMemAttribute(int device, hipGraphMemAttributeType which, void* value);
hipError_t hipDeviceGraphMemTrim(int device);
}
#endif

size_t read(hipGraphMemAttributeType which) {
  size_t value = ~size_t{0};
  CHECK_HIP(hipDeviceGetGraphMemAttribute(0, which, &value));
  return value;
}
size_t used() { return read(hipGraphMemAttrUsedMemCurrent); }
size_t high() { return read(hipGraphMemAttrUsedMemHigh); }

constexpr size_t kSize = size_t{1} << 20;

/// A graph that allocates and fills memory, and frees it where `frees` says so.
hipGraphExec_t make(hipStream_t stream, bool frees, void** memory) {
  hipGraph_t graph;
  hipGraphExec_t exec;
  CHECK_HIP(hipStreamBeginCapture(stream, hipStreamCaptureModeGlobal));
  CHECK_HIP(hipMallocAsync(memory, kSize, stream));
  CHECK_HIP(hipMemsetAsync(*memory, 7, kSize, stream));
  if (frees) CHECK_HIP(hipFreeAsync(*memory, stream));
  CHECK_HIP(hipStreamEndCapture(stream, &graph));
  CHECK_HIP(hipGraphInstantiate(&exec, graph, nullptr, nullptr, 0));
  CHECK_HIP(hipGraphDestroy(graph));
  return exec;
}

void launch(hipGraphExec_t exec, hipStream_t stream) {
  CHECK_HIP(hipGraphLaunch(exec, stream));
  CHECK_HIP(hipStreamSynchronize(stream));
}

int main() {
  hipStream_t stream;
  CHECK_HIP(hipStreamCreate(&stream));
  void *first, *second, *third;
  const hipGraphExec_t frees = make(stream, true, &first);
  CHECK(used() == 0 && high() == 0);  // nothing has run yet
  launch(frees, stream);
  launch(frees, stream);
  CHECK(used() == 0 && high() == kSize);

  const hipGraphExec_t keeps = make(stream, false, &second), also = make(stream, false, &third);
  launch(keeps, stream);
  CHECK(used() == kSize && high() == kSize);
  launch(also, stream);
  CHECK(used() == 2 * kSize && high() == 2 * kSize);
  CHECK(read(hipGraphMemAttrReservedMemCurrent) >= used());
  CHECK_HIP(hipFree(second));
  CHECK(used() == kSize);
  CHECK_HIP(hipFreeAsync(third, stream));
  CHECK_HIP(hipStreamSynchronize(stream));
  CHECK(used() == 0 && high() == 2 * kSize);
  for (const hipGraphExec_t exec : {frees, keeps, also}) CHECK_HIP(hipGraphExecDestroy(exec));
  CHECK_HIP(hipDeviceGraphMemTrim(0));
  CHECK(used() == 0);

  size_t value = 1;
  CHECK_ERROR(hipDeviceSetGraphMemAttribute(0, hipGraphMemAttrUsedMemHigh, &value), hipErrorInvalidValue);
  value = 0;
  CHECK_HIP(hipDeviceSetGraphMemAttribute(0, hipGraphMemAttrUsedMemHigh, &value));
  CHECK(high() == 0);
  CHECK_HIP(hipStreamDestroy(stream));
  return finish();
}
