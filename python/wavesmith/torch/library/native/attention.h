// What attention and its gradients are told.
#pragma once

#include "call.h"

namespace wavesmith::operators {

// The words of attention's schema.
struct AttentionWords {
  std::optional<double> softmax_scale;
  bool causal;
  int64_t window_left, window_right;
  double softcap;
  OptionalInt max_seqlen_q, max_seqlen_k;
};

// A tensor of heads whose batches, if any, come first.
wavesmith_kernels_heads heads_of(const Tensor& tensor);

// All but what is written: `o` and `lse`, whose strides are there.
wavesmith_kernels_attention_description described(const Call& call, const Tensor& q, const Tensor& k,
                                                  const Tensor& v, const OptionalTensor& alibi_slopes,
                                                  const OptionalTensor& sinks,
                                                  const OptionalTensor& cu_seqlens_q,
                                                  const OptionalTensor& cu_seqlens_k,
                                                  const AttentionWords& words);

}  // namespace wavesmith::operators
