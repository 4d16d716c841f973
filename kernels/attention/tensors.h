// How attention's tensors of heads are laid out, and the rules for them.
#pragma once

#include <cstdint>
#include <string_view>

#include "kernels/attention/arguments.h"
#include "kernels/library/byte_range.h"
#include "kernels/wavesmith_attention.h"

namespace wavesmith::kernels {

/// Positions of a sequence are numbers of 32 bits, to which others and windows are added.
inline constexpr int64_t kLongestSequence = int64_t{1} << 28;

/// What q and o, or k and v, have; packed sequences are one batch.
struct HeadsExtent {
  int64_t batches, rows, heads;
  [[nodiscard]] bool empty() const { return batches == 0 || rows == 0 || heads == 0; }
};
HeadsExtent extent_q(const wavesmith_kernels_attention_description& attention);
HeadsExtent extent_k(const wavesmith_kernels_attention_description& attention);

/// What a tensor occupies.
ByteRange range_of(const wavesmith_kernels_heads& heads, const HeadsExtent& extent, int64_t head_size,
                   wavesmith_kernels_type type);

/// Whether a tensor may be read by kernels, two elements at a time, or written.
wavesmith_kernels_status check_heads(std::string_view operation, const char* name,
                                     const wavesmith_kernels_heads& heads, const HeadsExtent& extent,
                                     int64_t head_size, bool written);

/// The strides of a tensor, those that are never used being harmless.
AttentionStrides strides(const wavesmith_kernels_heads& heads, const HeadsExtent& extent, bool packed,
                         int64_t head_size);

}  // namespace wavesmith::kernels
