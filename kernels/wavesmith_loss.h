/* The loss of a classification with many classes, such as a language model's next token, and its gradient,
 * each in one pass over the logits and without their softmax in memory. Part of the kernel library: see
 * wavesmith_kernels.h for statuses, messages and streams. */
#pragma once

#include "wavesmith_kernels.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Of row i of the logits x, with the class t = targets[i]:
 *
 *   logs[i]   = log(sum of e^x[j])
 *   losses[i] = logs[i] - (1 - smoothing) * x[t] - smoothing / classes * (sum of x[j])
 *
 * Both are f32; a row whose target is `ignored` has the loss 0. A target that is no class stops the kernel.
 * Logits are f32, f16 or bf16. A row with NaN or infinity has a loss of NaN, or infinity where only x[t] is
 * minus infinity; x[j] of minus infinity elsewhere counts as a class that cannot be.
 *
 * logs are off by 2^-16 + classes * 2^-34, and 2^-21 times the largest finite size of a logit; losses by
 * that, 2^-22 times the sizes of the other terms and of the loss, and (40 + classes / 2^10) * 2^-24 times
 * smoothing / classes times the sum of sizes. */
typedef struct {
  int64_t rows, classes;
  wavesmith_kernels_rows logits;
  const int64_t* targets;
  int64_t ignored;
  double smoothing; /* from 0 to 1 */
  float *losses, *logs;
} wavesmith_cross_entropy_description;

WAVESMITH_KERNELS_API wavesmith_kernels_status
wavesmith_kernels_cross_entropy(const wavesmith_cross_entropy_description* entropy, void* stream);

/* The gradient with respect to the logits of the sum of upstream[i] * losses[i], or upstream[0] times it with
 * an `upstream_stride` of 0, times `factor`:
 *
 *   gradient[i][j] = upstream[i] * factor * (e^(x[j] - logs[i]) - (1 - smoothing) * [j = t] - smoothing /
 * classes)
 *
 * and 0 in rows that are ignored, whatever their logits are. It may lie where the logits do, with the same
 * type and stride. Off by 2^-20 * (1 + |x[j]| + |logs[i]|) of the terms' sizes, then rounded to its type. */
typedef struct {
  wavesmith_cross_entropy_description forward; /* whose losses are not looked at, and whose logs are read */
  const float* upstream;
  int64_t upstream_stride; /* 1 or 0 */
  double factor;
  wavesmith_kernels_rows gradient;
} wavesmith_cross_entropy_gradient_description;

WAVESMITH_KERNELS_API wavesmith_kernels_status wavesmith_kernels_cross_entropy_gradient(
    const wavesmith_cross_entropy_gradient_description* gradient, void* stream);

#ifdef __cplusplus
}
#endif
