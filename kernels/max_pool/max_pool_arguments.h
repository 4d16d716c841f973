// What the kernels of max pooling are given: shared by the host, which fills it in, and the device.
#pragma once

#include "kernels/pointwise/division.h"
#include "kernels/wavesmith_max_pool.h"

namespace wavesmith::kernels {

inline constexpr int kMaxPoolThreads = 256;
inline constexpr int kMaxPoolSteps = 5;

struct MaxPoolOperand {
  void* data;
  int type;                   ///< Number
  long steps[kMaxPoolSteps];  ///< bytes
};

struct MaxPoolArguments {
  MaxPoolOperand x, y, place, samples;
  int sizes[3], places[3], window[3], stride[3], padding[3], dilation[3];
  Division counts[4];  ///< of elements: windows, those of the gradient x's; then channels
  unsigned elements;
  int adaptive;
  long least;                              ///< of integers
  double apart[3];                         ///< a, where there are samples; 1 / places of adaptive windows
  double per_element[3], low[3], high[3];  ///< of gradients: element i is seen by windows from
};  ///< floor((i + low) * per_element) to floor((i + high) * per_element)

}  // namespace wavesmith::kernels
