/* The kernel library of Wavesmith: machine code for AMD GPUs, launched through the public HIP API. With ROCm
 * and a GPU it runs there, without on the emulated one. Nothing is compiled at run time.
 *
 * Each function puts work into a stream of the current device and returns. A status other than
 * WAVESMITH_KERNELS_SUCCESS says that nothing was launched; wavesmith_kernels_message() then names the
 * argument and the rule. */
#pragma once

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#if defined(_WIN32)
#define WAVESMITH_KERNELS_API
#else
#define WAVESMITH_KERNELS_API __attribute__((visibility("default")))
#endif

/* In C++ an enumeration may be given any number: what is none of its enumerators is refused, not undefined.
 */
#ifdef __cplusplus
#define WAVESMITH_KERNELS_ENUM enum : int
#else
#define WAVESMITH_KERNELS_ENUM enum
#endif

typedef WAVESMITH_KERNELS_ENUM{
    WAVESMITH_KERNELS_SUCCESS = 0,
    WAVESMITH_KERNELS_INVALID_ARGUMENT = 1, /* an argument breaks a rule that holds on every GPU */
    WAVESMITH_KERNELS_NOT_SUPPORTED = 2,    /* right, but there is no kernel for it */
    WAVESMITH_KERNELS_NO_CODE = 3,   /* no code object for the current device's target, or none installed */
    WAVESMITH_KERNELS_HIP_ERROR = 4, /* HIP returned an error, which the message names */
    WAVESMITH_KERNELS_INVALID_TABLE = 5, /* of tuned tiles: the message names file, line and mistake */
} wavesmith_kernels_status;

/* Why this thread's last call failed, for people: one line, or an empty one after a success. Valid until its
 * next call. */
WAVESMITH_KERNELS_API const char* wavesmith_kernels_message(void);

/* Element types. Floats of 8 bits are OCP's, or those of CDNA3 without a negative zero and infinities. An
 * element of e2m1x2 is a byte that holds two of OCP's floats of 4 bits, the first in its lower bits, and one
 * of i4x2 two integers from -8 to 7 (two's complement): strides count bytes, and columns numbers. */
typedef WAVESMITH_KERNELS_ENUM{
    WAVESMITH_KERNELS_F32 = 0,    WAVESMITH_KERNELS_F16 = 1,       WAVESMITH_KERNELS_BF16 = 2,
    WAVESMITH_KERNELS_I32 = 3,    WAVESMITH_KERNELS_I8 = 4,        WAVESMITH_KERNELS_E4M3 = 5,
    WAVESMITH_KERNELS_E5M2 = 6,   WAVESMITH_KERNELS_E4M3_FNUZ = 7, WAVESMITH_KERNELS_E5M2_FNUZ = 8,
    WAVESMITH_KERNELS_E2M1X2 = 9, WAVESMITH_KERNELS_I4X2 = 10,
} wavesmith_kernels_type;

/* A matrix in the device's memory. Element (i, j) of matrix b of a batch is at data + b * batch_stride + i *
 * row_stride + j * column_stride, in elements. One of the strides is 1, the other at least as large as what
 * lies together. */
typedef struct {
  void* data;
  wavesmith_kernels_type type;
  int64_t row_stride, column_stride;
  int64_t batch_stride; /* 0: every product of the batch uses the same matrix */
} wavesmith_kernels_matrix;

typedef WAVESMITH_KERNELS_ENUM{
    WAVESMITH_KERNELS_NO_ACTIVATION = 0,
    WAVESMITH_KERNELS_RELU = 1, /* the larger of x and 0; of NaN 0, as in hipBLASLt */
    WAVESMITH_KERNELS_GELU = 2, /* the approximation by tanh */
    WAVESMITH_KERNELS_SILU = 3,
} wavesmith_kernels_activation;

/* What numbers of few bits share a scale: the number x is kept as q, the nearest to x / scale, and x is about
 * q * scale. */
typedef WAVESMITH_KERNELS_ENUM{
    WAVESMITH_KERNELS_UNSCALED = 0,         /* the scale is 1, and not kept */
    WAVESMITH_KERNELS_SCALE_GIVEN = 1,      /* one for the matrix, which is read: positive and finite */
    WAVESMITH_KERNELS_SCALE_PER_MATRIX = 2, /* one, computed and written, as the following are */
    WAVESMITH_KERNELS_SCALE_PER_ROW = 3,
    WAVESMITH_KERNELS_SCALE_PER_BLOCK = 4,  /* one per 32, 64 or 128 columns of a row */
    WAVESMITH_KERNELS_SCALE_MX = 5,         /* OCP's Microscaling formats: powers of two, per 32 columns */
    WAVESMITH_KERNELS_SCALE_PER_SQUARE = 6, /* of products: one per 128 rows and 128 columns */
} wavesmith_kernels_scaling;

/* Scales in the device's memory: that of row i and block j of columns is at data + i * row_stride + j *
 * column_stride, in elements of f32, of MX in bytes; of squares i counts blocks of rows. In a batch that of
 * matrix b is b * batch_stride further. Strides that nothing is found by are not used. */
typedef struct {
  wavesmith_kernels_scaling scaling;
  void* data;
  int64_t block; /* columns, of SCALE_PER_BLOCK and SCALE_PER_SQUARE */
  int64_t row_stride, column_stride;
  int64_t batch_stride; /* 0: every matrix of the batch has the same scales */
} wavesmith_kernels_scales;

/* D = activation(alpha * scale_a * scale_b * A * B + beta * C + bias) * scale_d: A of m by k, B of k by n, C
 * and D of m by n.
 *
 * Types of A and B: both f16, bf16, f32 or i8, or any two floats of 8 bits of one kind (FNUZ on gfx942, OCP's
 * on gfx950 and gfx1201; none elsewhere), or both e2m1x2 with block scales (gfx950), of which k is a multiple
 * of 32; or A of f16 or bf16 and B of i4x2 with scales of blocks, k a multiple of 8. Those of 8 bits and less
 * want K together in memory (columns of A, rows of B). C and the bias are f32, f16 or bf16, as is D, which
 * may also be of i8 or i32 where A is of i8, and of e4m3 or e5m2 where A is of floats of 8 bits of that kind.
 *
 * Floats of 8 bits may have f32 scales for their blocks of 128 along K, the last of which may be shorter
 * (block_scales_a and block_scales_b): each block's sum is multiplied by the product of the two scales,
 * rounded to f32, before it is added to those of the blocks before it.
 *
 * A number q of i4x2 counts as its scale times ((q + 8) - (its zero point + 8)): sum, difference and product
 * are each rounded to f32, the product then to A's type, to the nearest (of bf16 but on gfx950 ties away from
 * 0). So a weight w is off by at most (u + 2^-22) * |w| + 2^-24 * (|zero point| + 8) * |scale|, with u 2^-11
 * (f16) or 2^-8 (bf16), and in f16 by 2^-25, on CDNA2 2^-14, more where it is less than 2^-14.
 *
 * Sums are f32. The error of one is at most (k + 1) * 2^-24 * (|a| * |b|), with scales of blocks (min(k, 128)
 * + k / 128 + 4) * 2^-24 * (|scaled a| * |scaled b|), to which rounding to D's type comes: to the nearest,
 * ties to even; in 8 bits what is beyond the largest becomes the largest, infinity too. Sums of i8 are exact,
 * modulo 2^32. D of i32 holds just these: alpha is 1, beta 0, and there is no scale, bias or activation. The
 * order of a sum depends on m, n, k, the size of the workspace, the GPU and a tuned table only: results are
 * the same in each run. NaN and infinities propagate, up to the activation; in i8 NaN becomes 0. Subnormal
 * inputs count as 0 on CDNA2.
 *
 * Gated, as the first product of a SwiGLU or GeGLU layer is,
 *
 *   D = activation(G) * U * scale_d,  G = alpha * scale_a * scale_b * A * B_g + bias_g
 *
 * and U with B_u and bias_u: B has 2 * n columns, those of B_g first and then those of B_u, and so have the
 * bias and a scale_b that has one per column. A * B is not written to memory, but to the workspace where K is
 * in parts. With g and u the errors of G and U, that of D is at most (1.2 * g + 2^-20 * |G|) * (|U| + u) +
 * |activation(G)| * u + 2^-23 * |D|, to which rounding to D's type comes. A and B are of f16, bf16, i8 or
 * e4m3, B of less than 4 GiB where K lies together; there is no C (beta is 0), D lies by rows and is not of
 * i32, a bias has one element per column, and there are no scales of blocks. Groups may gate of f16 and bf16.
 *
 * C is not read where beta is 0, and A and B are not where alpha is 0 or k is 0. C may be D, or lie beside it
 * in the rows of one matrix. Otherwise D must not overlap what is read, nor the workspace anything. */
typedef struct {
  int64_t m, n, k;
  int64_t batches; /* 1 for one product */
  float alpha, beta;
  wavesmith_kernels_matrix a, b, c, d;
  wavesmith_kernels_activation activation;
  const void* bias; /* null for none */
  wavesmith_kernels_type bias_type;
  int bias_per_row; /* the bias has m elements, one per row of D; otherwise n, one per column */
  /* Factors in the device's memory, for all products of a batch; null for none. */
  const float *scale_a, *scale_b, *scale_d;
  int scale_a_per_row;    /* scale_a has m elements, one per row of A; otherwise one */
  int scale_b_per_column; /* scale_b has n elements, one per column of B; otherwise one */
  /* The data of A, B, C and D are arrays of `batches` pointers, in the device's memory, to the matrices of
   * the batch. The stream's earlier work may write them, so what they point to is not checked: it is aligned
   * to an element, and no D overlaps another one, an A or a B. The batch strides are not used. */
  int pointer_arrays;
  /* Memory of the device, aligned to 16 bytes, in which one product may be computed in several parts of K:
   * those whose sums fit into it. Null and 0 for none. What is in it before and after does not matter. */
  void* workspace;
  size_t workspace_bytes;
  /* Factors of blocks along K; the rows of B's are its columns.
   *   e2m1x2: SCALE_MX, the row stride 1, data and the other strides multiples of 4
   *   floats of 8 bits, with blocks of 128: of both SCALE_PER_BLOCK (one for each row of A, column of B) or
   *   SCALE_PER_SQUARE (one for 128 of them). B's per block, and A's where D lies by columns, have the row
   *   stride 1.
   *   i4x2: B's SCALE_PER_BLOCK with blocks of 32, 64 or 128
   * Otherwise UNSCALED. */
  wavesmith_kernels_scales block_scales_a, block_scales_b;
  /* With B of i4x2: the type of its scales (f32, f16 or bf16), and null or zero points of that type, each
   * where its scale lies among the scales. */
  wavesmith_kernels_type block_scales_type;
  const void* zero_points_b;
  /* Null, or batches + 1 numbers of rows in the device's memory: the rows of A, C and D from
   * group_offsets[b] up to, not including, group_offsets[b + 1] are those of product b, whose B is matrix b
   * of the batch; no row is of two. m is the rows in all; what is beyond counts as m, below 0 as 0, and a
   * group that ends before it begins is empty. Rows of D in no group are not written. Of A, C and D, and of
   * A's scales, there is one matrix: their batch strides are not used. For A and B of f16, bf16 or e4m3 with
   * K together, of f16 and bf16 also with N together in B, of e4m3 also with scales of blocks (A's per block,
   * B's per square); D lies by rows. */
  const int32_t* group_offsets;
  /* Whether D is gated (see above). */
  int gated;
  /* Not 0: the groups of group_offsets are along K. The columns of A and rows of B from group_offsets[b] up
   * to, not including, group_offsets[b + 1] are those of product b, whose C and D are matrices b of the
   * batch: the gradients of grouped products' weights. k is K in all; what is beyond counts as k, and a group
   * without any has the sum 0. Of A and B there is one matrix. For A and B of f16 or bf16, of which the rows
   * of A lie together, and the columns of B; any number per group. */
  int groups_along_k;
  /* With group_offsets null, or m numbers in the device's memory: row i of the product is row a_rows[i] of A,
   * which has a_row_count rows, and less than 4 GiB with another one. So tokens are read where they lie. A
   * number that is no row's is a row of zeros. Scales of A's rows are those of D's, in D's order. */
  const int32_t* a_rows;
  int64_t a_row_count;
} wavesmith_kernels_gemm_description;

/* The bytes of workspace with which it is thought to take the least time on the current device, 0 where parts
 * gain nothing; with a tile's name those that wavesmith_kernels_gemm_with wants, otherwise `tile` is null.
 * Statuses and messages are those of the launch, but for the workspace, which is not looked at. */
WAVESMITH_KERNELS_API wavesmith_kernels_status wavesmith_kernels_gemm_workspace(
    const wavesmith_kernels_gemm_description* gemm, const char* tile, size_t* bytes);

/* `stream` is a hipStream_t of the current device, or null.
 *
 * The tile is that of a tuned table, where it has a row for just this product: the file that the environment
 * variable WAVESMITH_KERNELS_TUNED names, or tuned.tsv in the folder of the code objects. The process reads
 * it once, with its first product. While it is malformed, or names a tile that is not there, this function
 * and wavesmith_kernels_gemm_check fail with INVALID_TABLE. */
WAVESMITH_KERNELS_API wavesmith_kernels_status
wavesmith_kernels_gemm(const wavesmith_kernels_gemm_description* gemm, void* stream);

/* Whether it would be launched on the current device, with the same statuses and messages; launches nothing.
 * `name`, if not null, becomes the kernel that would serve it. */
WAVESMITH_KERNELS_API wavesmith_kernels_status
wavesmith_kernels_gemm_check(const wavesmith_kernels_gemm_description* gemm, const char** name);

/* The same by the kernel with a tile of that name ("128x128x32"), with so many parts of K behind a slash
 * ("128x128x32/4"), or streamed ("128x128x32/stream": the tiles that do not fill a round of workgroups are
 * shared by all along K), whatever is thought of its speed: for tuning and tests. With parts and streamed the
 * workspace must hold what wavesmith_kernels_gemm_workspace says. */
WAVESMITH_KERNELS_API wavesmith_kernels_status
wavesmith_kernels_gemm_with(const wavesmith_kernels_gemm_description* gemm, const char* tile, void* stream);

/* The tiles that the current device's target has kernels of for A and B of these types, without scales of
 * blocks, groups of rows and gates (MX's and weights' scales aside, which they always have); null behind the
 * last one, and where there is no code. */
WAVESMITH_KERNELS_API const char* wavesmith_kernels_gemm_tile(wavesmith_kernels_type a,
                                                              wavesmith_kernels_type b, size_t index);

/* Rows of a matrix in the device's memory, whose columns follow each other: element (i, j) is at data + i *
 * row_stride + j, in elements. */
typedef struct {
  void* data;
  wavesmith_kernels_type type;
  int64_t row_stride;
} wavesmith_kernels_rows;

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

/* Heads of tokens: element i of a head is at data + token * token_stride + head * head_stride + i. */
typedef struct {
  void* data;
  wavesmith_kernels_type type;
  int64_t token_stride, head_stride;
} wavesmith_kernels_token_heads;

/* Rotary position embedding of `heads` heads of `elements` elements per token. The first `rotated` elements
 * of each head, an even number, are pairs (a, b), which become
 *
 *   (a * cos - b * sin, b * cos + a * sin)
 *
 * with cos and sin of the pair from row `position` of tables of rotated / 2 columns, `table_stride` elements
 * apart. A pair is elements i and i + rotated / 2 (GPT-NeoX, Llama), or `interleaved` elements 2 i and 2 i +
 * 1 (GPT-J). The other elements are copied. A token's position is positions[token] + first_position, or
 * without positions its number + first_position; the tables' rows up to it must exist, which is not checked.
 * y may be written over x, but over nothing else that is read. */
typedef struct {
  int64_t tokens, heads, elements, rotated;
  wavesmith_kernels_token_heads x, y;
  const void *cosines, *sines;
  wavesmith_kernels_type table_type;
  int64_t table_stride;
  const void* positions; /* int32_t each, or int64_t; null for none */
  int positions_are_64_bits;
  int64_t first_position;
  int interleaved;
} wavesmith_kernels_rope_description;

WAVESMITH_KERNELS_API wavesmith_kernels_status
wavesmith_kernels_rope(const wavesmith_kernels_rope_description* rope, void* stream);

/* A tensor of heads in the device's memory: element (batch, position, head, i) is at data + batch *
 * batch_stride + position * row_stride + head * head_stride + i, in elements. */
typedef struct {
  void* data;
  int64_t batch_stride, row_stride, head_stride;
} wavesmith_kernels_heads;

/* O = softmax(scores) * V in each batch and head of Q, with the scores Q * K transposed * scale, capped,
 * biased and masked in this order:
 *   softcap          softcap * tanh(score / softcap), unless it is 0
 *   alibi_slopes     minus slope * |i + length_k - length_q - j|, for query i and key j
 *   causal, window   the query i sees the keys j of [i + length_k - length_q - window_left, i + length_k -
 *                    length_q + window_right]; a window of -1 is unlimited; causal is a window_right of 0
 * Both ends of the sequences are aligned, as in flash-attention since 2.1, whose names these are.
 *
 * Q has heads_q heads, a multiple of heads_kv: heads_q / heads_kv heads that follow each other share a head
 * of K and V. All four tensors are f16, or all bf16; scores and sums are f32. Let P be the weights in exact
 * arithmetic, and u the half distance of two numbers of the type at 1 (2^-11, 2^-8). The error of an element
 * of O is at most
 *     (u + 2 * e + (length_k + 100) * 2^-24) * (P * |V|) + u * |O|
 * where e, a score's error, is the greatest over a row of (head_size + 8) * 2^-24 * scale * (|q| * |k|) +
 * 2^-20 * (1 + |score| + softcap) + ALiBi's bias * 2^-22. In f16, 2^-32 of the sum of |V| over the row's keys
 * comes to it (2^-21 on CDNA2), for the least weights have fewer bits or count as 0; in bf16, 2^-118 of that
 * sum, for the weights beside a sink so great count as 0. The order of sums depends on the sizes and the GPU
 * only: results are the same in each run. Subnormal inputs count as 0 on CDNA2.
 *
 * With dropout a weight counts 1 / (1 - p) times, or not at all. It is kept where a byte is at least 256 * p,
 * with p rounded to a multiple of 1/256 between 1/256 and 255/256, so that results are right on average. The
 * byte depends on seed, offset, batch, head of Q, and the positions i and j in their sequences only: it is
 * Philox4x32's with 7 rounds, the key `seed` and the counter (dropout_offset / 4 + batch * heads_q + head) +
 * 2^64 * (j / 32 * 2 + j / 8 % 2 + 2^32 * i), of the word j % 4 the byte j / 16 % 2 * 2 + j / 4 % 2. The next
 * draw's offset is 4 * batches * heads_q more. The log-sum-exp is of all weights. In the bound P, where it is
 * kept, and 2^-32 (2^-21, 2^-118) with it count 1 / (1 - p) times. There are kernels for heads of up to 128.
 *
 * A query that sees no key, or whose scores are all minus infinity, has the result 0 and the log-sum-exp
 * minus infinity, or its head's sink. A NaN or plus infinity among a row's scores makes NaN of it. What K has
 * beyond a mask does not matter; a NaN or infinity that V has there may make NaN of the row's elements in its
 * column. */
typedef struct {
  int64_t batches, heads_q, heads_kv, length_q, length_k;
  int64_t head_size;   /* of Q and K: a multiple of 8, up to 256 */
  int64_t head_size_v; /* of V and O: the same; 0: head_size */
  wavesmith_kernels_type type;
  wavesmith_kernels_heads q, k, v, o;
  float scale;
  int causal;
  int64_t window_left, window_right; /* -1: unlimited */
  float softcap;                     /* 0: none */
  const float* alibi_slopes;         /* null, or heads_q of them; with a stride, for each batch */
  int64_t alibi_batch_stride;
  /* Null, or batches + 1 positions in the device's memory, of q's and k's sequences that lie one behind the
   * other in memory. The batch strides are not used then, length_q and length_k are upper bounds of the
   * sequences' lengths, and total_q and total_k are the positions in all. Positions outside of [0, total]
   * count as the nearer end. */
  const int32_t *cu_seqlens_q, *cu_seqlens_k;
  int64_t total_q, total_k;
  /* Null, or where the natural logarithm of the sum of exp(scores) of (batch, head, i) goes: lse + batch *
   * lse_batch_stride + head * lse_head_stride + i; with cu_seqlens_q i is a position of all, and there are no
   * batches. */
  float* lse;
  int64_t lse_batch_stride, lse_head_stride;
  /* Null, or heads_q scores, of heads' attention sinks: exp(sink) is added to the sum that divides the
   * weights, and belongs to the log-sum-exp. */
  const float* sinks;
  /* Of each weight the probability that it is dropped, in [0, 1); 0: none is. The seed, and an offset as
   * draws of wavesmith_random.h have it: a multiple of 4. With dropout_state, two numbers in the device's
   * memory, aligned to 8 bytes, the seed is the first, and the second is added to the offset. */
  float dropout;
  uint64_t dropout_seed, dropout_offset;
  const uint64_t* dropout_state;
} wavesmith_kernels_attention_description;

/* Which weights of a row dropout keeps, without a GPU: kept[j] becomes 1 or 0 for the key first_key + j, of
 * that batch, head of Q and query, which count from the sequence's beginning. Of the description dropout,
 * dropout_seed, dropout_offset and heads_q are looked at; `factor`, if not null, becomes what multiplies
 * weights that are kept. */
WAVESMITH_KERNELS_API wavesmith_kernels_status wavesmith_kernels_attention_dropout(
    const wavesmith_kernels_attention_description* attention, int64_t batch, int64_t head, int64_t query,
    int64_t first_key, int64_t keys, uint8_t* kept, float* factor);

/* `stream` is a hipStream_t of the current device, or null. */
WAVESMITH_KERNELS_API wavesmith_kernels_status
wavesmith_kernels_attention(const wavesmith_kernels_attention_description* attention, void* stream);

/* Whether it would be launched on the current device, with the same statuses and messages; launches nothing.
 * `name`, if not null, becomes the kernel that would serve it. */
WAVESMITH_KERNELS_API wavesmith_kernels_status wavesmith_kernels_attention_check(
    const wavesmith_kernels_attention_description* attention, const char** name);

/* The gradients of wavesmith_kernels_attention: of a sum that grows by d_o * O, what it grows by with Q, K
 * and V. With the weights P = exp(scores - lse), and D each row's sum of d_o * o, of the o and lse that are
 * given, dV = P^T d_o,  dS = P * (d_o V^T - D),  dQ = scale * dS K,  dK = scale * dS^T Q where a cap
 * multiplies dS by 1 - tanh(score / softcap)^2. With dropout, the forward's, dV = (M P)^T d_o and dS = P * (M
 * (d_o V^T) - D), where M is 0 where a weight is dropped, otherwise 1 / (1 - p). Heads of Q that share a head
 * of K and V add to its gradients. The sums over rows are f32, and their order depends on the sizes and the
 * GPU only, unless any_order is set: results are the same in each run. Sinks and slopes are read, but have no
 * gradient here.
 *
 * The error of an element is at most, with u and e as above, e' = e + 2^-21 * (1 + |lse|) in place of a
 * score's error, n the products that are summed, and P and dS as in exact arithmetic, of dV  (u + e' + (n +
 * 8) * 2^-24) * (P^T * |d_o|) + u * |dV| of dQ  |scale| * (S * |K| + (n + 8) * 2^-24 * (|dS| * |K|)) + u *
 * |dQ| of dK  |scale| * (S^T * |Q| + (n + 8) * 2^-24 * (|dS|^T * |Q|)) + u * |dK| where S, the error of dS,
 * is (u + e') * |dS| + P * (head_size + 8) * 2^-24 * (|d_o| * |V| + |d_o| * |o|), and with a softcap 2^-19 +
 * 2 * e / softcap of P * |d_o V^T - D| more. In f16, where scores' gradients beyond 65504 count as infinite,
 * 2^-25 of the sum of |K| (|Q|) comes to it, and 2^-37 of that of |d_o|; on CDNA2, which takes subnormal
 * operands for 0, 2^-14 and 2^-27.
 *
 * A row without a key adds nothing, and its dQ is 0. A NaN or infinity that K, V, Q or d_o has beyond a mask
 * may make NaN of the gradients in its column. There are kernels for heads of up to 256 on CDNA3 and CDNA4,
 * and of up to 128 elsewhere and with dropout. */
typedef struct {
  /* What the forward was given; o and lse, which it wrote, are read. Of what lies there nothing is written.
   */
  wavesmith_kernels_attention_description forward;
  wavesmith_kernels_heads d_o, dq, dk, dv;
  /* What wavesmith_kernels_attention_backward_workspace says, aligned to 16 bytes. What is in it before and
   * after does not matter. */
  void* workspace;
  size_t workspace_bytes;
  /* Not 0: results may differ from run to run. Without dropout, workgroups then add to dQ as they come, where
   * the GPU has kernels for it: five products instead of seven, for a workspace with dQ in f32, and of few
   * workgroups with heads that share keys also with dK and dV. */
  int any_order;
} wavesmith_kernels_attention_backward_description;

/* `stream` is a hipStream_t of the current device, or null. */
WAVESMITH_KERNELS_API wavesmith_kernels_status wavesmith_kernels_attention_backward(
    const wavesmith_kernels_attention_backward_description* backward, void* stream);

/* The bytes of workspace that it takes. Statuses and messages are those of the launch, but for the workspace,
 * which is not looked at. */
WAVESMITH_KERNELS_API wavesmith_kernels_status wavesmith_kernels_attention_backward_workspace(
    const wavesmith_kernels_attention_backward_description* backward, size_t* bytes);

/* Whether it would be launched on the current device, with the same statuses and messages; launches nothing.
 * `name`, if not null, becomes the kernels that would serve it, separated by spaces. */
WAVESMITH_KERNELS_API wavesmith_kernels_status wavesmith_kernels_attention_backward_check(
    const wavesmith_kernels_attention_backward_description* backward, const char** name);

/* Keys or values in a cache of pages. Element (block, position, head, i) is at data + block * block_stride +
 * position * row_stride + head * head_stride + i, in elements. A number that the cache keeps counts as itself
 * times the scale, one for all heads or one of each. */
typedef struct {
  void* data;
  wavesmith_kernels_type type;
  int64_t block_stride, row_stride, head_stride;
  const float* scale; /* in the device's memory; null: 1 */
  int scale_per_head; /* heads_kv scales */
} wavesmith_kernels_paged;

/* Attention for the last queries of sequences whose keys and values are in a cache: O = softmax(scores) * V
 * in each batch and head of Q, with the scores of wavesmith_kernels_attention, its softcap and alibi_slopes.
 * A sequence has context_lengths[b] keys, those of the queries included:
 *   the query i is at the position context - length_q + i, and sees the keys up to there, but no more than
 *   window_left before it, unless that is -1
 *   sinks are the scores of one more key per head, which every query sees, and whose value is 0
 *   the key j is at position j % page_size of block block_table[b * block_table_stride + j / page_size]
 *
 * Where head_size_v is less than head_size, the values are the first elements of the keys, and v is not
 * looked at: multi-head latent attention, whose projections are part of Q and O.
 *
 * Queries and results are f16 or bf16, head_size is 64, 128, or on CDNA 256, or 576 with a head_size_v of
 * 512, without softcap and alibi_slopes. The caches are of the same type, or both e4m3 (FNUZ on gfx942, OCP's
 * on gfx950 and gfx1201; none elsewhere), whose numbers are exact in the queries' type. The heads that share
 * a head of K and V are served together. Tensors are aligned to 16 bytes, and their strides are multiples of
 * 16 bytes.
 *
 * The error is at most that of wavesmith_kernels_attention, with K and V times their scales. The order of
 * sums depends on the sizes, longest_context and the GPU only: results are the same in each run.
 *
 * A query that sees no key has the result 0, and the log-sum-exp minus infinity or the sink. A NaN or plus
 * infinity among a row's scores makes NaN of it. What caches have behind a context is not looked at; of keys
 * that a query does not see, a NaN or infinity in V may make NaN of the row's elements in its column. */
typedef struct {
  int64_t batches, heads_q, heads_kv, length_q;
  int64_t head_size;   /* of Q and K */
  int64_t head_size_v; /* of V and O; 0: head_size */
  wavesmith_kernels_type type;
  wavesmith_kernels_heads q, o; /* length_q rows of heads_q heads in each batch */
  wavesmith_kernels_paged k, v;
  int64_t blocks;    /* of the caches: what else a table names counts as the nearest; not used without one */
  int64_t page_size; /* a power of two, 8 at least, of latents 1; not used without a table */
  /* Null: sequence b is block b. Otherwise the blocks of each sequence, in the device's memory: at least
   * those of longest_context keys from one sequence to the next. */
  const int32_t* block_table;
  int64_t block_table_stride;
  const int32_t* context_lengths; /* `batches`, in the device's memory; below 0 is 0 */
  int64_t longest_context;        /* an upper bound of the lengths: what is longer counts as this */
  float scale;
  int64_t window_left;
  float softcap;             /* 0: none */
  const float* alibi_slopes; /* null, or heads_q of them; with a stride, for each batch */
  int64_t alibi_batch_stride;
  const float* sinks; /* null, or heads_q of them */
  /* Null, or where the natural logarithm of the sum of exp(scores), the sink's included, of (batch, head, i)
   * goes: lse + batch * lse_batch_stride + head * lse_head_stride + i. */
  float* lse;
  int64_t lse_batch_stride, lse_head_stride;
  /* Memory for the parts of sequences that several workgroups share, as much as
   * wavesmith_kernels_decode_workspace says, aligned to 16 bytes. What is in it before and after does not
   * matter. */
  void* workspace;
  size_t workspace_bytes;
} wavesmith_kernels_decode_description;

/* `stream` is a hipStream_t of the current device, or null. */
WAVESMITH_KERNELS_API wavesmith_kernels_status
wavesmith_kernels_decode(const wavesmith_kernels_decode_description* decode, void* stream);

/* The bytes of workspace that it takes on the current device, 0 where nothing is shared. Statuses and
 * messages are those of the launch, but for the workspace, which is not looked at. */
WAVESMITH_KERNELS_API wavesmith_kernels_status
wavesmith_kernels_decode_workspace(const wavesmith_kernels_decode_description* decode, size_t* bytes);

/* Whether it would be launched on the current device, with the same statuses and messages; launches nothing.
 * `name`, if not null, becomes the kernel that would serve it. */
WAVESMITH_KERNELS_API wavesmith_kernels_status
wavesmith_kernels_decode_check(const wavesmith_kernels_decode_description* decode, const char** name);

/* Writes the keys and values of tokens into a cache of pages. Token t goes to position slots[t] % page_size
 * of block slots[t] / page_size; one whose slot is negative, or not below blocks * page_size, is left out.
 * Two tokens with one slot leave either's elements there.
 *
 * k and v are f32, f16 or bf16, each cache any of these or e4m3 (FNUZ on gfx942, OCP's on gfx950 and gfx1201;
 * none elsewhere). What is written is the quotient by the cache's scale, a correctly rounded f32, rounded to
 * the cache's type: to the nearest, ties to even; in e4m3 what is beyond the largest becomes the largest,
 * infinity too. NaN stays NaN. A cache must not overlap k, v or the slots. The two caches may lie in each
 * other, as halves of each block do; that no element is of both is the caller's affair. */
typedef struct {
  int64_t tokens, heads, head_size;
  wavesmith_kernels_token_heads k, v;
  wavesmith_kernels_paged k_cache, v_cache;
  int64_t blocks, page_size;
  const int64_t* slots; /* `tokens`, in the device's memory */
} wavesmith_kernels_cache_description;

WAVESMITH_KERNELS_API wavesmith_kernels_status
wavesmith_kernels_cache(const wavesmith_kernels_cache_description* cache, void* stream);

#ifdef __cplusplus
}
#endif
