/* Discrete Fourier transforms of strided arrays, of any length, along one of their dimensions. Part of the
 * kernel library: see wavesmith_kernels.h for statuses, messages and streams. */
#pragma once

#include "wavesmith_pointwise.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef WAVESMITH_KERNELS_ENUM{
    WAVESMITH_FFT_COMPLEX = 0,   /* from complex numbers, or real ones, to complex numbers */
    WAVESMITH_FFT_FROM_REAL = 1, /* from n real numbers to the first n / 2 + 1 results */
    WAVESMITH_FFT_TO_REAL = 2, /* from such n / 2 + 1 numbers, for the others are their conjugates, to n real
                                  ones: the imaginary parts of the first, and of the last of an even n, count
                                  as 0 */
} wavesmith_fft_kind;

/* y[k] = scale * the sum of x[j] e^(-2 pi i j k / n) over j from 0 to n - 1, backward of e^(2 pi i j k / n),
 * along one dimension, for each place in the others. n is the size of that dimension: of x and y, or of the
 * one that is real, and then the other's size is n / 2 + 1.
 *
 * x and y are C64, or F32 where they are real, or both of C128 and F64, and that is what it computes in. y
 * may be x where both are complex and have the same strides; any other overlap gives undefined elements.
 *
 * With u = 2^-24 (2^-53) and n = 2^a 3^b 5^c 7^d, the errors of a line have a root of the sum of their
 * squares that is at most 4 u log2(2 n) times that of the line's exact results, all n of them. A prime factor
 * p from 11 to 31 adds u p to that for each time that it divides n, and lengths with larger ones have four
 * times that of the power of two that is at least 2 n - 1. A result depends on its line alone, and is the
 * same in each run.
 *
 * There are kernels for n up to 2^24, in C128 2^23. All elements must be within 2^31 bytes, and fewer than
 * 2^31. */
typedef struct {
  wavesmith_fft_kind kind;
  int backward;                                  /* 0: forward */
  int32_t dimensions;                            /* at least 1 */
  int32_t along;                                 /* the dimension that is transformed */
  int64_t sizes[WAVESMITH_POINTWISE_DIMENSIONS]; /* that of `along` is n */
  wavesmith_pointwise_operand x, y;
  double scale;
  void* workspace; /* of as many bytes as wavesmith_kernels_fft_workspace says, aligned to 16 */
  size_t workspace_bytes;
} wavesmith_fft_description;

/* Bytes; 0 for what is refused. */
WAVESMITH_KERNELS_API size_t wavesmith_kernels_fft_workspace(const wavesmith_fft_description* fft);

WAVESMITH_KERNELS_API wavesmith_kernels_status wavesmith_kernels_fft(const wavesmith_fft_description* fft,
                                                                     void* stream);

#ifdef __cplusplus
}
#endif
