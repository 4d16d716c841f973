/* The next token of each row of logits, and the tokens of a speculation that a model agrees with: drawn by
 * Philox4x32-10, the same tokens on every GPU. Part of the kernel library: see wavesmith_kernels.h for
 * statuses, messages and streams. */
#pragma once

#include "wavesmith_types.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Of row i of the logits x (f32, f16 or bf16), whose largest is m, token j has the weight
 *
 *   w[j] = 2^40 * e^((x[j] - m) / temperatures[i]), cut to an integer
 *
 * and tokens are left out in vLLM's order:
 *
 *   min-p  those whose weight is less than min_p[i] * 2^40, or 0
 *   top-k  those with a logit less than the k-th largest of the others, k = top_k[i]; 0 or less: none
 *   top-p  those above which (with larger logits) others weigh top_p[i] of all others, or more; never the
 *          largest; 1 or more: none
 *
 * Equal logits stay or go together. The token is the first j at which the sum of the weights so far is more
 * than u times the sum of all, where u has 64 bits: words 0 and 1 (low first) of the block of Philox with the
 * key seeds[i] and the counter offsets[i]. Rows with the same seed want different offsets. A temperature less
 * than 10^-5 is greedy, as vLLM's: the first of the largest logits, whatever the rest says. Weights and sums
 * are integers, and what leads to them is rounded alike everywhere: so are tokens.
 *
 * Where the largest logit is infinity, all such tokens weigh 2^40 and all others 0. The token is -1, and what
 * else is written NaN, of a row with NaN, or of minus infinity alone, or with a parameter that is none:
 * temperatures and top_p not at least 0, min_p not from 0 to 1.
 *
 * log_probabilities are those of the tokens among all, without temperature: x[token] - log(sum of e^x[j]),
 * off by 2^-16 + 2^-21 times their sizes. probabilities are the weights over the sum of those that stay, of
 * the others 0; of a greedy row 1 at the token. They are off by 2^-16 of themselves + 2^-39. */
typedef struct {
  int64_t rows, vocabulary; /* up to 2^22 */
  wavesmith_kernels_rows logits;
  /* An element each row. Null: temperature 1, nothing left out, offsets 0. */
  const float* temperatures;
  const int32_t* top_k;
  const float *top_p, *min_p;
  const uint64_t* seeds; /* not null with `tokens` */
  const int64_t* offsets;
  /* What is wanted, the others null; log_probabilities only with tokens. */
  int32_t* tokens;
  float* log_probabilities;
  wavesmith_kernels_rows probabilities; /* f32 */
  /* Null, or memory for what several workgroups that share a row know of it, as much as
   * wavesmith_kernels_sample_workspace says, aligned to 16 bytes. With less, fewer share a row, without any
   * each has one; results are the same. What is in it before and after does not matter. */
  void* workspace;
  size_t workspace_bytes;
} wavesmith_sample_description;

WAVESMITH_KERNELS_API wavesmith_kernels_status
wavesmith_kernels_sample(const wavesmith_sample_description* sample, void* stream);

/* The bytes of workspace with which it is thought to take the least time on the current device, 0 where rows
 * are many or short. Statuses and messages are those of the launch, but for the workspace, which is not
 * looked at. */
WAVESMITH_KERNELS_API wavesmith_kernels_status
wavesmith_kernels_sample_workspace(const wavesmith_sample_description* sample, size_t* bytes);

/* Rejection sampling of speculative decoding (Leviathan, Kalman and Matias, "Fast inference from transformers
 * via speculative decoding", ICML 2023, algorithm 1), as vLLM's. Of sequence i, draft j was drawn with
 * probabilities q (row i * drafts + j of `draft`; null: it was certain), and the model has p (row i * (drafts
 * + 1) + j of `target`):
 *
 *   tokens[i][j] = the draft, as long as all before were accepted and u * q[draft] < p[draft]; else
 *   tokens[i][j] = a token drawn from max(p - q, 0), where that is 0 everywhere from p, and
 *   behind it -1
 *
 * Behind counts[i] drafts that all were accepted stands bonus[i], or without `bonus` a token drawn from p of
 * the row behind. accepted[i] is how many drafts were accepted. u is word 0 times 2^-32, and a token drawn
 * has words 2 and 3 (low first) as wavesmith_kernels_sample has words 0 and 1, of the block with the key
 * seeds[i] and the counter offsets[i] + j; weights are the differences times 2^40, cut to integers. So a
 * sequence takes drafts + 1 counters. A draft that is no token, or had a probability of 0, is not accepted.
 * What is drawn from a row with NaN, or with a number below 0 or of 2 or more, is -1.
 *
 * Greedily: with `target_tokens`, the model's tokens in rows of drafts + 1, drafts are accepted that equal
 * them, and they are what follows; `target`, `draft` and `seeds` are not looked at. */
typedef struct {
  int64_t batch, drafts, vocabulary;    /* drafts in each row, up to 1,024 */
  const int32_t* draft_tokens;          /* batch * drafts */
  const int32_t* counts;                /* of each sequence the drafts that are there; null: all */
  wavesmith_kernels_rows target, draft; /* f32 */
  const int32_t* target_tokens;
  const int32_t* bonus;
  const uint64_t* seeds;
  const int64_t* offsets; /* null: 0 */
  int32_t* tokens;        /* batch * (drafts + 1) */
  int32_t* accepted;      /* or null */
} wavesmith_verify_description;

WAVESMITH_KERNELS_API wavesmith_kernels_status
wavesmith_kernels_verify(const wavesmith_verify_description* verify, void* stream);

#ifdef __cplusplus
}
#endif
