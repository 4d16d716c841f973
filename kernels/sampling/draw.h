// A token drawn by a row's weights, in the order of tokens: a workgroup shares the row among its waves, and
// looks closer at the part in which the drawn number lies.
#pragma once

#include "kernels/sampling/arguments.h"
#include "kernels/sampling/weights.h"
#include "tile/arch/device.h"
#include "tile/arch/here.h"
#include "tile/arch/lanes.h"

namespace wavesmith::kernels {

inline constexpr tile::u32 kSampleLanes = tile::arch::kHere.wave_lanes;
inline constexpr tile::u32 kSampleWaves = kSampleThreads / kSampleLanes;

TILE_DEVICE tile::u32 sample_thread() { return static_cast<tile::u32>(tile::arch::thread_id()); }
TILE_DEVICE tile::u32 sample_lane() { return sample_thread() % kSampleLanes; }
TILE_DEVICE tile::u32 sample_wave() {
  return static_cast<tile::u32>(tile::arch::uniform(static_cast<int>(sample_thread() / kSampleLanes)));
}

TILE_DEVICE tile::u32 from_lane(tile::u32 value, tile::u32 lane) {
  return static_cast<tile::u32>(tile::arch::from_lane(static_cast<int>(value), static_cast<int>(lane)));
}
TILE_DEVICE tile::u64 from_lane(tile::u64 value, tile::u32 lane) {
  return from_lane(static_cast<tile::u32>(value), lane) |
         static_cast<tile::u64>(from_lane(static_cast<tile::u32>(value >> 32), lane)) << 32;
}
TILE_DEVICE float from_lane(float value, tile::u32 lane) {
  return tile::bits_as<float>(from_lane(tile::bits_as<tile::u32>(value), lane));
}

/// Over groups of so many lanes of a wave, for all of them.
template <tile::u32 kCount = kSampleLanes, class T, class Operation>
TILE_DEVICE T over_wave(T value, Operation operation) {
  TILE_UNROLL for (tile::u32 distance = 1; distance < kCount; distance *= 2) value =
      operation(value, from_lane(value, sample_lane() ^ distance));
  return value;
}

/// A number from each wave.
template <class T>
struct OfWaves {
  T each[kSampleWaves];
};
struct Plus {
  template <class T>
  TILE_DEVICE T operator()(T a, T b) const {
    return a + b;
  }
};

/// Over the workgroup, for all threads.
template <class T, class Operation>
TILE_DEVICE T over_workgroup(T value, TILE_IN_SHARED OfWaves<T>& shared, Operation operation) {
  value = over_wave(value, operation);
  tile::arch::barrier();
  if (sample_lane() == 0) shared.each[sample_wave()] = value;
  tile::arch::barrier();
  return over_wave<kSampleWaves>(shared.each[sample_lane() % kSampleWaves], operation);
}

/// A number's place among the sums of the threads before.
struct Scanned {
  tile::u64 before, all;
};
TILE_DEVICE Scanned scan_workgroup(tile::u64 value, TILE_IN_SHARED OfWaves<tile::u64>& shared) {
  const tile::u32 lane = sample_lane();
  tile::u64 sum = value;
  TILE_UNROLL for (tile::u32 distance = 1; distance < kSampleLanes; distance *= 2) {
    const tile::u64 other = from_lane(sum, lane - distance);
    sum += lane >= distance ? other : 0;
  }
  tile::arch::barrier();
  if (lane == kSampleLanes - 1) shared.each[sample_wave()] = sum;
  tile::arch::barrier();
  const tile::u64 wave = shared.each[lane % kSampleWaves];
  Scanned result{sum - value, over_wave<kSampleWaves>(wave, Plus{})};
  result.before += over_wave<kSampleWaves>(lane % kSampleWaves < sample_wave() ? wave : 0, Plus{});
  return result;
}

/// A part of a row: each part of it begins at a multiple of four elements.
struct RowPart {
  tile::u32 begin, end;

  [[nodiscard]] TILE_DEVICE RowPart of(tile::u32 number, tile::u32 count) const {
    constexpr tile::u32 kStep = kSampleLanes * 4;
    const tile::u32 size = ((end - begin + count - 1) / count + kStep - 1) / kStep * kStep;
    const tile::u32 first = begin + number * size;
    return {first < end ? first : end, first + size < end ? first + size : end};
  }
  [[nodiscard]] TILE_DEVICE RowPart of_wave(tile::u32 wave) const { return of(wave, kSampleWaves); }
};

struct DrawShared {
  OfWaves<tile::u64> sums;
  tile::u32 found;
};

/// Over the sums of the waves.
TILE_DEVICE tile::u64 sum_of(TILE_IN_SHARED const OfWaves<tile::u64>& sums) {
  return over_wave<kSampleWaves>(sums.each[sample_lane() % kSampleWaves], Plus{});
}
/// The first at which they are more than `rest`, which becomes what of it lies there.
TILE_DEVICE tile::u32 place_among(TILE_IN_SHARED const OfWaves<tile::u64>& sums, tile::u64& rest) {
  const tile::u32 lane = sample_lane() % kSampleWaves;
  const tile::u64 mine = sums.each[lane];
  tile::u64 sum = mine;
  TILE_UNROLL for (tile::u32 distance = 1; distance < kSampleWaves; distance *= 2) {
    const tile::u64 other = from_lane(sum, sample_lane() - distance);
    sum += lane >= distance ? other : 0;
  }
  const auto place =
      static_cast<tile::u32>(tile::arch::uniform(tile::arch::first_lane(rest < sum))) % kSampleWaves;
  rest -= from_lane(sum - mine, place);
  return place;
}

/// Sums each wave's part. `row.each(part, visit)` calls a lane's visitor with the weights of its elements of
/// the part.
template <class Row>
TILE_DEVICE void weigh_waves(const Row& row, RowPart part, TILE_IN_SHARED DrawShared& shared) {
  tile::u64 mine = 0;
  row.each(part.of_wave(sample_wave()), [&](tile::u64 weight) { mine += weight; });
  mine = over_wave(mine, Plus{});
  tile::arch::barrier();
  if (sample_lane() == 0) shared.sums.each[sample_wave()] = mine;
  tile::arch::barrier();
}

struct Drawn {
  int token;
  tile::u64 all;
};

/// The token of a row of so many, drawn with two words, and the row's weight; -1 where all weights are 0.
/// `row.weight(at)` is one of the weights. `parts`: of so many the sums are in `shared` already; 0: of none.
template <class Row>
TILE_DEVICE Drawn draw_token(const Row& row, int count, tile::u32 parts, tile::u32 low, tile::u32 high,
                             TILE_IN_SHARED DrawShared& shared) {
  RowPart part{0, static_cast<tile::u32>(count)};
  tile::u64 all = 0, rest = 0;
  bool is_drawn = false;
  TILE_KEEP_LOOP do {
    if (parts == 0) weigh_waves(row, part, shared), parts = kSampleWaves;
    if (!is_drawn) {
      all = sum_of(shared.sums);
      if (tile::arch::uniform(all == 0) != 0) return {-1, 0};
      rest = share_of(all, low, high);
      is_drawn = true;
    }
    part = part.of(place_among(shared.sums, rest), parts);
    parts = 0;
  }
  while (part.end - part.begin > kSampleThreads);
  const tile::u32 at = part.begin + sample_thread();
  const tile::u64 weight = at < part.end ? row.weight(at) : 0;
  const Scanned scanned = scan_workgroup(weight, shared.sums);
  if (scanned.before <= rest && rest < scanned.before + weight) shared.found = at;
  tile::arch::barrier();
  return {static_cast<int>(shared.found), all};
}

}  // namespace wavesmith::kernels
