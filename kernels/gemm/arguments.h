// What a GEMM kernel is given: shared by the host, which fills it in, and the device.
#pragma once

#include "kernels/gemm/share.h"

namespace wavesmith::kernels {

/// Elements along K that share a scale, and rows of A or columns of B that may.
inline constexpr int kGemmBlock = 128;

/// Floats for the blocks of A or B: of a line (a row of A, a column of B) or of kGemmBlock of them.
struct GemmBlockScales {
  const float* data;  ///< null for none
  long stride;        ///< floats from line to line, or from one kGemmBlock lines to the next
  long block_stride, batch_stride;
  int lines;  ///< that share a scale: 1 or kGemmBlock
};

/// Scales and zero points of groups along K, of numbers of 4 bits.
struct GemmGroups {
  const void *scales, *zeros;  ///< zeros: null for none
  long stride, group_stride,
      batch_stride;  ///< elements from column to column, group to group, matrix to matrix
  int type;          ///< tile::Type: F32, F16 or BF16
  int shift;         ///< a group has 1 << shift numbers
};

/// D = activation(alpha * scale_a * scale_b * A * B transposed + beta * C + bias) * scale_d, A of m by k, B
/// of n by k, C and D of m by n.
struct GemmArguments {
  const void *a, *b, *c, *bias;              ///< c is not read where beta is 0; bias may be null
  const float *scale_a, *scale_b, *scale_d;  ///< null for none
  void* d;
  long stride_a, stride_b, stride_c,
      stride_d;  ///< elements between rows (or, of A and B along columns, between columns)
  long batch_a, batch_b, batch_c, batch_d;  ///< elements between the matrices of a batch
  /// A byte for each row and 32 numbers along K, of types that have such scales; bytes between blocks and
  /// batches.
  const void *mx_a, *mx_b;
  long stride_mx_a, stride_mx_b, batch_mx_a, batch_mx_b;
  GemmBlockScales block_a, block_b;  ///< of kernels of blocks.h
  GemmGroups groups_b;               ///< of kernels of packed/
  const int*
      group_offsets;  ///< of kernels of grouped.h: where each group's rows begin, and the last one's end
  int groups;
  int arrays;   ///< a, b, c and d are arrays of pointers to the matrices of a batch
  int m, n, k;  ///< elements, of which k may hold two numbers each
  float alpha, beta;
  int type_c, type_d, type_bias;  ///< tile::Type
  int activation;                 ///< Activation
  short bias_along_rows;          ///< the bias has m elements, one per row; otherwise n
  /// D has elements of A's type, of 2 bytes, and they are the sums and no more; eights of its columns are
  /// aligned, and its bytes, those of whole tiles too, are counted in 32 bits.
  short only_sums;
  int rows_of_scale_a, columns_of_scale_b;  ///< elements: m and n, or 1 for all rows of A and B
  int tiles_m, tiles_n;                     ///< of D
  int rows_along_x;  ///< the grid's x goes along D's rows of tiles, otherwise along its columns
  int band;          ///< tiles that the grid has along x; it goes along y once for each band of so many
};

/// Which rows of A those of a product are, one after the other; null where they are A's in their order.
struct GemmRowList {
  const int* rows;
  int count;  ///< of A; what is no number of one names a row of zeros
};

/// Of kernels of grouped.h.
struct GemmGroupedArguments : GemmArguments {
  GemmRowList rows_of_a;
};

/// Of kernels of stream.h.
struct GemmStreamArguments : GemmArguments {
  GemmShare share;
  void* parts;  ///< tiles of sums of 4 bytes, one below the other
};

/// Of the kernel that adds up the parts of a product whose K was split or, with teams, streamed.
struct GemmCombineArguments {
  GemmArguments gemm;  ///< of the whole product
  GemmShare share;
  /// Parts of m by stride_parts sums each, floats or, of integers, of 4 bytes; one after the other. Of
  /// streamed products tiles of rows by stride_parts.
  const void* parts;
  int splits;
  int stride_parts;  ///< a multiple of 8
  int rows;          ///< of a tile
  int passes;        ///< of a workgroup, kCombinedRows further each
};

/// A workgroup combines so many rows of so many columns of D at a time, eight columns per thread.
inline constexpr int kCombinedRows = 4, kCombinedColumns = 128;
inline constexpr int kCombineThreads = kCombinedRows * kCombinedColumns / 8;

}  // namespace wavesmith::kernels
