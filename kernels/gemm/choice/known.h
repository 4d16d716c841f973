// Tiles that were chosen before: weighing all of them takes longer than launching a small product.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "kernels/gemm/configuration.h"

namespace wavesmith::kernels {

/// All that the choice of a plain product's tile depends on, besides the target.
using GemmTraits = std::array<int64_t, 9>;

/// The tiles of a thread's latest products.
class KnownTiles {
 public:
  /// The tile chosen for a product of these traits; null where it is not known.
  [[nodiscard]] const GemmConfiguration* find(const GemmTraits& traits, std::string_view target) const {
    const Entry& entry = entries_[place_of(traits)];
    return entry.tile && entry.traits == traits && entry.tile->target == target ? entry.tile : nullptr;
  }
  void remember(const GemmTraits& traits, const GemmConfiguration& tile) {
    entries_[place_of(traits)] = {traits, &tile};
  }

  static KnownTiles& of_thread() {
    thread_local KnownTiles known;
    return known;
  }

 private:
  struct Entry {
    GemmTraits traits{};
    const GemmConfiguration* tile = nullptr;
  };
  static constexpr size_t kEntries = 64;

  static size_t place_of(const GemmTraits& traits) {
    uint64_t mixed = 0;
    for (const int64_t each : traits) mixed = (mixed ^ static_cast<uint64_t>(each)) * 0x9e3779b97f4a7c15;
    return mixed >> 58;
  }

  std::array<Entry, kEntries> entries_{};
};

}  // namespace wavesmith::kernels
