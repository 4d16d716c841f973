// Which tokens of a row stay, and what they weigh.
#pragma once

#include "kernels/sampling/range.h"
#include "tile/precise.h"

namespace wavesmith::kernels {

struct KeptRow {
  LogitsRow row;
  float largest, scale;
  tile::u64 least;  ///< weight
  float border;     ///< logit

  /// Without the border.
  [[nodiscard]] TILE_DEVICE tile::u64 candidate(float x) const {
    const tile::u64 weight = weight_of(x, largest, scale);
    return weight >= least ? weight : 0;
  }
  [[nodiscard]] TILE_DEVICE tile::u64 kept(float x) const { return x >= border ? candidate(x) : 0; }
  template <class Visit>
  TILE_DEVICE void each(RowPart part, Visit visit) const {
    row.each(part, [&](tile::u32, float x) { visit(kept(x)); });
  }
  [[nodiscard]] TILE_DEVICE tile::u64 weight(tile::u32 at) const { return kept(row.at(at)); }
  /// All tokens, without temperature.
  [[nodiscard]] TILE_DEVICE KeptRow all() const { return {row, largest, scale_of(1), 1, kLeastLogit}; }
};

template <class T>
TILE_DEVICE T parameter_of(const T* of_rows, long row, T otherwise) {
  return of_rows ? tile::arch::load_shared_by_lanes<T>(of_rows, row) : otherwise;
}

TILE_DEVICE LogitsRow logits_of(const SampleArguments& g, long number) {
  const int bytes = tile::arch::late(g.type) == WAVESMITH_KERNELS_F32 ? 4 : 2;
  const auto at = reinterpret_cast<tile::u64>(g.logits) + static_cast<tile::u64>(number * g.stride * bytes);
  return {reinterpret_cast<const void*>(at), g.type, g.aligned};
}
TILE_DEVICE RowPart all_of(const SampleArguments& g) { return {0, static_cast<tile::u32>(g.vocabulary)}; }

/// A row with its parameters; its border is still to be found.
struct SampledRow {
  KeptRow kept;
  RowRange range;
  int top_k;
  float top_p;
  bool is_valid, is_greedy;

  TILE_DEVICE SampledRow(const SampleArguments& g, long number, const LogitsRow& row, const RowRange& range)
      : range(range) {
    const float temperature = parameter_of(g.temperatures, number, 1.0F);
    const float min_p = parameter_of(g.min_p, number, 0.0F);
    top_k = parameter_of(g.top_k, number, 0), top_p = parameter_of(g.top_p, number, 1.0F);
    is_valid = range.is_valid() && temperature >= 0 && top_p >= 0 && min_p >= 0 && min_p <= 1;
    is_greedy = !(temperature >= kLeastTemperature);
    kept = {row, range.largest, scale_of(is_greedy ? 1 : temperature), least_weight(min_p), kLeastLogit};
  }
  /// Whether there is more to find than the largest.
  [[nodiscard]] TILE_DEVICE bool is_drawn() const { return is_valid && !is_greedy; }
  [[nodiscard]] TILE_DEVICE bool has_filters() const { return top_k > 0 || top_p < 1; }
  /// Of so many candidates.
  [[nodiscard]] TILE_DEVICE bool cuts_by_count(tile::u64 count) const {
    return top_k > 0 && count > static_cast<tile::u64>(top_k);
  }
};

/// The number of a row's draw.
TILE_DEVICE PhiloxBlock random_of(const SampleArguments& g, long number) {
  const auto offset = static_cast<tile::u64>(parameter_of(g.offsets, number, 0L));
  return philox(parameter_of(g.seeds, number, 0UL), offset, 0);
}

/// The logarithm of a token's probability among all, which weigh so much.
TILE_DEVICE void store_log(const SampleArguments& g, long number, const SampledRow& one, int token,
                           tile::u64 all) {
  const float x = one.kept.row.at(token < 0 ? 0 : static_cast<tile::u32>(token));
  const float below = x == one.range.largest ? 0 : x - one.range.largest;
  const float log = tile::precise::log(static_cast<float>(all) * 0x1p-40F);
  tile::arch::store_global(g.log_probabilities, number, token < 0 ? __builtin_nanf("") : below - log);
}

/// The probabilities of each wave's part; `share`: one over what is kept weighs.
TILE_DEVICE void store_probabilities(const SampleArguments& g, long number, const SampledRow& one,
                                     RowPart part, float share) {
  float* const to = g.probabilities + number * g.probabilities_stride;
  one.kept.row.each(part, [&](tile::u32 j, float x) {
    const float p = one.is_greedy ? static_cast<float>(j == one.range.first)
                                  : static_cast<float>(one.kept.kept(x)) * share;
    tile::arch::store_global(to, j, one.is_valid ? p : __builtin_nanf(""));
  });
}

}  // namespace wavesmith::kernels
