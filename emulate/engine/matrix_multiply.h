// The products: rows of 16 or 32 floats, blocked in the host's registers.
#pragma once

#include "emulate/translate/matrix_plan.h"

namespace wavesmith::emulate {

/// What a product works on. A is [k][columns], B likewise: the elements of one k follow each other.
struct Product {
  const float* a;
  const float* b;
  int k;                     ///< held in A
  const uint32_t* row_of_d;  ///< byte offsets from d and c
  const uint32_t* row_of_c;
  std::byte* d;
  const std::byte* c;
  const uint16_t* rows_of_b = nullptr;  ///< sparse: for A's [k][row], which k of B
  // Scaled sums: factors of rows and columns, powers of two.
  const float* scale_of_rows = nullptr;
  const float* scale_of_columns = nullptr;
};

/// D = A * B + C of one block; `columns` is 16 or 32.
void multiply(const Product& product, int columns, Sums sums);

/// 16 products of 4x4, whose operands lie lane by lane.
void multiply_quads(const Product& product, Sums sums);

/// The F64 products, straight from registers.
void multiply_doubles(const MatrixPlan& plan, const std::byte* a, const std::byte* b, const std::byte* c,
                      std::byte* d);

}  // namespace wavesmith::emulate
