/* A sparse matrix times one dimension of a strided array: interpolation, pooling with any windows, bags of
 * rows, and the gradients of these are such products. Types are those of wavesmith_pointwise.h. */
#pragma once

#include "wavesmith_pointwise.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef WAVESMITH_KERNELS_ENUM{
    /* y = the sum of weight * x; 0 of no entries. y is of floats, or of U8: there it is the nearest number,
       upwards from halfway, among 0 to 255, and 0 of NaN. */
    WAVESMITH_SPARSE_SUM = 0,
    /* y = the largest x, NaN where one is, and 0 of no entries; `place` is the column of the first such x,
       and -1 of no entries. Weights are not read. */
    WAVESMITH_SPARSE_MAXIMUM = 1,
} wavesmith_sparse_operation;

/* y and x have the same dimensions, and the same sizes but along the dimension `along`: there y's is the
 * number of the matrix's rows and x's that of its columns. sizes are y's.
 *
 * The matrix is in CSR, in dense arrays: the entries of row r are those from begins[r] to before begins[r +
 * 1], each with its column and weight; an entry with a negative column counts for nothing, and a column that
 * is not less than `columns` stops the kernel. begins and columns_of are of I32 or I64; weights of any real
 * type, all 1 without data; strides of these three are not read.
 *
 * Entries are taken in order. Errors of a sum before it is rounded to y's type: e (n + 2) times the sum of
 * sizes of the n terms, e as of WAVESMITH_REDUCTION_SUM (both factors of a term may be rounded to the type
 * that computes); maxima are exact. computed_in is F32 or F64, and F64 of maxima; elements are of any real
 * type, `place`'s of I64. Bounds are those of wavesmith_kernels_pointwise.
 */
typedef struct {
  wavesmith_sparse_operation operation;
  wavesmith_pointwise_type computed_in;
  int32_t dimensions, along;
  int64_t sizes[WAVESMITH_POINTWISE_DIMENSIONS];
  int64_t columns;
  wavesmith_pointwise_operand y, x, place; /* place of maxima, or without data */
  wavesmith_pointwise_operand begins, columns_of, weights;
} wavesmith_sparse_description;

WAVESMITH_KERNELS_API wavesmith_kernels_status
wavesmith_kernels_sparse(const wavesmith_sparse_description* sparse, void* stream);

#ifdef __cplusplus
}
#endif
