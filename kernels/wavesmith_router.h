/* The router of a mixture of experts: the experts of each token and their weights from rows of logits, in one
 * kernel, and its gradient. Part of the kernel library: see wavesmith_kernels.h for statuses, messages and
 * streams. */
#pragma once

#include "wavesmith_types.h"

#ifdef __cplusplus
extern "C" {
#endif

/* What a token's scores of experts are: e^x[j] over the sum of all experts' e^x, or 1 / (1 + e^-x[j]). */
typedef WAVESMITH_KERNELS_ENUM{
    WAVESMITH_ROUTER_SOFTMAX = 0,
    WAVESMITH_ROUTER_SIGMOID = 1,
} wavesmith_router_scores;

/* What a group of experts is worth: its largest score + bias (DeepSeek-V2), or the sum of its two largest
 * (DeepSeek-V3), of a group of one expert that one. */
typedef WAVESMITH_KERNELS_ENUM{
    WAVESMITH_ROUTER_LARGEST = 0,
    WAVESMITH_ROUTER_TWO_LARGEST = 1,
} wavesmith_router_worth;

/* Of each token, with the scores s of its logits x (f32, f16 or bf16), in f32:
 *
 *   ids      the `chosen` experts with the largest s + bias, in descending order, of those in the
 *            `groups_kept` groups that are worth most (experts lie in `groups` equal groups, one behind the
 *            other; 0 and 1: all are one group)
 *   weights  s[id] * factor, or renormalised s[id] / (the sum of the chosen s) * factor
 *
 * `bias` decides the choice only. Without it experts are compared by their logits, whose order is that of the
 * scores, but for what rounding would make equal. Equal ones: the lower expert first, and the lower group. -0
 * equals 0, minus infinity is the least, and NaN is larger than all, as in torch.topk. So ids are valid and
 * distinct whatever the logits and the bias are, and a masked expert (minus infinity) is chosen where there
 * are too few others; its weight is 0.
 *
 * Scores are as the formulas have them: a row with NaN, with plus infinity or with minus infinity alone has
 * NaN for all scores of a softmax, of sigmoids NaN is one score alone; renormalised, all weights are NaN that
 * have one among the chosen. Where the sum of the chosen is 0, the weights are 0. (vLLM divides sigmoids by
 * their sum, DeepSeek-V3 by the sum + 1e-20; that differs in f32 where the sum is below 2^-42.)
 *
 * So one description is vLLM's topk_softmax and topk_sigmoid (no groups), its grouped_topk, or AITER's
 * biased_grouped_topk (sigmoid, bias, TWO_LARGEST). A softmax over the chosen alone, as Mixtral's, is the
 * softmax over all, renormalised.
 *
 * With d the distance of the chosen logits to the largest of all, at the most (0 in sigmoids, infinities
 * aside), and r = 2^-18 + 2^-21 * d, a weight is off by at most r times itself + 2^-126 * factor,
 * renormalised
 * + (chosen + 1) * 2^-126 * factor / (the sum of the chosen s), and 2^-126. The choice is that of s + bias
 * off by r * s + 2^-24 * (s + |bias|) + 2^-126, d being that expert's. All is summed in an order that depends
 * on the sizes only. */
typedef struct {
  int64_t tokens, experts; /* experts: up to 1,024; in groups whose lanes are too many less, see below */
  int64_t chosen;          /* experts of each token: from 1 to 32, no more than are in the groups kept */
  wavesmith_kernels_rows logits; /* a row for each token, up to 2^20 elements apart */
  wavesmith_router_scores scores;
  int renormalised;
  float factor;
  const float* bias; /* of each expert; null: none */
  /* Up to 32 groups. There are kernels for groups that fill 32 lanes: groups * lanes of a group, which has a
   * power of two of them for up to 32 experts each. Up to 512 experts all fit. */
  int64_t groups, groups_kept;
  wavesmith_router_worth worth; /* looked at where there are groups */
  float* weights;               /* tokens * chosen */
  int32_t* ids;                 /* tokens * chosen */
} wavesmith_router_description;

WAVESMITH_KERNELS_API wavesmith_kernels_status
wavesmith_kernels_router(const wavesmith_router_description* router, void* stream);

/* Its gradient: of a sum that grows by dweights * weights, what it grows by with the logits, the choice being
 * what it is. With the scores s, the sums S over the token's chosen and w = s / S, and t of each chosen one
 *
 *   t = factor * s * dweight                                    or renormalised
 *   t = factor * w * (dweight - sum of dweight * w)
 *
 *   dlogits[j] = (the t whose id is j) - s[j] * (sum of t)      softmax; renormalised the last is 0
 *   dlogits[j] = (the t whose id is j) * (1 - s[j])             sigmoid
 *
 * So the experts that were not chosen have a part in a softmax that is not renormalised, else 0. An id that
 * is no expert has no part; ids that come twice are added. Where S is 0, w is. NaN and infinities are the
 * formulas': of a renormalised softmax only the chosen logits count.
 *
 * With d and r as above, of the chosen logits and of logit j, dlogits[j] is off by at most 4 * r times the
 * sum of what makes it up in absolute values (|t| being factor * w * (|dweight| + sum of |dweight * w|)) +
 * 2^-100, renormalised + (chosen + 2)^2 * 2^-124 * factor * (sum of |dweight|) / S, to which rounding to its
 * type comes. All is summed in an order that depends on the sizes only. dlogits may be written over the
 * logits; other overlaps are refused. */
typedef struct {
  int64_t tokens, experts, chosen;
  wavesmith_kernels_rows logits;
  wavesmith_router_scores scores;
  int renormalised;
  float factor;
  const int32_t* ids;             /* tokens * chosen */
  const float* dweights;          /* tokens * chosen */
  wavesmith_kernels_rows dlogits; /* f32, f16 or bf16 */
} wavesmith_router_backward_description;

WAVESMITH_KERNELS_API wavesmith_kernels_status
wavesmith_kernels_router_backward(const wavesmith_router_backward_description* backward, void* stream);

#ifdef __cplusplus
}
#endif
