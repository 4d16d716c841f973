// What decode's kernels are given: shared by the host, which fills it in, and the device.
#pragma once

#include "kernels/attention/arguments.h"

namespace wavesmith::kernels {

/// Keys or values in pages. Strides are bytes.
struct PagedArguments {
  const void* data;
  const float* scale;  ///< null: 1
  long block, row, head;
  long scale_block, scale_row, scale_head;  ///< of scales; 0: all share one
};

/// Of o = softmax(q * k transposed) * v for the last queries of each sequence.
struct DecodeArguments {
  const void* q;
  void* o;
  PagedArguments k, v;
  const int *table, *lengths;
  const float *slopes, *sinks;  ///< null: none
  float* lse;                   ///< null: not wanted
  float *parts, *parts_lse;     ///< rows by splits by elements; rows by splits, in the base of 2
  AttentionStrides stride_q, stride_o;
  long table_stride, lse_batch, lse_head, slopes_batch;
  int heads, heads_kv, heads_per_kv, length_q;
  int rows;                   ///< queries of a head of k and v: length_q * heads_per_kv
  int tiles;                  ///< of rows
  int splits, keys;           ///< parts that a sequence is split into, and the keys of one
  int longest;                ///< keys of a sequence, at most
  int blocks;                 ///< of the cache; 0: sequence b is block b, whatever the table says
  int page_shift, page_mask;  ///< of a key: its place in the table and in the page
  int left;                   ///< keys that a query sees before its own, up to kUnlimited
  int workgroups;             ///< tiles of all heads, sequences and splits
  int dies, per_die;          ///< over which workgroups go by turns, and how many a die gets
  float factor;               ///< of scores in the base of 2: scale * log2(e)
  float softcap, per_cap;     ///< in the base of 2, and scale / the cap; 0: none
};

/// Of the kernel that combines a row's splits.
struct CombineArguments {
  const float *parts, *parts_lse;
  const float* sinks;
  void* o;
  float* lse;
  AttentionStrides stride_o;
  long lse_batch, lse_head;
  int heads, length_q;
  int rows;  ///< batches * length_q * heads
  int splits;
  int head_size, parts_of_row;  ///< of kCombineElements, or kCombinePieces times as many
  int pieces;                   ///< of kCombineElements that a wave has: 1 or kCombinePieces
};

/// Waves of a workgroup that combines, and the elements of a row that each has.
inline constexpr int kCombineWaves = 4, kCombineElements = 64;
/// Such elements that a wave has where a row has enough of them and few splits.
inline constexpr int kCombinePieces = 4;

}  // namespace wavesmith::kernels
