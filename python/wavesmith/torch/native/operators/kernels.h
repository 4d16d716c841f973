// The kernel library, as PyTorch's operators call it.
#pragma once

#include <optional>

#include <c10/core/Allocator.h>
#include <c10/core/Device.h>
#include <c10/core/ScalarType.h>
#include <c10/util/Exception.h>
#include <wavesmith_kernels.h>

#include "device/device_type.h"
#include "device/streams.h"
#include "operators/not_served.h"

namespace wavesmith::device {

// The library's type of PyTorch's elements; none where it has no such elements.
inline std::optional<wavesmith_kernels_type> kernel_type(c10::ScalarType type) {
  switch (type) {
    case c10::ScalarType::Float:
      return WAVESMITH_KERNELS_F32;
    case c10::ScalarType::Half:
      return WAVESMITH_KERNELS_F16;
    case c10::ScalarType::BFloat16:
      return WAVESMITH_KERNELS_BF16;
    case c10::ScalarType::Int:
      return WAVESMITH_KERNELS_I32;
    case c10::ScalarType::Char:
      return WAVESMITH_KERNELS_I8;
    case c10::ScalarType::Float8_e4m3fn:
      return WAVESMITH_KERNELS_E4M3;
    case c10::ScalarType::Float8_e5m2:
      return WAVESMITH_KERNELS_E5M2;
    case c10::ScalarType::Float8_e4m3fnuz:
      return WAVESMITH_KERNELS_E4M3_FNUZ;
    case c10::ScalarType::Float8_e5m2fnuz:
      return WAVESMITH_KERNELS_E5M2_FNUZ;
    default:
      return std::nullopt;
  }
}

// The three floats that nearly all kernels take.
inline bool is_kernel_float(c10::ScalarType type) {
  return type == c10::ScalarType::Float || type == c10::ScalarType::Half || type == c10::ScalarType::BFloat16;
}

// Whether the library took a call. It did not where it has no kernel for it, on any GPU or on this one; what
// else it refuses is an error.
inline bool launched(wavesmith_kernels_status status, const char* what) {
  if (status == WAVESMITH_KERNELS_NOT_SUPPORTED || status == WAVESMITH_KERNELS_NO_CODE) return false;
  TORCH_CHECK(status == WAVESMITH_KERNELS_SUCCESS, what, ": ", wavesmith_kernels_message());
  return true;
}

// Raises PyTorch's error when the library refused a call; `what` is the operator.
inline void check_kernel(wavesmith_kernels_status status, const char* what) {
  TORCH_CHECK_NOT_IMPLEMENTED(status != WAVESMITH_KERNELS_NOT_SUPPORTED, what, ": ",
                              wavesmith_kernels_message());
  TORCH_CHECK(status == WAVESMITH_KERNELS_SUCCESS, what, ": ", wavesmith_kernels_message());
}

// Leaves what there is no kernel for to the fallback, by throwing NotServed.
inline void serve(wavesmith_kernels_status status, const char* what) {
  if (status == WAVESMITH_KERNELS_NOT_SUPPORTED) throw NotServed();
  check_kernel(status, what);
}

// Chooses a tensor's device for as long as it lives, and knows that device's current stream.
class KernelCall {
 public:
  explicit KernelCall(c10::Device device)
      : on_(device.index()), stream_(native(current_stream(device.index()))) {}
  void* stream() const { return stream_; }

 private:
  OnDevice on_;
  hipStream_t stream_;
};

// Memory for what a kernel keeps meanwhile. The stream's later work may have it as soon as this is gone.
inline c10::DataPtr workspace(std::size_t bytes) { return c10::GetAllocator(kDevice)->allocate(bytes); }

}  // namespace wavesmith::device
