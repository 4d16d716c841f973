// Scales of numbers of few bits: shared by the host, which checks and fills them in, and the device.
#pragma once

namespace wavesmith::kernels {

/// As wavesmith_kernels_scaling numbers them.
enum class Scaling : int { None, Given, PerMatrix, PerRow, PerBlock, Mx };

struct ScaleArguments {
  void* data;                      ///< floats, of MX bytes
  long row_stride, column_stride;  ///< elements
  int scaling;                     ///< Scaling
  int block_shift;                 ///< the logarithm of a block's columns: 5, 6 or 7
};

}  // namespace wavesmith::kernels
