// A product as BLAS has it: of matrices whose columns' elements follow each other.
//
// A result that lies by rows is, by columns, the product of the transposed operands in the other order.
#pragma once

#include <cstdint>

#include <wavesmith_kernels.h>

namespace wavesmith::device::amd {

// A matrix as it lies, and whether the product takes it transposed.
struct Operand {
  void* data;
  wavesmith_kernels_type type;
  bool transposed;
  std::int64_t rows, columns;  // of what lies there
  std::int64_t leading, batch_stride;
};

struct ColumnMajor {
  bool turned;  // a is the description's B, b its A
  std::int64_t m, n, k;
  Operand a, b, c, d;  // c: d where nothing is added
  // Along the result's columns, as BLAS's epilogues have a bias: an element for each row of d.
  bool bias_per_row;
};

// The product of a description whose matrices each have elements that follow each other, in rows or columns,
// and whose C lies as its D does.
inline ColumnMajor column_major(const wavesmith_kernels_gemm_description& gemm) {
  const auto operand = [](const wavesmith_kernels_matrix& matrix, std::int64_t rows, std::int64_t columns,
                          bool turned) {
    // By rows it is, by columns, its transpose.
    const bool by_rows = matrix.column_stride == 1;
    return Operand{.data = matrix.data,
                   .type = matrix.type,
                   .transposed = by_rows != turned,
                   .rows = by_rows ? columns : rows,
                   .columns = by_rows ? rows : columns,
                   .leading = by_rows ? matrix.row_stride : matrix.column_stride,
                   .batch_stride = matrix.batch_stride};
  };
  const bool turned = gemm.d.column_stride == 1;
  const Operand a = operand(gemm.a, gemm.m, gemm.k, turned), b = operand(gemm.b, gemm.k, gemm.n, turned);
  const Operand d = operand(gemm.d, gemm.m, gemm.n, turned);
  const Operand c = gemm.beta != 0 ? operand(gemm.c, gemm.m, gemm.n, turned) : d;
  return {.turned = turned,
          .m = turned ? gemm.n : gemm.m,
          .n = turned ? gemm.m : gemm.n,
          .k = gemm.k,
          .a = turned ? b : a,
          .b = turned ? a : b,
          .c = c,
          .d = d,
          .bias_per_row = turned != (gemm.bias_per_row != 0)};
}

}  // namespace wavesmith::device::amd
