// How many workgroups share the choices that are sorted by expert, and what these need of memory.
#pragma once

#include <algorithm>
#include <cstdint>

#include "kernels/wavesmith_experts.h"

namespace wavesmith::kernels {

inline constexpr int64_t kMostChoices = int64_t{1} << 24;

/// A chunk of choices each workgroup. Counts within one have 16 bits.
struct ExpertChunks {
  static constexpr int64_t kStep = 1024, kMost = 32768;

  int64_t size, count, experts;

  /// As many as are thought to take the least time: up to two steps are one workgroup's, for more of them
  /// wait for a second kernel; and where there are more than 128 each reads the counts of all others for too
  /// long.
  static ExpertChunks of(int64_t choices, int64_t experts) {
    constexpr int64_t kAlone = 2 * kStep, kAtOnce = 128;
    if (choices <= kAlone) return in_chunks(choices, kAlone, experts);
    const int64_t steps = (choices + kStep * kAtOnce - 1) / (kStep * kAtOnce);
    return in_chunks(choices, std::min(steps * kStep, kMost), experts);
  }
  static ExpertChunks in_chunks(int64_t choices, int64_t size, int64_t experts) {
    return {size, std::max<int64_t>((choices + size - 1) / size, 1), experts};
  }

  [[nodiscard]] int64_t pairs() const { return (experts + 1) / 2; }
  [[nodiscard]] int64_t bytes() const { return count > 1 ? count * pairs() * 4 : 0; }
};

/// For tests: with such chunks. The workspace has to hold their counts.
WAVESMITH_KERNELS_API wavesmith_kernels_status sort_experts_in_chunks(
    const wavesmith_sort_experts_description& sort, const ExpertChunks& chunks, void* stream);

}  // namespace wavesmith::kernels
