// What an attention kernel is given: shared by the host, which fills it in, and the device.
#pragma once

namespace wavesmith::kernels {

/// Elements from one batch, position of a sequence, and head to the next.
struct AttentionStrides {
  long batch, row, head;
};

/// Of o = softmax(q * k transposed) * v in each batch and head of q.
struct AttentionArguments {
  const void *q, *k, *v;
  void* o;
  float* lse;           ///< null: not wanted
  const float* slopes;  ///< of ALiBi, null: none
  const float* sinks;   ///< a score per head that has no key; null: none
  /// Where the sequences of a batch begin, one more than batches; null: each has length_q or length_k.
  const int *starts_q, *starts_k;
  AttentionStrides stride_q, stride_k, stride_v, stride_o;
  long lse_batch, lse_head, slopes_batch;
  int heads, heads_per_kv;     ///< of q; those that share a head of k and v
  int length_q, length_k;      ///< of each sequence; with starts, the rows of all of them
  int head_size, head_size_v;  ///< of q and k, of v and o
  int tiles;                   ///< of q, in each batch and head
  int workgroups;              ///< tiles of all of them
  int dies, per_die;           ///< over which workgroups go by turns, and how many a die gets
  int left, right;             ///< keys that a query sees besides its own position's, up to kUnlimited
  float factor;                ///< of scores in the base of 2: scale * log2(e)
  float softcap, per_cap;      ///< in the base of 2, and scale / the cap; 0: none
};

inline constexpr int kUnlimited = 1 << 29;
/// Keys to one side, of which a negative number means all.
constexpr int limited(long window) {
  return window < 0 || window > kUnlimited ? kUnlimited : static_cast<int>(window);
}

}  // namespace wavesmith::kernels
