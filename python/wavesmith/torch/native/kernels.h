// The kernel library, as PyTorch's operators call it.
#pragma once

#include <optional>

#include <c10/core/Device.h>
#include <c10/core/ScalarType.h>
#include <c10/util/Exception.h>
#include <wavesmith_kernels.h>

#include "streams.h"

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

// Raises PyTorch's error when the library refused a call; `what` is the operator.
inline void check_kernel(wavesmith_kernels_status status, const char* what) {
  TORCH_CHECK_NOT_IMPLEMENTED(status != WAVESMITH_KERNELS_NOT_SUPPORTED, what, ": ",
                              wavesmith_kernels_message());
  TORCH_CHECK(status == WAVESMITH_KERNELS_SUCCESS, what, ": ", wavesmith_kernels_message());
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

}  // namespace wavesmith::device
