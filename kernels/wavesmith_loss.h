/* The loss of a classification with many classes, such as a language model's next token, and its gradient,
 * each in one pass over the logits and without their softmax in memory; losses with margins between classes.
 * Part of the kernel library: see wavesmith_kernels.h for statuses, messages and streams. */
#pragma once

#include "wavesmith_pointwise.h"

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
 * smoothing / classes times the sum of sizes.
 *
 * The classes may come in parts, of which the logits of one are in memory at a time: with `all_classes` not 0
 * these are the `classes` from `first_class` on of so many, and targets are numbers among all of them. Parts
 * follow each other without gaps, and each is a call with the same rows, targets, logs and state. Calls begin
 * with the class 0, and the one that has the last class writes losses. Between them logs are those of the
 * classes so far, and `state` has what else has to be kept. Each part after the first makes logs wrong by
 * 2^-21 * (1 + |logs[i]|) more. */
typedef struct {
  int64_t rows, classes;
  wavesmith_kernels_rows logits;
  const int64_t* targets;
  int64_t ignored;
  double smoothing; /* from 0 to 1 */
  float *losses, *logs;
  int64_t first_class, all_classes; /* 0 and 0: these are all */
  float* state;                     /* of parts: 2 * rows numbers */
} wavesmith_cross_entropy_description;

WAVESMITH_KERNELS_API wavesmith_kernels_status
wavesmith_kernels_cross_entropy(const wavesmith_cross_entropy_description* entropy, void* stream);

/* The gradient with respect to the logits of the sum of upstream[i] * losses[i], or upstream[0] times it with
 * an `upstream_stride` of 0, times `factor`:
 *
 *   gradient[i][j] = upstream[i] * factor * (e^(x[j] - logs[i]) - (1 - smoothing) * [j = t] - smoothing /
 * classes)
 *
 * and 0 in rows that are ignored, whatever their logits are. Of classes in parts each part's gradient is a
 * call of its own, in any order, with the logs of all. It may lie where the logits do, with the same type and
 * stride. Off by 2^-20 * (1 + |x[j]| + |logs[i]|) of the terms' sizes, then rounded to its type. */
typedef struct {
  /* Whose losses and state are not looked at, and whose logs are read. */
  wavesmith_cross_entropy_description forward;
  const float* upstream;
  int64_t upstream_stride; /* 1 or 0 */
  double factor;
  wavesmith_kernels_rows gradient;
} wavesmith_cross_entropy_gradient_description;

WAVESMITH_KERNELS_API wavesmith_kernels_status wavesmith_kernels_cross_entropy_gradient(
    const wavesmith_cross_entropy_gradient_description* gradient, void* stream);

/* How far classes come within a margin of a row's targets: of row i of x, and e(t, j) = margin - x[t] + x[j],
 *
 *   of one target t = targets[i]:  losses[i][j] = factor * weights[t] * e(t, j)^power where e > 0 and j != t
 *   of several:                    losses[i][j] = factor * (sum of those e(t, j) over targets t that are > 0)
 *                                  where j is no target; targets[i] are as many as there are classes, of
 *                                  which those count that come before the first negative one
 *
 * and 0 elsewhere: the sum of `losses` is the loss. Rows follow each other without gaps. A target that is no
 * class stops the kernel. An e that is NaN counts as 0.
 *
 * It is computed in F32, in F64 if `type` is that, with an error of 2^-21 (2^-50) times factor, weight and
 * the sizes of the terms of e, squared for power 2; of several n / 4 times that for n targets. */
typedef struct {
  int64_t rows, classes;         /* fewer than 2^31 elements in all */
  wavesmith_pointwise_type type; /* of x, weights and is_target: F16, BF16, F32 or F64 */
  const void* x;
  const int64_t* targets;
  int32_t several;
  int32_t power; /* of one target: 1 or 2 */
  double margin, factor;
  const void* weights; /* of one target, one for each class; null: 1 */
  void* is_target;     /* of several, as x: gets 1 for a class that is a target, else 0 */
  void* losses;        /* as x, of F64 if x is, else of F32 */
} wavesmith_margin_description;

WAVESMITH_KERNELS_API wavesmith_kernels_status
wavesmith_kernels_margin(const wavesmith_margin_description* margin, void* stream);

/* The gradient with respect to x of the sum of upstream[i] * losses[i][j], or upstream[0] times it with an
 * `upstream_stride` of 0. Of power 1 it has no rounding but that of a few products. */
typedef struct {
  wavesmith_margin_description forward; /* whose losses are not looked at, and whose is_target is read */
  const void* upstream;                 /* of x's type, as the gradient */
  int64_t upstream_stride;              /* 1 or 0 */
  void* gradient;
} wavesmith_margin_gradient_description;

WAVESMITH_KERNELS_API wavesmith_kernels_status
wavesmith_kernels_margin_gradient(const wavesmith_margin_gradient_description* gradient, void* stream);

#ifdef __cplusplus
}
#endif
