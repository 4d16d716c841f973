/* Sampling of images and volumes at the places that a grid names, and its gradients. Part of the kernel
 * library: see wavesmith_kernels.h for statuses, messages and streams; types are those of
 * wavesmith_pointwise.h. */
#pragma once

#include "wavesmith_pointwise.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef WAVESMITH_KERNELS_ENUM{
    WAVESMITH_GRID_SAMPLE_LINEAR = 0,
    WAVESMITH_GRID_SAMPLE_NEAREST = 1, /* of two that are as near the even one */
    WAVESMITH_GRID_SAMPLE_CUBIC = 2,   /* of two dimensions, with a = -0.75 */
} wavesmith_grid_sample_mode;

/* What a place outside of x is. */
typedef WAVESMITH_KERNELS_ENUM{
    WAVESMITH_GRID_SAMPLE_ZEROS = 0,
    WAVESMITH_GRID_SAMPLE_BORDER = 1,
    WAVESMITH_GRID_SAMPLE_REFLECTION =
        2, /* at the outer elements, or at their outer edges without `aligned` */
} wavesmith_grid_sample_padding;

/* y[n][c][place] = x of n and c at grid[n][place], for which the grid has a number of each of x's
 * `dimensions`, of the last one first: -1 is the first element and 1 the last one if `aligned`, else the
 * outer edges of these. What is no place (NaN, infinity, beyond 2^31) counts as one outside.
 *
 * x's strides are of its last dimension, the others, channels and batches. y's are of places, of which the
 * grid has `places` for each batch, channels and batches; the grid's of its numbers, places and batches. All
 * are of one type among F16, BF16, F32 and F64; F32 computes, or F64 of F64. */
typedef struct {
  wavesmith_grid_sample_mode mode;
  wavesmith_grid_sample_padding padding;
  int32_t aligned;
  int32_t dimensions; /* 2 or 3 */
  int64_t sizes[3];   /* x's, the last one first; none is 0 */
  int64_t batches, channels, places;
  wavesmith_pointwise_operand x, grid, y;
} wavesmith_grid_sample_description;

WAVESMITH_KERNELS_API wavesmith_kernels_status
wavesmith_kernels_grid_sample(const wavesmith_grid_sample_description* sampling, void* stream);

/* The gradients with respect to x and the grid of the sum of y * upstream, which has y's strides. That of x
 * is added to what is there, by atomics in any order, and is of the type that computes; without data it is
 * left out. That of the grid is stored; it is 0 of the nearest elements. */
typedef struct {
  wavesmith_grid_sample_description forward; /* whose y is not looked at */
  wavesmith_pointwise_operand upstream, x_gradient, grid_gradient;
} wavesmith_grid_sample_gradient_description;

WAVESMITH_KERNELS_API wavesmith_kernels_status wavesmith_kernels_grid_sample_gradient(
    const wavesmith_grid_sample_gradient_description* gradient, void* stream);

#ifdef __cplusplus
}
#endif
