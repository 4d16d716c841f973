// For tests: attention as small as it comes, from which refusals go astray.
#pragma once

#include "kernels/refusal_testing.h"

namespace wavesmith::kernels {

/// Where the matrix of that number begins in a buffer: two sequences of 16 positions of two heads of 64 in
/// bf16.
inline wavesmith_kernels_heads small_heads(char* at, int64_t number) {
  return {at + 8192 * number, 2048, 128, 64};
}

/// Attention of q, k, v and o, which are the matrices 0 to 3 of a buffer; lse lies behind eight of them.
inline wavesmith_kernels_attention_description small_attention(char* at) {
  return {.batches = 2,
          .heads_q = 2,
          .heads_kv = 2,
          .length_q = 16,
          .length_k = 16,
          .head_size = 64,
          .type = WAVESMITH_KERNELS_BF16,
          .q = small_heads(at, 0),
          .k = small_heads(at, 1),
          .v = small_heads(at, 2),
          .o = small_heads(at, 3),
          .scale = 0.125F,
          .window_left = -1,
          .window_right = -1,
          .lse = reinterpret_cast<float*>(at + 65536),
          .lse_batch_stride = 32,
          .lse_head_stride = 16};
}

}  // namespace wavesmith::kernels
