// Products of the kernel library with PyTorch's tensors as matrices.
#pragma once

#include <ATen/core/Tensor.h>

#include "operators/kernels.h"

namespace wavesmith::device {

// d = activation(alpha * scale_a * scale_b * a @ b + beta * c + bias) * scale_d of matrices, or of batches of
// them. Whatever their strides; d may overlap the others.
struct Product {
  at::Tensor a, b, d;
  at::Tensor c{};  // may be undefined; d's size, often expanded to it
  double alpha = 1, beta = 0;
  wavesmith_kernels_activation activation = WAVESMITH_KERNELS_NO_ACTIVATION;
  at::Tensor bias{};  // may be undefined; an element for each column, without gaps
  at::Tensor scale_a{}, scale_b{},
      scale_d{};  // may be undefined; f32: one, or one for each row of a, column of b
  wavesmith_kernels_scales block_scales_a{}, block_scales_b{};
  at::Tensor group_offsets{};   // may be undefined; i32, one more than groups, without gaps
  bool groups_along_k = false;  // rather than of rows
};

// Launches it in the current stream; false where the library has no kernel for it, and nothing was done.
// `what` is the operator.
bool multiply(const Product& product, const char* what);

}  // namespace wavesmith::device
