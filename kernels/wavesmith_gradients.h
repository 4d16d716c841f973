/* The gradients of operations on rows, for training. Part of the kernel library: see wavesmith_kernels.h for
 * statuses, messages and streams, and for the operations. */
#pragma once

#include "wavesmith_types.h"

#ifdef __cplusplus
extern "C" {
#endif

/* The gradients of RMSNorm and LayerNorm: of a sum that grows by dy * y, what it grows by with x, the weight
 * and the bias. Of each row, with its mean (0 in RMSNorm) and its factor 1 / sqrt(mean((x - mean)^2) +
 * epsilon):
 *
 *   normal = (x - mean) * factor,  scaled = dy * (weight + weight_offset)
 *   dx = factor * (scaled - normal * mean(scaled * normal)) + added                 (RMSNorm)
 *   dx = factor * (scaled - normal * mean(scaled * normal) - mean(scaled)) + added  (centred: LayerNorm)
 *
 * and over all rows dweight = sum of dy * normal, dbias = sum of dy, both 0 where there are no rows. `added`
 * is what else the sum grows by with x: the gradient of a residual's sum. dx, dweight and dbias are not made
 * where they are null. Means and factors of rows are f32; without `factors` both are computed from x.
 *
 * Matrices and vectors are f32, f16 or bf16. Sums are f32, in an order that depends on the sizes, types and
 * alignment only. With u = 2^-24, k = columns / 2048 + 24, A and B the means of |scaled * normal| and (if
 * centred, otherwise 0) of |scaled|, and E the error of normal, the error of dx is at most
 *
 *   |factor| * (2 * k * u * (|scaled| + |normal| * A + B) + E * A + |normal| * mean(|scaled| * E)) + u * |dx|
 *
 * and that of dweight the sum of |dy| * (E + (rows / 32 + 64) * u * |normal|), of dbias (rows / 32 + 64) * u
 * times the sum of |dy|; then they are rounded to their types. E is k * u * |normal|, and where statistics
 * are computed k * u * (|normal| + (1 + 2 * |normal|) * factor * mean(|x|)) (the last term if centred) more.
 * A NaN or infinity spoils its row of dx, its column of dbias, and dweight.
 *
 * dx may be written over x, dy or added. Other overlaps are refused. */
typedef struct {
  int64_t rows, columns;
  wavesmith_kernels_rows x, dy;
  wavesmith_kernels_rows dx, added; /* data null: none */
  const void* weight;               /* `columns` elements; null for none */
  void *dweight, *dbias;            /* `columns` elements; null for none */
  wavesmith_kernels_type weight_type, dweight_type, dbias_type;
  const float *means, *factors; /* of each row; null: computed. Means if centred only */
  float weight_offset, epsilon; /* the last is looked at where statistics are computed */
  int centred;
  /* What wavesmith_kernels_norm_backward_workspace says, aligned to 16 bytes. What is in it before and after
   * does not matter. */
  void* workspace;
  size_t workspace_bytes;
} wavesmith_kernels_norm_backward_description;

WAVESMITH_KERNELS_API wavesmith_kernels_status
wavesmith_kernels_norm_backward(const wavesmith_kernels_norm_backward_description* backward, void* stream);

/* The bytes of workspace that it takes. Statuses and messages are those of the launch, but for the workspace,
 * which is not looked at. */
WAVESMITH_KERNELS_API wavesmith_kernels_status wavesmith_kernels_norm_backward_workspace(
    const wavesmith_kernels_norm_backward_description* backward, size_t* bytes);

/* The gradient of wavesmith_kernels_softmax, from its results y, which are logarithms where `logarithm` is
 * set: of a sum that grows by dy * y, what it grows by with x.
 *
 *   dx = scale * y * (dy - sum(dy * y))        dx = scale * (dy - e^y * sum(dy))  (logarithm)
 *
 * f32, f16 or bf16. Sums are f32, in an order that depends on `columns`, the types and the alignment only.
 * With u = 2^-24 and k = columns / 2048 + 16 the error of dx is at most
 *   |scale| * |y| * (k * u * sum(|dy * y|) + 4 * u * |dy - sum(dy * y)|)
 * and of a logarithm's
 *   |scale| * ((e^y * (k + 2 * |y| + 6) * u + 2^-126) * sum(|dy|) + 2 * u * |dy|),
 * to which rounding to dx's type comes. A NaN or infinity spoils its row and no other, but for a y of minus
 * infinity among logarithms, whose dx is scale * dy. dx may be written over y or dy. */
typedef struct {
  int64_t rows, columns;
  wavesmith_kernels_rows y, dy, dx;
  float scale;
  int logarithm;
} wavesmith_kernels_softmax_backward_description;

WAVESMITH_KERNELS_API wavesmith_kernels_status wavesmith_kernels_softmax_backward(
    const wavesmith_kernels_softmax_backward_description* backward, void* stream);

/* The gradients of wavesmith_kernels_gate: of a sum that grows by dy * y, what it grows by with gate and up,
 * element by element.
 *
 *   dgate = dy * up * activation'(gate),  dup = dy * activation(gate)
 *
 * Without an `up` (data null) it counts as 1, and there is no dup. Each is made where its data are not null.
 * The slope of relu is 0 at 0. f32, f16 or bf16. The error of dgate is at most 2^-20 * |dy * up|, of dup
 * 2^-20 * |dy * gate|, to which rounding to their types comes; an infinite gate may make NaN. For gate and up
 * that lie side by side in one matrix give it twice, and dgate and dup likewise. They may be written over
 * gate, up or dy. */
typedef struct {
  int64_t rows, columns;
  wavesmith_kernels_rows gate, up, dy, dgate, dup;
  wavesmith_kernels_activation activation;
} wavesmith_kernels_gate_backward_description;

WAVESMITH_KERNELS_API wavesmith_kernels_status
wavesmith_kernels_gate_backward(const wavesmith_kernels_gate_backward_description* backward, void* stream);

/* The gradients of weighted sums of rows, as the results x of a token's experts are combined: of y[t], the
 * sum of weights[r] * x[r] over the rows r whose token tokens_of[r] is t,
 *
 *   dx[r] = weights[r] * dy[tokens_of[r]],  dweights[r] = the sum of dy[tokens_of[r]] * x[r]
 *
 * A row whose token is negative is of none: its gradients are 0. One that is not less than `tokens` stops the
 * kernel. dx and dweights are made where they are not null; without dweights x is not read.
 *
 * Matrices are f32, f16 or bf16. Sums are f32, in an order that depends on `columns` only. The error of dx is
 * at most 2^-24 |dx|, to which rounding to its type comes, of dweights (columns / 2048 + 24) * 2^-24 times
 * the sum of |dy * x|. dx may be written over x. Other overlaps are refused. */
typedef struct {
  int64_t rows, columns; /* of x and dx */
  int64_t tokens;        /* rows of dy */
  wavesmith_kernels_rows x, dy, dx;
  const int32_t* tokens_of; /* of each row, in the device's memory, as the following */
  const float* weights;     /* of each row; null: all 1 */
  float* dweights;          /* of each row */
} wavesmith_kernels_combine_backward_description;

WAVESMITH_KERNELS_API wavesmith_kernels_status wavesmith_kernels_combine_backward(
    const wavesmith_kernels_combine_backward_description* backward, void* stream);

#ifdef __cplusplus
}
#endif
