// What holds of the scales that an operation on rows reads or writes.
#pragma once

#include "kernels/rows/rows.h"
#include "kernels/rows/scales.h"

namespace wavesmith::kernels {

/// Scales of a matrix that is quantised, if its type is one for that.
struct ScalesArgument {
  const wavesmith_kernels_scales* scales;
  const char* matrix;  ///< the name of what they scale
  wavesmith_kernels_type type;
  bool are_computed = true;  ///< and written, unless they are given
  /// What the operation has kernels for beside unscaled numbers, given scales, and scales per row and block.
  bool whole_matrix = false, mx = false;
};

/// Blocks of columns that have a scale each: 1 where the whole row has one.
int64_t blocks_of(const wavesmith_kernels_scales& scales, int64_t columns);

/// The bytes from the first of a matrix's scales to the last one.
ByteRange range_of(const wavesmith_kernels_scales& scales, int64_t rows, int64_t columns);

/// Checks scales of a matrix of that size, which has elements; `matrices` are all that the operation is
/// given.
wavesmith_kernels_status check_scales(const char* operation, int64_t rows, int64_t columns,
                                      const ScalesArgument& argument, RowsArguments matrices);

/// For the device.
ScaleArguments scale_arguments(const wavesmith_kernels_scales& scales);

}  // namespace wavesmith::kernels
