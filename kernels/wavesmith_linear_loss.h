/* Cross entropy of a linear layer, such as a language model's last one, and its gradients, without the logits
 * of all classes in memory. Part of the kernel library: see wavesmith_kernels.h for statuses, messages and
 * streams. */
#pragma once

#include "wavesmith_types.h"

#ifdef __cplusplus
extern "C" {
#endif

/* wavesmith_kernels_cross_entropy of the logits x * weights^T, which are rounded to x's type and exist for a
 * part of the classes at a time: as many as the workspace has room for.
 *
 * x and the weights are f16 or bf16, both of one type. The error of a logit is at most e = (features + 1) *
 * 2^-24 * (|x| * |w|) + u * |logit|, with u half the distance of two numbers of the type at 1 (2^-11, 2^-8),
 * that of a loss twice the largest of its row, to which cross entropy's own comes. The order of sums depends
 * on the sizes, the workspace's size and the GPU only. */
typedef struct {
  int64_t rows, features, classes;
  wavesmith_kernels_rows x;       /* rows of `features` */
  wavesmith_kernels_rows weights; /* classes of `features` */
  const int64_t* targets;         /* of each row; one that is no class and not `ignored` stops the kernel */
  int64_t ignored;
  double smoothing; /* from 0 to 1 */
  float *losses, *logs;
  void* workspace; /* aligned to 16 bytes; what is in it before and after does not matter */
  size_t workspace_bytes;
} wavesmith_linear_cross_entropy_description;

/* The bytes of workspace with which it is thought to take the least time. It does with fewer, down to what
 * 256 classes at a time need, in more parts; with more, in fewer. Statuses and messages are those of the
 * launch, but for the workspace, which is not looked at. */
WAVESMITH_KERNELS_API wavesmith_kernels_status wavesmith_kernels_linear_cross_entropy_workspace(
    const wavesmith_linear_cross_entropy_description* entropy, size_t* bytes);

WAVESMITH_KERNELS_API wavesmith_kernels_status wavesmith_kernels_linear_cross_entropy(
    const wavesmith_linear_cross_entropy_description* entropy, void* stream);

/* Its gradients: of a sum that grows by upstream[i] * factor times losses[i], or upstream[0] with an
 * `upstream_stride` of 0, what it grows by with x and with the weights. The logits of each part are computed
 * anew, and their gradient G takes their place, rounded to x's type:
 *
 *   dx = G * weights,  dweights = G^T * x
 *
 * Each is made where its data are not null, of f32, f16 or bf16; sums of dx over the parts are f32. The error
 * of G is cross entropy's, e of its row times |G| and u * |G|, that of a gradient's element the sum of these
 * times the other operand's sizes, and (n + parts + 1) * 2^-24 times the sum of n products' sizes, to which
 * rounding to its type comes. */
typedef struct {
  /* Whose losses are not looked at, and whose logs are read. */
  wavesmith_linear_cross_entropy_description forward;
  const float* upstream;
  int64_t upstream_stride; /* 1 or 0 */
  double factor;
  wavesmith_kernels_rows dx, dweights;
} wavesmith_linear_cross_entropy_gradient_description;

WAVESMITH_KERNELS_API wavesmith_kernels_status wavesmith_kernels_linear_cross_entropy_gradient_workspace(
    const wavesmith_linear_cross_entropy_gradient_description* gradient, size_t* bytes);

/* With a status other than SUCCESS the results may have been written in part. */
WAVESMITH_KERNELS_API wavesmith_kernels_status wavesmith_kernels_linear_cross_entropy_gradient(
    const wavesmith_linear_cross_entropy_gradient_description* gradient, void* stream);

#ifdef __cplusplus
}
#endif
