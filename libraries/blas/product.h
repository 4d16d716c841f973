// Matrix products in stream order, which serve gemm and gemv of the BLAS libraries. Where the kernel library
// covers a product it is a kernel (product_kernel.h), otherwise the host computes it. The host reaches the
// emulated GPUs' memory, so such a product is a host function of its stream, in graphs too.
#pragma once

#include <cstddef>
#include <cstdint>

#include "libraries/shim/number.h"
#include "libraries/shim/stream.h"

namespace wavesmith::libraries {

/// The type of a hipDataType or of a rocblas_datatype (also the old hipblasDatatype_t), whose values differ;
/// None: the type is not served.
Number number_of(int data_type);

/// The type of alpha and beta by a hipblasComputeType_t, or by a hipblasDatatype_t, which hipBLAS 2 had in
/// its place.
Number scalars_of(int compute_type);

/// The size of alpha and beta in bytes. For complex matrices `compute` may be the type of the parts.
size_t scalar_size(Number compute, Number matrices);

/// A matrix in memory. With batches there are several, `stride` elements from each other, or `data` is an
/// array of pointers in the GPU's memory.
struct Matrix {
  void* data;
  Number type;
  int64_t row, column;  ///< elements from one row to the next, and from one column to the next
  int64_t stride;
  bool conjugate;
};

enum class Activation : uint8_t { None, Relu, Gelu, Swish };

/// Operations on alpha * a * b + beta * c before it is stored: a number of `bias` is added to each row, the
/// activation follows, then `scale_d`. Scales are floats in the GPU's memory, or null for 1; with the others
/// the product is alpha * scale_a * scale_b * a * b + beta * scale_c * c.
struct Epilogue {
  Activation activation;
  Number bias_type;
  bool scale_a_by_row, scale_b_by_column;  ///< of the result: one a row, one a column
  const void* bias;
  Matrix before;  ///< gets what the activation is applied to; data null: nothing does
  const float *scale_a, *scale_b, *scale_c, *scale_d;
};

/// d = alpha * a * b + beta * c, with a of m by k, b of k by n. Where beta is 0 c is not read, where alpha is
/// 0 a and b are not.
struct Product {
  int64_t m, n, k, batches;
  bool arrays;  ///< the matrices' data are arrays of pointers
  Matrix a, b, c, d;
  Number compute;  ///< the type of alpha and beta; halves are summed as floats, 8-bit integers as 32-bit ones
  const void *alpha, *beta;
  bool scalars_on_gpu;        ///< alpha and beta are read when the product's turn has come, not now
  Epilogue epilogue = {};     ///< of real floats
  void* workspace = nullptr;  ///< of the caller's, which a kernel may use
  size_t workspace_bytes = 0;
};

/// The work of a GPU for it: a gemm, whose epilogue is free.
GpuWork work_of(const Product& product);

/// The work for products that differ only in their rows ("128+7+512"), or only in their columns.
GpuWork work_of_groups(const Product& first, const char* groups, bool columns);

/// Enqueues it.
Outcome multiply(const Product& product, void* stream);

/// Whether products of these types with this epilogue are served.
bool is_served(const Product& product);

/// Computes a product whose operands are known only when the stream reaches it. A matrix that reaches past
/// its allocation ends the process: a GPU would fault.
void multiply_in_stream_order(const Product& product);

/// Computes a product of host matrices at once. False: the types are not served.
bool multiply_now(const Product& product);

}  // namespace wavesmith::libraries
