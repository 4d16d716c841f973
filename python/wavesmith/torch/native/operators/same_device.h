// PyTorch's own check of where an operator's tensors lie.
#pragma once

#include <optional>
#include <utility>

#include <ATen/core/Tensor.h>
#include <ATen/core/op_registration/adaption.h>

namespace wavesmith::device {

// Raises PyTorch's error when tensors lie on several devices. `what` is the operator; a tensor may be
// undefined.
inline c10::Device same_device(const char* what,
                               std::initializer_list<std::pair<const char*, const at::Tensor*>> tensors) {
  std::optional<c10::Device> device;
  for (const auto& [name, tensor] : tensors) {
    c10::impl::check_and_update_common_device(device, *tensor, what, name);
  }
  return *device;
}

}  // namespace wavesmith::device
