// What norms share: which weights there are, and in which type they compute.
#pragma once

#include <optional>

#include <ATen/core/Tensor.h>

namespace wavesmith::device {

inline const at::Tensor kNone;
inline const at::Tensor& or_none(const std::optional<at::Tensor>& tensor) {
  return tensor.has_value() ? *tensor : kNone;
}

// The type in which elements of another are computed, that of statistics too.
inline c10::ScalarType wide(const at::Tensor& x) {
  const auto type = x.scalar_type();
  return type == at::kHalf || type == at::kBFloat16 ? at::kFloat : type;
}

}  // namespace wavesmith::device
