/* Attention, its gradients, and what comes before it: positions, and caches of keys and values. Part of the
 * kernel library: see wavesmith_kernels.h for messages and streams. */
#pragma once

#include "wavesmith_types.h"

#ifdef __cplusplus
extern "C" {
#endif

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
 * may make NaN of the gradients in its column. There are kernels for heads of up to 256, and with dropout of
 * up to 128. */
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
 * times the scale: one for all heads, or one of each, or as vLLM's int8_per_token_head and fp8_per_token_head
 * one of each position and head. That is at token_scales + block * token_scales_block_stride + position *
 * token_scales_row_stride + head * token_scales_head_stride, beside the cache or between its rows. */
typedef struct {
  void* data;
  wavesmith_kernels_type type;
  int64_t block_stride, row_stride, head_stride;
  const float* scale;  /* in the device's memory; null: 1 */
  int scale_per_head;  /* heads_kv scales */
  float* token_scales; /* in the device's memory, of caches of 8 bits, without `scale`; null: none */
  int64_t token_scales_block_stride, token_scales_row_stride, token_scales_head_stride; /* in floats */
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
 * on gfx950 and gfx1201; none elsewhere), or both i8 with scales, whose numbers are exact in the queries'
 * type. Of e4m3 both have token_scales or neither, and there are none with a head_size_v, as there is no i8.
 * The heads that share a head of K and V are served together. Tensors are aligned to 16 bytes, and their
 * strides are multiples of 16 bytes; of caches of i8, and with token_scales, of 4.
 *
 * The error is at most that of wavesmith_kernels_attention, with K and V times their scales; where queries
 * are f16, values with token_scales, or of i8, that are beyond f16's range may count as infinite. The order
 * of sums depends on the sizes, longest_context and the GPU only: results are the same in each run.
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
 * other, as halves of each block do; that no element is of both is the caller's affair.
 *
 * Caches may also be i8, with a scale: to the nearest, ties to even, from -128 to 127; of NaN 0. Where a
 * cache of i8 or e4m3 has token_scales, they are written: the largest magnitude of the token's head by the
 * type's largest number (127, 448, FNUZ 240), a correctly rounded f32 and at least 1e-6, as in vLLM, whose
 * integers are rounded to zero. A NaN or infinity among a head's elements makes such a scale, and NaN of all
 * of them. */
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
