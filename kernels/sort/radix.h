// Long rows sorted by many workgroups, a digit of eight bits after the other from the last on: each chunk of
// a row counts its digits, the counts become places, and each chunk moves its keys there in their order.
// Within a wave equal digits find each other by votes of all lanes on each bit, which keeps the order.
#pragma once

#include "kernels/pointwise/argument.h"
#include "kernels/sort/keys.h"
#include "kernels/sort/rows.h"
#include "kernels/sort/sort_arguments.h"
#include "tile/arch/here.h"
#include "tile/arch/lanes.h"

namespace wavesmith::kernels {

/// What a workgroup moves: a chunk of a row.
template <class Key>
struct RadixChunk {
  const RadixArguments& g;
  tile::u32 in_batch, begin;
  RowPlace row;

  TILE_DEVICE explicit RadixChunk(const RadixArguments& given)
      : g(given),
        in_batch(static_cast<tile::u32>(tile::arch::workgroup_id_y())),
        begin(static_cast<tile::u32>(tile::arch::workgroup_id()) * kRadixChunk),
        row(given.rows, given.first_row + in_batch) {}

  [[nodiscard]] TILE_DEVICE tile::i64 element(tile::u32 at) const {
    return static_cast<tile::i64>(in_batch) * g.rows.length + at;
  }
  [[nodiscard]] TILE_DEVICE Key key(tile::u32 at) const {
    return g.from.keys ? tile::arch::load_global_as<Key>(g.from.keys, element(at))
                       : load_key<Key>(along_row(row.x, g.rows.x, at), g.order);
  }
  [[nodiscard]] TILE_DEVICE tile::u32 place(tile::u32 at) const {
    return g.from.keys ? tile::arch::load_global_as<tile::u32>(g.from.places, element(at)) : at;
  }
  [[nodiscard]] TILE_DEVICE tile::u32 digit(Key key) const {
    return static_cast<tile::u32>(key >> g.shift) & (kDigits - 1);
  }
  /// The number of this chunk's count of a digit.
  [[nodiscard]] TILE_DEVICE tile::i64 count(tile::u32 digit) const {
    return (static_cast<tile::i64>(in_batch) * g.chunks + tile::arch::workgroup_id()) * kDigits + digit;
  }
};

struct CountShared {
  tile::u32 digits[kDigits];
};

template <class Key>
TILE_DEVICE void count_digits(const RadixArguments& g, TILE_IN_SHARED CountShared& shared) {
  static_assert(kRadixThreads == kDigits);
  const auto thread = static_cast<tile::u32>(tile::arch::thread_id());
  const RadixChunk<Key> chunk(g);
  shared.digits[thread] = 0;
  tile::arch::barrier();
  TILE_UNROLL for (tile::u32 i = 0; i < kRadixItems; ++i) {
    const tile::u32 at = chunk.begin + i * kRadixThreads + thread;
    if (at < g.rows.length)
      __hip_atomic_fetch_add(&shared.digits[chunk.digit(chunk.key(at))], 1U, __ATOMIC_RELAXED,
                             __HIP_MEMORY_SCOPE_WORKGROUP);
  }
  tile::arch::barrier();
  tile::arch::store_global(g.counts, chunk.count(thread), shared.digits[thread]);
}

struct OffsetShared {
  tile::u32 sums[kOffsetThreads];
  tile::u32 digits[kDigits];
};

/// A row's counts become the places where each chunk's digits begin: behind those of smaller digits, and of
/// the same digit in the chunks before. Groups of threads take some of the chunks each.
TILE_DEVICE void place_digits(const RadixArguments& g, TILE_IN_SHARED OffsetShared& shared) {
  constexpr tile::u32 kGroups = kOffsetThreads / kDigits;
  const auto thread = static_cast<tile::u32>(tile::arch::thread_id());
  const tile::u32 digit = thread % kDigits, group = thread / kDigits;
  const tile::u32 each = (g.chunks + kGroups - 1) / kGroups, begin = group * each;
  const tile::u32 end = begin + each < g.chunks ? begin + each : g.chunks;
  const tile::i64 row = static_cast<tile::i64>(tile::arch::workgroup_id()) * g.chunks;
  const auto number = [&](tile::u32 chunk) { return (row + chunk) * kDigits + digit; };
  tile::u32 sum = 0;
  for (tile::u32 chunk = begin; chunk < end; ++chunk)
    sum += tile::arch::load_global_as<tile::u32>(g.counts, number(chunk));
  shared.sums[thread] = sum;
  tile::arch::barrier();
  tile::u32 total = 0;
  TILE_UNROLL for (tile::u32 i = 0; i < kGroups; ++i) total += shared.sums[i * kDigits + digit];
  if (group == 0) shared.digits[digit] = total;
  tile::arch::barrier();
  TILE_KEEP_LOOP for (tile::u32 distance = 1; distance < kDigits; distance *= 2) {
    const tile::u32 before = digit >= distance ? shared.digits[digit - distance] : 0;
    tile::arch::barrier();
    if (group == 0) shared.digits[digit] += before;
    tile::arch::barrier();
  }
  tile::u32 at = shared.digits[digit] - total;
  TILE_UNROLL for (tile::u32 i = 0; i < kGroups; ++i) at += i < group ? shared.sums[i * kDigits + digit] : 0;
  for (tile::u32 chunk = begin; chunk < end; ++chunk) {
    const tile::u32 count = tile::arch::load_global_as<tile::u32>(g.counts, number(chunk));
    tile::arch::store_global(g.counts, number(chunk), at);
    at += count;
  }
}

struct MoveShared {
  tile::u32 digits[kRadixThreads / tile::arch::kHere.wave_lanes][kDigits];
};

template <class Key>
TILE_DEVICE void move_keys(const RadixArguments& g, TILE_IN_SHARED MoveShared& shared) {
  constexpr tile::u32 kWave = tile::arch::kHere.wave_lanes, kWaves = kRadixThreads / kWave;
  const auto thread = static_cast<tile::u32>(tile::arch::thread_id());
  const tile::u32 wave = thread / kWave;
  const RadixChunk<Key> chunk(g);
  TILE_UNROLL for (tile::u32 i = 0; i < kWaves; ++i) shared.digits[i][thread] = 0;
  tile::arch::barrier();
  Key keys[kRadixItems];
  tile::u32 places[kRadixItems], ranks[kRadixItems];
  const tile::u32 begin = chunk.begin + wave * (kWave * kRadixItems) + thread % kWave;
  TILE_UNROLL for (tile::u32 i = 0; i < kRadixItems; ++i) {
    const tile::u32 at = begin + i * kWave;
    keys[i] = at < g.rows.length ? chunk.key(at) : 0;
    places[i] = at < g.rows.length ? chunk.place(at) : 0;
  }
  TILE_UNROLL for (tile::u32 i = 0; i < kRadixItems; ++i) {
    const bool is_there = begin + i * kWave < g.rows.length;
    const tile::u32 digit = chunk.digit(keys[i]);
    tile::arch::LaneMask same = tile::arch::lanes_where(is_there);
    TILE_UNROLL for (int bit = 0; bit < 8; ++bit) {
      const bool is_set = (digit >> bit & 1) != 0;
      const tile::arch::LaneMask set = tile::arch::lanes_where(is_set);
      same &= is_set ? set : ~set;
    }
    const tile::u32 before = tile::arch::lanes_below(same), first = shared.digits[wave][digit];
    tile::arch::wave_barrier();
    if (is_there && before == 0) shared.digits[wave][digit] = first + tile::arch::lanes_in(same);
    tile::arch::wave_barrier();
    ranks[i] = first + before;
  }
  tile::arch::barrier();
  tile::u32 at = tile::arch::load_global_as<tile::u32>(g.counts, chunk.count(thread));
  TILE_UNROLL for (tile::u32 i = 0; i < kWaves; ++i) {
    const tile::u32 count = shared.digits[i][thread];
    shared.digits[i][thread] = at;
    at += count;
  }
  tile::arch::barrier();
  TILE_UNROLL for (tile::u32 i = 0; i < kRadixItems; ++i) {
    if (begin + i * kWave >= g.rows.length) continue;
    const tile::u32 to = shared.digits[wave][chunk.digit(keys[i])] + ranks[i];
    if (g.to.keys) {
      tile::arch::store_global(g.to.keys, chunk.element(to), keys[i]);
      tile::arch::store_global(g.to.places, chunk.element(to), places[i]);
    } else if (to < g.most) {
      put_place(g.rows, chunk.row, places[i], to);
    }
  }
}

}  // namespace wavesmith::kernels
