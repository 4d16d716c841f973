// Tensors of one size as rows and columns: dimensions that follow each other in memory become one.
#pragma once

#include <array>
#include <cstddef>

#include "libraries/convolution/tensor.h"

namespace wavesmith::libraries {

/// `rows` by `columns` elements, and how far they are apart in each of `kCount` tensors.
template <size_t kCount>
struct Collapsed {
  int64_t rows = 1, columns = 1;
  std::array<int64_t, kCount> row_strides{}, column_strides{};
};

/// Collapses dimensions from `first` on of tensors; the first one gives the sizes, the others may have one
/// element where it has many. False: they are more than two dimensions apart.
template <size_t kCount>
bool collapse(const std::array<Tensor, kCount>& tensors, int first, Collapsed<kCount>& made) {
  const Tensor& shape = tensors[0];
  // The columns grow towards ever longer strides of the first tensor; what does not fit in becomes rows.
  bool taken[Tensor::kMost] = {};
  int left = 0;
  for (int i = first; i < shape.rank; ++i) {
    taken[i] = shape.sizes[i] == 1;
    left += !taken[i];
  }
  made = {};
  int64_t* sizes[] = {&made.columns, &made.rows};
  std::array<int64_t, kCount>* strides[] = {&made.column_strides, &made.row_strides};
  for (int level = 0; left > 0; --left) {
    int next = -1;
    for (int i = first; i < shape.rank; ++i)
      if (!taken[i] && (next < 0 || shape.strides[i] < shape.strides[next])) next = i;
    taken[next] = true;
    std::array<int64_t, kCount> apart;
    for (size_t t = 0; t < kCount; ++t) apart[t] = tensors[t].sizes[next] == 1 ? 0 : tensors[t].strides[next];
    const auto follows = [&] {
      for (size_t t = 0; t < kCount; ++t)
        if (apart[t] != (*strides[level])[t] * *sizes[level]) return false;
      return true;
    };
    if (*sizes[level] > 1 && !follows() && ++level > 1) return false;
    if (*sizes[level] == 1) *strides[level] = apart;
    *sizes[level] *= shape.sizes[next];
  }
  return true;
}

}  // namespace wavesmith::libraries
