/* Convolutions of one to three dimensions and their gradients, of tensors of any layout. Part of the kernel
 * library: see wavesmith_kernels.h for statuses, messages and streams. */
#pragma once

#include "wavesmith_types.h"

#ifdef __cplusplus
extern "C" {
#endif

enum { WAVESMITH_CONVOLUTION_SPACE = 3 };

/* Which tensor is computed from the two others. */
typedef WAVESMITH_KERNELS_ENUM{
    WAVESMITH_CONVOLUTION_OUTPUT = 0,  /* y */
    WAVESMITH_CONVOLUTION_INPUT = 1,   /* x becomes its gradient, where y is the output's */
    WAVESMITH_CONVOLUTION_WEIGHTS = 2, /* w becomes its gradient, where y is the output's */
} wavesmith_convolution_direction;

/* A tensor in the device's memory, aligned to its elements. Strides are in elements and not negative; the
 * first two dimensions are those that the description names, space follows. */
typedef struct {
  void* data;
  wavesmith_kernels_type type;
  int64_t sizes[2 + WAVESMITH_CONVOLUTION_SPACE], strides[2 + WAVESMITH_CONVOLUTION_SPACE];
} wavesmith_convolution_tensor;

/* y[n][k][p] = sum over c and the window's taps t of x[n][g * C + c][p * step + t * dilation - padding] *
 * w[k][c][t], where x is 0 outside, g is the group of k, and C the channels of a group: the weights are not
 * turned around.
 *
 *   x: images, channels, space    w: outputs, channels of a group, window    y: images, outputs, space
 *
 * Types are f32, f16 and bf16; the two tensors that are read have one type. Sums are f32. The error of one is
 * at most (count + 1) * 2^-24 times the sum of its products' sizes, to which rounding to the result's type
 * comes. The order of a sum depends on the sizes, the strides, the size of the workspace and the GPU only.
 * NaN and infinities propagate, also to sums in which a zero of the padding, or of a gradient's steps, meets
 * them. What is written overlaps nothing else. Subnormal inputs may count as 0 on CDNA2. */
typedef struct {
  wavesmith_convolution_direction direction;
  int32_t dimensions;                           /* of space, 1 to 3 */
  int64_t padding[WAVESMITH_CONVOLUTION_SPACE]; /* on both sides */
  int64_t step[WAVESMITH_CONVOLUTION_SPACE], dilation[WAVESMITH_CONVOLUTION_SPACE];
  int64_t groups;
  wavesmith_convolution_tensor x, w, y;
  void* workspace; /* aligned to 16 bytes */
  size_t workspace_bytes;
} wavesmith_convolution_description;

/* The bytes of workspace that it needs on the current device, of tensors that are aligned as these addresses
 * are. Statuses and messages are those of the launch; neither the workspace nor what tensors point to is
 * looked at. */
WAVESMITH_KERNELS_API wavesmith_kernels_status
wavesmith_kernels_convolution_workspace(const wavesmith_convolution_description* convolution, size_t* bytes);

/* With a status other than SUCCESS the result may have been written in part. */
WAVESMITH_KERNELS_API wavesmith_kernels_status
wavesmith_kernels_convolution(const wavesmith_convolution_description* convolution, void* stream);

#ifdef __cplusplus
}
#endif
