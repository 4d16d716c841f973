/* Operations on rows and on elements: norms, softmax, gates, reductions, quantisation. Part of the kernel
 * library: see wavesmith_kernels.h for messages and streams. */
#pragma once

#include "wavesmith_types.h"

#ifdef __cplusplus
extern "C" {
#endif

/* RMSNorm and LayerNorm of each row x of `columns` elements, with s = x, or x + residual rounded to sum's
 * type:
 *
 *   y = s / sqrt(mean(s^2) + epsilon) * (weight + weight_offset) + bias               (RMSNorm)
 *   y = (s - mean(s)) / sqrt(variance(s) + epsilon) * (weight + weight_offset) + bias (centred: LayerNorm)
 *
 * Without a weight the factor is 1; `weight_offset` is 1 in models that keep weight - 1. The variance divides
 * by `columns`. Sums are f32, in an order that depends on `columns`, the types and the matrices'
 * alignment only; the error of a mean is at most columns * 2^-24 of the mean of the absolute values. A NaN or
 * infinity spoils its row and no other.
 *
 * A residual needs a sum, which may be written over the residual or x; y may be written over x (or over the
 * residual, where the sum is elsewhere). Other overlaps are refused, those with weight and bias, too.
 *
 * y may be of i8 or a float of 8 bits. It is then quantised with `scales`, as wavesmith_kernels_quantise does
 * it, from the result in f32: unscaled, with a given scale, one per row or one per block. */
typedef struct {
  int64_t rows, columns;
  wavesmith_kernels_rows x, y;
  wavesmith_kernels_rows residual, sum; /* data null: none */
  const void* weight;                   /* `columns` elements; null for none */
  const void* bias;                     /* `columns` elements; null for none */
  wavesmith_kernels_type weight_type, bias_type;
  float weight_offset, epsilon;
  int centred;
  wavesmith_kernels_scales scales; /* of y */
} wavesmith_kernels_norm_description;

WAVESMITH_KERNELS_API wavesmith_kernels_status
wavesmith_kernels_norm(const wavesmith_kernels_norm_description* norm, void* stream);

/* y = e^(scale * x) / sum(e^(scale * x)) of each row, or its logarithm. The largest element of a row is
 * subtracted first, so nothing overflows. A row with a NaN, with plus infinity or with minus infinity alone
 * becomes NaN. y may be written over x. */
typedef struct {
  int64_t rows, columns;
  wavesmith_kernels_rows x, y;
  float scale;
  int logarithm;
} wavesmith_kernels_softmax_description;

WAVESMITH_KERNELS_API wavesmith_kernels_status
wavesmith_kernels_softmax(const wavesmith_kernels_softmax_description* softmax, void* stream);

/* y = activation(gate) * up, element by element; without an `up` (data null) activation(gate). For gate and
 * up that lie side by side in one matrix give it twice, the second time from its middle column on. y may be
 * written over gate or up. Of 8 bits it is quantised, as a norm's. */
typedef struct {
  int64_t rows, columns;
  wavesmith_kernels_rows gate, up, y;
  wavesmith_kernels_activation activation;
  wavesmith_kernels_scales scales; /* of y */
} wavesmith_kernels_gate_description;

WAVESMITH_KERNELS_API wavesmith_kernels_status
wavesmith_kernels_gate(const wavesmith_kernels_gate_description* gate, void* stream);

/* What an elementwise operation computes: of two numbers, then of one. */
typedef WAVESMITH_KERNELS_ENUM{
    WAVESMITH_KERNELS_ELEMENTWISE_ADD = 0,
    WAVESMITH_KERNELS_ELEMENTWISE_SUBTRACT = 1,
    WAVESMITH_KERNELS_ELEMENTWISE_MULTIPLY = 2,
    WAVESMITH_KERNELS_ELEMENTWISE_DIVIDE = 3,
    WAVESMITH_KERNELS_ELEMENTWISE_MINIMUM = 4, /* NaN where either is NaN; -0 is less than 0 */
    WAVESMITH_KERNELS_ELEMENTWISE_MAXIMUM = 5, /* as well */
    WAVESMITH_KERNELS_ELEMENTWISE_NEGATE = 6,
    WAVESMITH_KERNELS_ELEMENTWISE_ABSOLUTE = 7,
    WAVESMITH_KERNELS_ELEMENTWISE_EXP = 8,
    WAVESMITH_KERNELS_ELEMENTWISE_LOG = 9, /* the natural logarithm */
    WAVESMITH_KERNELS_ELEMENTWISE_SQRT = 10,
    WAVESMITH_KERNELS_ELEMENTWISE_RECIPROCAL_ROOT = 11, /* 1 / sqrt(x) */
    WAVESMITH_KERNELS_ELEMENTWISE_TANH = 12,
    WAVESMITH_KERNELS_ELEMENTWISE_SIGMOID = 13, /* 1 / (1 + e^-x) */
    WAVESMITH_KERNELS_ELEMENTWISE_RELU = 14,    /* the larger of x and 0; of NaN NaN */
    WAVESMITH_KERNELS_ELEMENTWISE_GELU = 15,    /* the approximation by tanh */
    WAVESMITH_KERNELS_ELEMENTWISE_SILU = 16,    /* x / (1 + e^-x) */
    WAVESMITH_KERNELS_ELEMENTWISE_SQUARE = 17,
} wavesmith_kernels_elementwise_operation;

/* y = f(X), or f(X, Z), element by element, with X = alpha * x and Z = beta * z, each rounded to f32. All
 * types are f32, f16 or bf16, in any mixture. z may have one row for all (a row stride of 0), one element per
 * row (z_column_stride 0, otherwise 1), or both: one element. Of an operation of one number nothing of z is
 * looked at. NaN stays NaN, also where a factor is 0.
 *
 * With f the exact result, y's error before it is rounded to y's type, to the nearest, ties to even, is at
 * most
 *     0                                       negation, absolute value, minimum, maximum, relu
 *     that of one correctly rounded operation sum, difference, product, quotient, square root, square
 *     2^-23 * |f|                             reciprocal root
 *     2^-22 * |f|                             exp, log; where e^x is subnormal, 2^-149 more
 *     2^-21 * |f|                             tanh
 *     2^-21 * |f| + 2^-126                    sigmoid
 *     2^-21 * |f| + 2^-126 * |X|              silu
 *     2^-20 * (1 + |t|) * |f| + 2^-126 * |X|  gelu, with t the argument of its tanh
 * These add the errors of the target's functions (1 ulp, AMD's ISA manuals) and of the roundings between them
 * (tile/precise.h).
 *
 * y may be written over x, or over a z of the same size; other overlaps are refused. */
typedef struct {
  int64_t rows, columns;
  wavesmith_kernels_elementwise_operation operation;
  float alpha, beta;
  wavesmith_kernels_rows x, z, y;
  int64_t z_column_stride;
} wavesmith_kernels_elementwise_description;

WAVESMITH_KERNELS_API wavesmith_kernels_status
wavesmith_kernels_elementwise(const wavesmith_kernels_elementwise_description* elementwise, void* stream);

/* Y = X, element by element, in each matrix of a batch: rows by columns elements, each matrix by rows or by
 * columns. Where one lies by rows and the other by columns, elements change places in memory: with Y's
 * strides exchanged Y is X transposed.
 *
 * X and Y are of one type, e2m1x2 aside, whose bits are copied as they are, or of f32, f16 and bf16 in any
 * mixture: rounded to the nearest, ties to even. X's batch stride may be 0; matrices of Y must not share
 * elements, and Y must not overlap X. */
typedef struct {
  int64_t rows, columns;
  int64_t batches; /* at most 65535; 1 for one matrix */
  wavesmith_kernels_matrix x, y;
} wavesmith_kernels_transpose_description;

WAVESMITH_KERNELS_API wavesmith_kernels_status
wavesmith_kernels_transpose(const wavesmith_kernels_transpose_description* transpose, void* stream);

typedef WAVESMITH_KERNELS_ENUM{
    WAVESMITH_KERNELS_REDUCE_SUM = 0,     /* without elements 0 */
    WAVESMITH_KERNELS_REDUCE_MEAN = 1,    /* without elements NaN */
    WAVESMITH_KERNELS_REDUCE_MAXIMUM = 2, /* without elements minus infinity */
    WAVESMITH_KERNELS_REDUCE_MINIMUM = 3, /* without elements infinity */
    WAVESMITH_KERNELS_REDUCE_SUM_OF_SQUARES = 4,
} wavesmith_kernels_reduction;

typedef WAVESMITH_KERNELS_ENUM{
    WAVESMITH_KERNELS_REDUCE_EACH_ROW = 0,    /* y has `rows` rows of one element */
    WAVESMITH_KERNELS_REDUCE_EACH_COLUMN = 1, /* y has one row of `columns` elements */
    WAVESMITH_KERNELS_REDUCE_ALL = 2,         /* y has one element */
} wavesmith_kernels_reduced;

/* y = what each row of x, each column or all of x is reduced to. Both are f32, f16 or bf16. Of a y with one
 * row the stride is not looked at. A NaN makes NaN of the result that it belongs to, and of no other.
 *
 * Sums are f32, in an order that depends on `rows`, `columns`, x's alignment and its row stride only, for a
 * row on `columns` and the alignment only: results are the same in each run. Before it is rounded to y's type
 * the error of a sum is at most n * 2^-24 * sum(|x|), where n bounds the roundings that an element goes
 * through:
 *     columns / 2048 + 20                         each row
 *     rows * columns / 2^20 + rows / 256 + 100    each column, and all
 * with |x|^2 instead of |x| in a sum of squares, and divided by the count in a mean. Maxima and minima are
 * exact.
 *
 * y must not overlap x. Without elements x may be null. */
typedef struct {
  int64_t rows, columns;
  wavesmith_kernels_reduction reduction;
  wavesmith_kernels_rows x, y;
  wavesmith_kernels_reduced over;
  /* Memory for the results of parts of x, as much as wavesmith_kernels_reduce_workspace says, aligned to 16
   * bytes. What is in it before and after does not matter. */
  void* workspace;
  size_t workspace_bytes;
} wavesmith_kernels_reduce_description;

/* The bytes of workspace that it takes: none for rows and for matrices that one workgroup reduces. Statuses
 * and messages are those of the launch, but for the workspace, which is not looked at. */
WAVESMITH_KERNELS_API wavesmith_kernels_status
wavesmith_kernels_reduce_workspace(const wavesmith_kernels_reduce_description* reduce, size_t* bytes);

WAVESMITH_KERNELS_API wavesmith_kernels_status
wavesmith_kernels_reduce(const wavesmith_kernels_reduce_description* reduce, void* stream);

/* Quantises x of f32, f16 or bf16 to y of i8, a float of 8 bits or, in MX, OCP's e4m3, e5m2 or e2m1x2:
 *
 *   scale = max(largest / limit, 2^-126)     y = round(x * (1 / scale))
 *
 * where `largest` is the largest magnitude of what shares the scale, `limit` the largest number of y's type
 * (127, 448, 57344; of FNUZ 240 and 57344), and each operation is rounded to f32: all bits are determined. In
 * MX the scale is 2^(floor(log2(largest)) - floor(log2(limit))), at least 2^-127, kept as e8m0 (exponent +
 * 127).
 *
 * Rounding to y's type is to the nearest, ties to even. What is beyond its largest number becomes that,
 * infinity too. NaN becomes NaN, in i8 and e2m1 0. A NaN or an infinity spoils what shares a computed scale:
 * the scale becomes NaN or infinite (in MX NaN), so that all of it is NaN when it is dequantised. What has
 * only zeros has the least scale.
 *
 * A row of an odd number of e2m1 ends with a byte whose upper half is 0. Where nothing is to be quantised, no
 * scale is written. Nothing that is written may overlap anything else. */
typedef struct {
  int64_t rows, columns;
  wavesmith_kernels_rows x, y;
  wavesmith_kernels_scales scales;
} wavesmith_kernels_quantise_description;

WAVESMITH_KERNELS_API wavesmith_kernels_status
wavesmith_kernels_quantise(const wavesmith_kernels_quantise_description* quantise, void* stream);

/* y = x * scale, rounded to y's type: f32, f16 or bf16; x and `scales` are what wavesmith_kernels_quantise
 * wrote. The product is rounded to f32 first. A scale of MX that is 255 is NaN. */
typedef wavesmith_kernels_quantise_description wavesmith_kernels_dequantise_description;

WAVESMITH_KERNELS_API wavesmith_kernels_status
wavesmith_kernels_dequantise(const wavesmith_kernels_dequantise_description* dequantise, void* stream);

#ifdef __cplusplus
}
#endif
