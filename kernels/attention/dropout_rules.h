// The host's side of attention's dropout: the rules for it, and what kernels are given.
#pragma once

#include <cstdint>
#include <string_view>

#include "kernels/attention/dropout.h"
#include "kernels/wavesmith_attention.h"

namespace wavesmith::kernels {

/// Largest heads of the kernels with dropout.
inline constexpr int kLargestDropoutHead = 128;

wavesmith_kernels_status check_dropout(std::string_view operation,
                                       const wavesmith_kernels_attention_description& attention);
/// Whether the kernels that serve a head have one with dropout.
wavesmith_kernels_status check_dropout_size(std::string_view operation, int size_of_kernels,
                                            const wavesmith_kernels_attention_description& attention);

/// The state that is read, if there is dropout.
inline const uint64_t* state_of(const wavesmith_kernels_attention_description& attention) {
  return attention.dropout != 0 ? attention.dropout_state : nullptr;
}
AttentionDropout dropout_of(const wavesmith_kernels_attention_description& attention);

}  // namespace wavesmith::kernels
