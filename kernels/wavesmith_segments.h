/* Reductions of segments, which follow each other along a dimension and have lengths of their own, and their
 * gradients. Part of the kernel library: see wavesmith_kernels.h for statuses, messages and streams; types
 * are those of wavesmith_pointwise.h. */
#pragma once

#include "wavesmith_pointwise.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef WAVESMITH_KERNELS_ENUM{
    WAVESMITH_SEGMENTS_SUM = 0,
    WAVESMITH_SEGMENTS_MEAN = 1, /* of none NaN, unless an initial number is given */
    WAVESMITH_SEGMENTS_MAXIMUM = 2,
    WAVESMITH_SEGMENTS_MINIMUM = 3, /* of these two NaN, where one is */
    WAVESMITH_SEGMENTS_PRODUCT = 4,
} wavesmith_segments_operation;

/* y[o][s][i] = the reduction of x[o][j][i] for the j of segment s, which ends before ends[o][s] and begins at
 * begins[o][s] or, without data, lengths[o][s] before its end. What of it is not within the length counts for
 * nothing, but a mean divides by the whole segment's length. Each reduction begins with `initial` where
 * has_initial is not 0, a mean too, else with what changes nothing.
 *
 * x and y are of one type among F16, BF16, F32 and F64; F32 computes, or F64 of F64, one element after the
 * other. Strides are those of the dimensions from the last on: x's and y's have three. ends, begins and
 * lengths are of I32 or I64, with strides of segments and of the outer dimension.
 *
 * Errors before y is rounded: e (n + 2) times the sum of sizes of n terms, of products times their size. */
typedef struct {
  wavesmith_segments_operation operation;
  int64_t outer, segments, length, inner;
  wavesmith_pointwise_operand x, y, ends, begins, lengths;
  int32_t has_initial;
  double initial;
} wavesmith_segments_description;

WAVESMITH_KERNELS_API wavesmith_kernels_status
wavesmith_kernels_segments(const wavesmith_segments_description* segments, void* stream);

/* Writes the gradient with respect to x of the sum of y * upstream, where x is in a segment: elsewhere what
 * is there stays. What equals an extreme has its whole gradient, but shares one above 0; so has NaN. Of a
 * product, what is 0 or NaN has the others' product, anything else y / x. */
typedef struct {
  wavesmith_segments_description forward;         /* whose y was computed */
  wavesmith_pointwise_operand upstream, gradient; /* with y's and x's dimensions */
} wavesmith_segments_gradient_description;

WAVESMITH_KERNELS_API wavesmith_kernels_status
wavesmith_kernels_segments_gradient(const wavesmith_segments_gradient_description* gradient, void* stream);

#ifdef __cplusplus
}
#endif
