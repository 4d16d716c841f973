// PyTorch's own checks of an operator's arguments, for kernels of operators with `out=`.
#pragma once

#include <optional>
#include <utility>

#include <ATen/TensorMeta.h>
#include <ATen/core/Tensor.h>
#include <ATen/core/op_registration/adaption.h>
#include <ATen/native/Resize.h>

#include "device_type.h"

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

// A structured operator with one result: `Meta` is at::meta::structured_NAME. meta(...) checks the arguments
// and gives the result the size that follows from them.
template <typename Meta>
class Structured final : public Meta {
 public:
  explicit Structured(at::Tensor& out) : out_(out) {}

  const at::Tensor& maybe_get_output(std::int64_t) override { return out_; }
  void set_output_raw_strided(std::int64_t, at::IntArrayRef sizes, at::IntArrayRef strides,
                              at::TensorOptions options) override {
    TORCH_CHECK(options.dtype() == out_.dtype(), "Expected out tensor to have dtype ", options.dtype(),
                ", but got ", out_.dtype(), " instead");
    TORCH_CHECK(options.device() == out_.device(), "Expected out tensor to have device ", options.device(),
                ", but got ", out_.device(), " instead");
    if (at::native::resize_output(out_, sizes) && !strides.empty()) out_.as_strided_(sizes, strides);
  }
  // The kernel sees the result as it lies: it takes any strides.
  void set_output_strided(std::int64_t index, at::IntArrayRef sizes, at::IntArrayRef strides,
                          at::TensorOptions options) override {
    set_output_raw_strided(index, sizes, strides, options);
  }

 private:
  at::Tensor& out_;
};

}  // namespace wavesmith::device
