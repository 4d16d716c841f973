/* Matrix products, with scales, groups of rows and what follows them. Part of the kernel library: see
 * wavesmith_kernels.h for messages and streams. */
#pragma once

#include "wavesmith_types.h"

#ifdef __cplusplus
extern "C" {
#endif

/* D = activation(alpha * scale_a * scale_b * A * B + beta * C + bias) * scale_d: A of m by k, B of k by n, C
 * and D of m by n.
 *
 * Types of A and B: both f16, bf16, f32 or i8, or any two floats of 8 bits of one kind (FNUZ on gfx942, OCP's
 * on gfx950 and gfx1201; none elsewhere), or both e2m1x2 with block scales (gfx950), of which k is a multiple
 * of 32; or A of f16 or bf16 and B of i4x2 with scales of blocks, or A of bf16 and B of e2m1x2 with MX's, k a
 * multiple of 8. Those of 8 bits and less
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
 * Beside bf16 a number of e2m1x2 counts as itself times its block's scale, which is exact in bf16 but for
 * what is below 2^-126; where the scale is NaN all of its block are.
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
 * i32, and a bias has one element per column. Groups of rows may gate of f16 and bf16 (CDNA3 and CDNA4) and
 * of e4m3, also with scales of blocks, which other gated products do not have; n is then a multiple of 128.
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
  /* Factors in the device's memory, for all products of a batch, whose B may have their own
   * (scale_b_batch_stride); null for none. */
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
   *   e2m1x2: SCALE_MX, the row stride 1, data and the other strides multiples of 4; beside A of bf16 any
   * strides floats of 8 bits, with blocks of 128: of both SCALE_PER_BLOCK (one for each row of A, column of
   * B) or SCALE_PER_SQUARE (one for 128 of them). B's per block, and A's where D lies by columns, have the
   * row stride 1. i4x2: B's SCALE_PER_BLOCK with blocks of 32, 64 or 128 Otherwise UNSCALED. */
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
  /* With groups of rows: floats from the scale_b of a matrix of B to that of the next one; 0 where all have
   * the same. */
  int64_t scale_b_batch_stride;
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

#ifdef __cplusplus
}
#endif
