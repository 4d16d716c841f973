// A tensor in memory, as MIOpen's descriptors describe it.
#pragma once

#include <cstdint>

#include "libraries/shim/number.h"
#include "libraries/shim/stream.h"

namespace wavesmith::libraries {

struct Tensor {
  static constexpr int kMost = 8;  ///< dimensions
  Number type;
  int rank;
  int64_t sizes[kMost], strides[kMost];  ///< strides in elements
};

/// Whether all of the tensor's elements are in the allocation that `data` is in.
inline bool lies_in_memory(const Tensor& tensor, const void* data) {
  int64_t highest = 0;
  for (int i = 0; i < tensor.rank; ++i) {
    if (tensor.sizes[i] == 0) return true;
    highest += (tensor.sizes[i] - 1) * tensor.strides[i];
  }
  return reaches(data, 0, highest, size_of(tensor.type));
}

}  // namespace wavesmith::libraries
