/* What lies around the grouped products of a mixture of experts: tokens' choices in the order of experts, and
 * experts' results combined. Part of the kernel library: see wavesmith_kernels.h for statuses, messages and
 * streams. */
#pragma once

#include "wavesmith_types.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Each of `tokens` tokens chose `choices` experts: ids[t * choices + j] is choice j of token t. A choice
 * becomes a row among those of its expert, in the order of tokens and of their choices:
 *
 *   group_offsets[e]   where the rows of expert e begin, [experts] the rows in all: as
 *                      wavesmith_kernels_gemm takes them, with m = tokens * choices
 *   tokens_of[r]       whose row r is, -1 behind the last: a_rows of the first product, and tokens_of of
 *                      wavesmith_kernels_combine_backward
 *   places[t][j]       the row of a choice, -1 of one that has none: of wavesmith_kernels_combine
 *   sorted_weights[r]  the choice's weight with every bit, 0 behind the last
 *
 * A choice whose expert is not here has no row. Here are the numbers from 0 to experts - 1; with an
 * expert_map, as of experts that several GPUs share, an id below mapped_experts is expert expert_map[id]
 * here, or none where that is no such number. What is written is the same in every run and on every GPU. */
typedef struct {
  int64_t tokens, choices; /* their product up to 2^24 */
  int64_t experts;         /* up to 1,024 */
  const int32_t* ids;      /* tokens * choices, in the device's memory, as the following */
  const int32_t* expert_map;
  int64_t mapped_experts;
  const float* weights; /* tokens * choices; null with sorted_weights alone */
  int32_t* group_offsets;
  /* tokens * choices each; null where they are not wanted. */
  int32_t *tokens_of, *places;
  float* sorted_weights;
  /* Memory for the counts of several workgroups, as much as wavesmith_kernels_sort_experts_workspace says,
   * aligned to 16 bytes. What is in it before and after does not matter. */
  void* workspace;
  size_t workspace_bytes;
} wavesmith_sort_experts_description;

WAVESMITH_KERNELS_API wavesmith_kernels_status
wavesmith_kernels_sort_experts(const wavesmith_sort_experts_description* sort, void* stream);

/* The bytes of workspace that a sort needs: 0 where choices are so few that one workgroup sorts them.
 * Statuses and messages are those of the launch, but for the workspace, which is not looked at. */
WAVESMITH_KERNELS_API wavesmith_kernels_status
wavesmith_kernels_sort_experts_workspace(const wavesmith_sort_experts_description* sort, size_t* bytes);

/* The weighted sum of the rows of x that are each token's:
 *
 *   y[t] = the sum over j of weights[t][j] * x[places[t][j]], + addend[t]
 *
 * A place that is no row of x counts for nothing, whatever its weight. addend (data null: none) is what else
 * the token has, such as the result of an expert that all tokens share, or a residual.
 *
 * Matrices are f32, f16 or bf16. Sums are f32, in the order of j, then the addend: with
 * u = 2^-24 and S = sum |weights * x| + |addend| the error is at most (choices + 2) * u * S, to which
 * rounding to y's type comes. A NaN or infinity spoils its column of the tokens whose row it is in. y may be
 * written over addend. Other overlaps are refused. */
typedef struct {
  int64_t tokens, columns;
  int64_t choices; /* of each token; 0: y is the addend, or 0 */
  int64_t rows;    /* of x */
  wavesmith_kernels_rows x, addend, y;
  const int32_t* places; /* tokens * choices, in the device's memory, as the following */
  const float* weights;  /* tokens * choices; null: all 1 */
} wavesmith_combine_description;

WAVESMITH_KERNELS_API wavesmith_kernels_status
wavesmith_kernels_combine(const wavesmith_combine_description* combine, void* stream);

#ifdef __cplusplus
}
#endif
