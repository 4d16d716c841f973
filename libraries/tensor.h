// A tensor in memory, as MIOpen's descriptors say it.
#pragma once

#include <cstdint>

#include "libraries/number.h"

namespace wavesmith::libraries {

struct Tensor {
  static constexpr int kMost = 8;  ///< dimensions
  Number type;
  int rank;
  int64_t sizes[kMost], strides[kMost];  ///< strides in elements
};

}  // namespace wavesmith::libraries
