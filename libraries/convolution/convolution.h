// Convolutions of one to three dimensions in stream order, which serve MIOpen's: kernels where there are some
// (kernel/convolution_kernel.h), else on the host as matrix products of gathered columns (im2col).
#pragma once

#include <cstdint>

#include "libraries/convolution/tensor.h"
#include "libraries/shim/stream.h"

namespace wavesmith::libraries {

struct Convolution {
  static constexpr int kMost = 3;
  int dimensions;  ///< of space
  int64_t padding[kMost], step[kMost], dilation[kMost];
  int64_t groups;
};

/// The operand that is computed from the two others: the output, the gradient of the input, or that of the
/// weights.
enum class Direction : uint8_t { Output, Input, Weights };

/// x: images, channels, space. w: outputs, channels of a group, space. y: images, outputs, space. The weights
/// are not turned around (a cross-correlation, as in MIOpen and elsewhere).
struct Convolve {
  Direction direction;
  Convolution convolution;
  Tensor x, w, y;
  void *x_data, *w_data, *y_data;

  [[nodiscard]] bool sizes_fit() const;
  /// Of types that are served: floats of 16 and 32 bits (sums in float), doubles, 8-bit integers into 8-bit
  /// (which wrap around) and 32-bit integers or floats (exact sums).
  [[nodiscard]] bool is_served() const;
  void run() const;
  void report_work(const WorkReporter& reporter) const;
};

/// Launches or enqueues it.
Outcome convolve(const Convolve& what, void* stream);

}  // namespace wavesmith::libraries
