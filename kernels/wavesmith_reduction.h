/* Reductions of strided arrays along any dimensions, of any of the types of wavesmith_pointwise.h. */
#pragma once

#include "wavesmith_pointwise.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef WAVESMITH_KERNELS_ENUM{
    WAVESMITH_REDUCTION_SUM = 0,
    WAVESMITH_REDUCTION_MEAN = 1, /* the sum divided by p */
    WAVESMITH_REDUCTION_PRODUCT = 2,
    WAVESMITH_REDUCTION_MAXIMUM = 3, /* NaN where an element is, as all of maxima and minima */
    WAVESMITH_REDUCTION_MINIMUM = 4,
    WAVESMITH_REDUCTION_ALL = 5, /* 1 where no element is 0 */
    WAVESMITH_REDUCTION_ANY = 6,
    WAVESMITH_REDUCTION_COUNT = 7,           /* of elements that are not 0 */
    WAVESMITH_REDUCTION_SUM_OF_SIZES = 8,    /* of |x| */
    WAVESMITH_REDUCTION_ROOT_OF_SQUARES = 9, /* sqrt(sum of x^2); of F32 and F64, as the following */
    WAVESMITH_REDUCTION_LARGEST_SIZE = 10,
    WAVESMITH_REDUCTION_SMALLEST_SIZE = 11,
    WAVESMITH_REDUCTION_ROOT_OF_POWERS = 12, /* (sum of |x|^p)^(1/p) */
    WAVESMITH_REDUCTION_VARIANCE = 13, /* sum of (x - mean)^2, divided by n - p, or 0 if that is less; of F64.
                                          The second result is the mean */
    WAVESMITH_REDUCTION_DEVIATION = 14, /* its root */
    /* The first index at which the extreme is, along the reduced dimension, of which there is one; of NaN's
       the first. The second result is the index. */
    WAVESMITH_REDUCTION_MAXIMUM_PLACE = 15,
    WAVESMITH_REDUCTION_MINIMUM_PLACE = 16,
} wavesmith_reduction_operation;

/* y and second, whose strides along reduced dimensions are not read, are the results of all elements of x
 * that have the same coordinates along the others; either may have no data. Types and strides are as above;
 * of elements there is at least one per result.
 *
 * Errors, before a result is rounded to y's type: of sums e n times the sum of sizes, with n the number of
 * terms and e 2^-24 for F32, 2^-53 for F64; of products e n of the result; roots half of that of what they
 * are taken from, and 8 e. What is computed in parts is the same in every run. */
typedef struct {
  wavesmith_reduction_operation operation;
  wavesmith_pointwise_type computed_in; /* F32, F64 or I64 */
  int32_t dimensions;
  int32_t reduced; /* bit d: dimension d is */
  int64_t sizes[WAVESMITH_POINTWISE_DIMENSIONS];
  wavesmith_pointwise_operand x, y, second;
  double p;
  void* workspace; /* aligned to 16 bytes */
  size_t workspace_bytes;
} wavesmith_reduction_description;

/* The bytes of workspace that it needs; 0 for what is refused, too. */
WAVESMITH_KERNELS_API size_t
wavesmith_kernels_reduce_strided_workspace(const wavesmith_reduction_description* reduction);
WAVESMITH_KERNELS_API wavesmith_kernels_status
wavesmith_kernels_reduce_strided(const wavesmith_reduction_description* reduction, void* stream);

#ifdef __cplusplus
}
#endif
