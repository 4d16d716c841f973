// Tensors as the rows of a matrix, as the library's operations on rows take them.
#pragma once

#include <ATen/core/Tensor.h>

#include "operators/kernels.h"

namespace wavesmith::device {

inline wavesmith_kernels_rows rows_of(const at::Tensor& matrix) {
  return {.data = const_cast<void*>(matrix.const_data_ptr()),
          .type = *kernel_type(matrix.scalar_type()),
          .row_stride = matrix.size(0) > 1 ? matrix.stride(0) : matrix.size(1)};
}

// The tensor with one dimension last, as a matrix of its rows: a view, or a copy where it has to be.
inline at::Tensor rows_along(const at::Tensor& tensor, std::int64_t dimension) {
  const at::Tensor last = tensor.dim() == 0 ? tensor.view({1, 1}) : tensor.movedim(dimension, -1);
  return last.contiguous().view({-1, last.size(-1)});
}

}  // namespace wavesmith::device
