// Functions of the kernel library (kernels/wavesmith_kernels.h) for stand-ins that launch its kernels: AMD
// machine code on the caller's stream, which reports, profiles and modelled time see.
#pragma once

#include "kernels/wavesmith_kernels.h"
#include "libraries/shim/number.h"

extern "C" int hipGetDevice(int* device);
extern "C" int hipSetDevice(int device);
extern "C" int hipStreamGetDevice(void* stream, int* device);

namespace wavesmith::libraries {

/// The kernel library's function of that name. Null where there is no kernel library, or WAVESMITH_STAND_INS
/// is "host".
void* kernel_function(const char* name);

inline bool is_common_float(Number type) {
  return type == Number::F16 || type == Number::BF16 || type == Number::F32;
}

/// The kernel library's name of a type; f32 of one that it lacks.
wavesmith_kernels_type kernel_type(Number type);

/// Makes a stream's device the thread's own for a while.
class OnDeviceOf {
 public:
  explicit OnDeviceOf(void* stream) {
    int device = 0;
    known_ = hipStreamGetDevice(stream, &device) == 0;
    if (known_ && hipGetDevice(&before_) == 0 && device != before_) changed_ = hipSetDevice(device) == 0;
  }
  OnDeviceOf(const OnDeviceOf&) = delete;
  OnDeviceOf& operator=(const OnDeviceOf&) = delete;
  ~OnDeviceOf() {
    if (changed_) hipSetDevice(before_);
  }
  /// Whether the stream has a device.
  [[nodiscard]] bool is_known() const { return known_; }

 private:
  int before_ = 0;
  bool known_ = false, changed_ = false;
};

}  // namespace wavesmith::libraries
