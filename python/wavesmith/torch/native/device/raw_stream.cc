// The native handle of a device's current stream, for callers through the C ABI: Python launches kernels on
// it.
#include "device/streams.h"

extern "C" __attribute__((visibility("default"))) void* wavesmith_torch_stream(int device) {
  return wavesmith::device::native(wavesmith::device::current_stream(static_cast<c10::DeviceIndex>(device)));
}
