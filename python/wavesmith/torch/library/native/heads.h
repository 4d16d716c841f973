// What attention and attention over a cache are told of their heads.
#pragma once

#include <cmath>

#include "call.h"

namespace wavesmith::operators {

inline float scale_of(std::optional<double> softmax_scale, int64_t head_size) {
  if (softmax_scale) return static_cast<float>(*softmax_scale);
  return head_size == 0 ? 0.0F : static_cast<float>(1 / std::sqrt(static_cast<double>(head_size)));
}

// ALiBi's slopes: (heads,) or (batch, heads).
inline const float* slopes_of(const Call& call, const OptionalTensor& slopes, int64_t batches, int64_t heads,
                              int64_t& batch_stride) {
  if (!slopes) return nullptr;
  if (slopes->dim() == 2) batch_stride = heads;
  const Shape shape = slopes->dim() == 2 ? Shape{batches, heads} : Shape{heads};
  return static_cast<const float*>(call.vector("alibi_slopes", *slopes, shape, ScalarType::Float));
}

inline const float* sinks_of(const Call& call, const OptionalTensor& sinks, int64_t heads) {
  return sinks ? static_cast<const float*>(call.vector("sinks", *sinks, {heads}, ScalarType::Float))
               : nullptr;
}

}  // namespace wavesmith::operators
