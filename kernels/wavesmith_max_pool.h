/* The largest elements of windows, and their gradients. Part of the kernel library: see wavesmith_kernels.h
 * for statuses, messages and streams; types are those of wavesmith_pointwise.h. */
#pragma once

#include "wavesmith_pointwise.h"

#ifdef __cplusplus
extern "C" {
#endif

/* y = the largest of the elements of x that a window sees, NaN where one is, and `place` its number in the
 * plane, row by row. Of several that are as large it is the first one, of several NaN the last one. A window
 * that sees none has the least number of x's type, minus infinity of floats, and the place at which it
 * begins.
 *
 * Along a dimension, window w sees begin + i * dilation for i below `window`, where that is within the size.
 * It begins at w * stride - padding or, where there are samples, at trunc((w + s) * a) - trunc(s * a) with
 * a = (size - window) / (places - 1), and the last one at size - window: stride, padding and dilation are not
 * looked at, then. s is a number in 0 to 1 of each plane and dimension. With `adaptive` it sees what is from
 * floor(w * size / places) to before ceil((w + 1) * size / places), and neither `window` is looked at.
 *
 * Sizes and strides are of the last dimension first; what there is not has size, places, window, stride and
 * dilation 1 and padding 0. Strides go on with channels and batches, those of samples are of the dimension's
 * number, channels and batches. y and samples are of x's type, any real one and a float with samples; place
 * is of I64. */
typedef struct {
  int64_t sizes[3], places[3], window[3], stride[3], padding[3], dilation[3];
  int64_t channels, batches;
  wavesmith_pointwise_operand x, y, place;
  wavesmith_pointwise_operand samples; /* or without data */
  int32_t adaptive;                    /* without samples */
} wavesmith_max_pool_description;

WAVESMITH_KERNELS_API wavesmith_kernels_status
wavesmith_kernels_max_pool(const wavesmith_max_pool_description* pool, void* stream);

/* Each element's sum of what is upstream of the windows whose `place` it is, in the windows' order; so it is
 * the same in every run. Only windows that see the element are looked at. `forward.x` is written, `forward.y`
 * is what is upstream; both are of floats. With `random` windows began at samples, which are not needed any
 * more. F32 adds F16, BF16 and F32. */
typedef struct {
  wavesmith_max_pool_description forward; /* whose samples are not looked at */
  int32_t random;
} wavesmith_max_pool_gradient_description;

WAVESMITH_KERNELS_API wavesmith_kernels_status
wavesmith_kernels_max_pool_gradient(const wavesmith_max_pool_gradient_description* gradient, void* stream);

#ifdef __cplusplus
}
#endif
