// What a transposition's or copy's kernel is given: shared by the host, which fills it in, and the device.
#pragma once

#include "kernels/rows/eight_grid.h"

namespace wavesmith::kernels {

/// Y = X, element by element, in each matrix of a batch. X lies by rows; Y by rows, too, or by columns.
struct TransposeArguments {
  const void* x;
  void* y;
  long stride_x, stride_y;  ///< elements between what lies together
  long batch_x, batch_y;    ///< elements between matrices
  int rows, columns;        ///< of X
  int type_x, type_y;       ///< tile::Type
  int by_columns;           ///< Y lies by columns
  EightGrid eights;         ///< of a copy
};

/// Threads of a workgroup that reads element by element, and of one that turns squares: these are as few as
/// exchange them, so that many workgroups read while others write.
inline constexpr int kTransposeThreads = 256, kSquareThreads = 64;

/// Of elements of so many bytes: how many are moved at once, which is also the side of the square that a
/// thread takes.
constexpr int transpose_square(int bytes) { return 16 / bytes; }

/// The largest stride of matrices that are read in squares: offsets within a workgroup's rows are 32 bits
/// wide.
inline constexpr long kLargestSquareStride = 1L << 21;

/// Eights that a thread of a copy takes.
inline constexpr int kCopyEights = 4;

/// The side of the tiles of matrices that are read element by element.
inline constexpr int kElementsTile = 64;

}  // namespace wavesmith::kernels
