// Lists of tensors, as the library's kernels of many arrays take them.
#pragma once

#include <ATen/core/Tensor.h>
#include <wavesmith_optimiser.h>

#include "operators/kernels.h"

namespace wavesmith::device {

// Whether the lists' first tensors lie on the device and have elements of floats that kernels take.
inline bool of_kernel_floats(at::ArrayRef<at::TensorList> lists) {
  for (const at::TensorList& list : lists)
    if (list.empty() || list[0].device().type() != kDevice || !is_kernel_float(list[0].scalar_type()))
      return false;
  return true;
}

// One number in the device's memory, beside tensors on `device`.
inline bool is_number_on(const at::Tensor& tensor, c10::Device device, c10::ScalarType type) {
  return tensor.numel() == 1 && tensor.device() == device && tensor.scalar_type() == type;
}

}  // namespace wavesmith::device
