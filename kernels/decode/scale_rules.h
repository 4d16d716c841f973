// The rules that the scales of a cache of 8 bits keep, where it is written and where it is read, and where
// they lie. Needs no GPU.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "kernels/library/byte_range.h"
#include "kernels/wavesmith_attention.h"

namespace wavesmith::kernels {

/// How many blocks, positions of a block and heads a cache has, and the longest distance between scales.
struct ScaleExtents {
  int64_t blocks = 0, positions = 0, heads = 0;
  int64_t longest = INT64_MAX;
};

/// Whether the scales of a cache keep the rules: one for all or one per head, or one per position and head,
/// at addresses and distances that kernels can use; `name` is the cache's in messages.
wavesmith_kernels_status check_scales_of_cache(std::string_view operation, const std::string& name,
                                               const wavesmith_kernels_paged& cache,
                                               const ScaleExtents& extents);

/// Whether the kernels that read a cache look for a scale at each position.
bool has_scales_of_positions(const wavesmith_kernels_paged& cache);

/// The memory of a cache's scales of positions; empty where it has none.
ByteRange token_scales_of(const wavesmith_kernels_paged& cache, int64_t blocks, int64_t positions,
                          int64_t heads);

}  // namespace wavesmith::kernels
