// Cross entropy of rows of logits by kernels (kernels/loss).
#pragma once

#include <cstdint>
#include <tuple>

#include <ATen/core/Tensor.h>

namespace wavesmith::device {

// What the kernels take (kernels/rows).
inline constexpr std::int64_t kMostClasses = 1 << 24, kMostRows = 1 << 22;

// Of each row its loss, 0 where the target is the ignored one, and the logarithm of the sum of powers.
std::tuple<at::Tensor, at::Tensor> losses_of(const at::Tensor& logits, const at::Tensor& target,
                                             std::int64_t ignored, double smoothing);
// The logits' gradient; upstream is a number, or one for each row.
at::Tensor gradient_of(const at::Tensor& upstream, const at::Tensor& logits, const at::Tensor& target,
                       const at::Tensor& logs, std::int64_t ignored, double smoothing);

}  // namespace wavesmith::device
