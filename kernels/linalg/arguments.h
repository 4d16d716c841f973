// What the kernels of linear algebra are given: shared by the host, which fills it in, and the device.
#pragma once

#include "kernels/wavesmith_linalg.h"

namespace wavesmith::kernels {

inline constexpr int kLinalgThreads = 256, kLinalgFewThreads = 64;
/// Rows of the triangles that a workgroup solves or factors at once, by the bytes of a number.
constexpr int triangle_of(int bytes) { return bytes > 8 ? 32 : 64; }
/// Columns of a larger matrix that are factored at once.
inline constexpr int kPanel = 32;
/// Bytes of shared memory for matrices that fit.
inline constexpr int kLinalgShared = 32768;
/// The rows and columns of a product's tile, and how much of the inner size is in shared memory.
inline constexpr int kProductTile = 64, kProductDepth = 16;
/// The largest size of which eigenvalues and singular values are found.
inline constexpr int kMostSpectrum = 2048;
/// The largest size of which a workgroup finds the exponential, and the matrices that it keeps meanwhile.
inline constexpr int kMostExponential = 64, kExponentialKept = 6;

struct LinalgMatrix {
  void* data;
  int row, column;  ///< elements
  long batch;
};

struct LinalgArguments {
  LinalgMatrix a, b, c;
  void* vector;
  long vector_batch;
  int* pivots;
  long pivots_batch;
  int* info;
  void* workspace;
  long workspace_batch;  ///< bytes
  int rows, columns, inner;
  int flags;
  int groups;      ///< workgroups of a matrix
  int threads;     ///< of a workgroup
  int team_shift;  ///< threads that share a column or a pair: a power of two, no more than 32
  int in_shared;   ///< the matrix is brought to shared memory
  int offset;      ///< of a block in its matrix: added to pivots and info
};

}  // namespace wavesmith::kernels
