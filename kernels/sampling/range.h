// What a row's logits are like: their largest and least, for a workgroup that has the row or a part of it.
#pragma once

#include "kernels/sampling/row.h"
#include "tile/math.h"

namespace wavesmith::kernels {

inline constexpr float kLeastLogit = -__builtin_huge_valf();

struct RangeShared {
  OfWaves<float> floats;
  OfWaves<tile::u32> numbers;
};

struct RowRange {
  float largest, least;  ///< the least is more than minus infinity
  tile::u32 first;       ///< of the largest
  tile::u32 has_nan;

  [[nodiscard]] TILE_DEVICE bool is_valid() const {
    return tile::arch::uniform(static_cast<int>(has_nan == 0 && largest > kLeastLogit)) != 0;
  }
};

namespace detail {

struct Larger {
  TILE_DEVICE float operator()(float a, float b) const { return a > b ? a : b; }
};
struct Smaller {
  template <class T>
  TILE_DEVICE T operator()(T a, T b) const {
    return a < b ? a : b;
  }
};
struct Either {
  TILE_DEVICE tile::u32 operator()(tile::u32 a, tile::u32 b) const { return a | b; }
};

}  // namespace detail

/// Over the workgroup, of each wave's part.
TILE_DEVICE RowRange range_of(const LogitsRow& row, RowPart part, TILE_IN_SHARED RangeShared& shared) {
  float largest = kLeastLogit, least = tile::kInfinity;
  tile::u32 first = 0, has_nan = 0;
  row.each(part, [&](tile::u32 at, float x) {
    first = x > largest ? at : first;
    largest = x > largest ? x : largest;
    least = x > kLeastLogit && x < least ? x : least;
    has_nan |= static_cast<tile::u32>(x != x);
  });
  RowRange range{};
  range.largest = over_workgroup(largest, shared.floats, detail::Larger{});
  range.least = over_workgroup(least, shared.floats, detail::Smaller{});
  range.first =
      over_workgroup(largest == range.largest ? first : 0xffffffffU, shared.numbers, detail::Smaller{});
  range.has_nan = over_workgroup(has_nan, shared.numbers, detail::Either{});
  return range;
}

/// Of a row from the notes of so many parts.
TILE_DEVICE RowRange range_of(const SamplePartNotes* parts, int count) {
  const auto lane = static_cast<int>(sample_lane() % kMostSampleParts);
  const auto notes = tile::arch::load_global_as<SamplePartNotes>(parts, lane < count ? lane : 0);
  RowRange range{};
  range.largest = over_wave<kMostSampleParts>(notes.largest, detail::Larger{});
  range.least = over_wave<kMostSampleParts>(notes.least, detail::Smaller{});
  range.first = over_wave<kMostSampleParts>(notes.largest == range.largest ? notes.first : 0xffffffffU,
                                            detail::Smaller{});
  range.has_nan = over_wave<kMostSampleParts>(notes.has_nan, detail::Either{});
  return range;
}

}  // namespace wavesmith::kernels
