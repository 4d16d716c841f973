/* Elements of strided arrays that other arrays name by their indices: gathering, scattering, adding up. Types
 * are those of wavesmith_pointwise.h. */
#pragma once

#include "wavesmith_pointwise.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef WAVESMITH_KERNELS_ENUM{
    WAVESMITH_INDEXED_GET = 0, /* y = x, x lying where the indices say */
    WAVESMITH_INDEXED_PUT =
        1, /* y = x, y lying where they say; where two go to the same place either is kept */
    WAVESMITH_INDEXED_ADD =
        2, /* y += x, as PUT, in any order; y is of I64, F32 or F64, in which x is added */
    /* As ADD, of y and x the larger, the smaller (NaN where either is) and the product. */
    WAVESMITH_INDEXED_MAXIMUM = 3,
    WAVESMITH_INDEXED_MINIMUM = 4,
    WAVESMITH_INDEXED_MULTIPLY = 5,
} wavesmith_indexed_operation;

enum { WAVESMITH_INDEXED_INDICES = 4 };

/* An array of I32 or I64 with an index for each element. A negative index counts from the end of `size`, if
 * such are `wrapped`; one that is not in [-size, size), or else in [0, size), stops the kernel. */
typedef struct {
  wavesmith_pointwise_operand indices;
  int64_t size;   /* of the dimension that is indexed */
  int64_t stride; /* bytes between its elements */
  int32_t wrapped;
} wavesmith_indexed_dimension;

/* For all coordinates i within the sizes: the element of the array that is indexed is at data + sum of i[d] *
 * strides[d] + sum of index * stride. GET and PUT move elements of a type of the same size, for which any
 * type of that size may be given: x and y have one type. Bounds are those of wavesmith_kernels_pointwise,
 * without what the indices add. */
typedef struct {
  wavesmith_indexed_operation operation;
  int32_t dimensions;
  int64_t sizes[WAVESMITH_POINTWISE_DIMENSIONS];
  wavesmith_pointwise_operand y, x;
  int32_t indexed; /* how many dimensions are, 1 to 4 */
  wavesmith_indexed_dimension index[WAVESMITH_INDEXED_INDICES];
} wavesmith_indexed_description;

WAVESMITH_KERNELS_API wavesmith_kernels_status
wavesmith_kernels_indexed(const wavesmith_indexed_description* indexed, void* stream);

#ifdef __cplusplus
}
#endif
