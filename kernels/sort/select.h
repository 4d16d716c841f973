// The element of a rank, and all before it, without sorting: the digits of its key are found one after the
// other, from the first on, by counting those of the keys that begin alike (radix select).
#pragma once

#include "kernels/sort/sort.h"

namespace wavesmith::kernels {

template <class Key>
struct SelectShared {
  tile::u32 digits[kDigits];
  tile::u32 found, rest, count;  ///< a digit, the rank among those that have it, and how many these are
  tile::u32 counter;
  SortShared<Key, kSelectedAtOnce> sorted;
};

/// The key of a rank among others.
template <class Key>
struct Ranked {
  Key key;
  tile::u32 rank;   ///< among the keys that are equal
  tile::u32 count;  ///< of these
};

TILE_DEVICE tile::u32 counted(TILE_IN_SHARED tile::u32* counter) {
  return __hip_atomic_fetch_add(counter, 1U, __ATOMIC_RELAXED, __HIP_MEMORY_SCOPE_WORKGROUP);
}

/// Finds the digit of the rank by the counts of all digits.
template <class Shared>
TILE_DEVICE void find_digit(TILE_IN_SHARED Shared& shared, tile::u32 rank) {
  const auto thread = static_cast<tile::u32>(tile::arch::thread_id());
  const tile::u32 count = thread < kDigits ? shared.digits[thread] : 0;
  TILE_KEEP_LOOP for (tile::u32 distance = 1; distance < kDigits; distance *= 2) {
    tile::u32 before = 0;
    if (thread < kDigits && thread >= distance) before = shared.digits[thread - distance];
    tile::arch::barrier();
    if (thread < kDigits) shared.digits[thread] += before;
    tile::arch::barrier();
  }
  if (thread < kDigits) {
    const tile::u32 end = shared.digits[thread], begin = end - count;
    if (begin <= rank && rank < end) {
      shared.found = thread;
      shared.rest = rank - begin;
      shared.count = count;
    }
  }
  tile::arch::barrier();
}

/// Each calls a visitor with all keys that take part, as the workgroup's threads share them.
template <class Key, class Shared, class Each>
TILE_DEVICE Ranked<Key> select_key(TILE_IN_SHARED Shared& shared, int bits, tile::u32 rank, Each each) {
  const auto thread = static_cast<tile::u32>(tile::arch::thread_id());
  Ranked<Key> result{0, rank, 0};
  Key known = 0;  // the bits that have been found
  TILE_KEEP_LOOP for (int shift = bits - 8; shift >= 0; shift -= 8) {
    if (thread < kDigits) shared.digits[thread] = 0;
    tile::arch::barrier();
    each([&](Key key) {
      if (((key ^ result.key) & known) == 0)
        counted(&shared.digits[static_cast<tile::u32>(key >> shift) & (kDigits - 1)]);
    });
    tile::arch::barrier();
    find_digit(shared, result.rank);
    result.key |= static_cast<Key>(shared.found) << shift;
    result.rank = shared.rest;
    result.count = shared.count;
    known |= static_cast<Key>(kDigits - 1) << shift;
    tile::arch::barrier();
  }
  return result;
}

template <class Key>
struct SelectRow {
  const SelectArguments& g;
  tile::u32 number;
  RowPlace row;

  TILE_DEVICE explicit SelectRow(const SelectArguments& given)
      : g(given), number(static_cast<tile::u32>(tile::arch::workgroup_id())), row(given.rows, number) {}

  /// Calls with each key and its place, four of a thread under way together.
  template <class Visit>
  TILE_DEVICE void each(Visit visit) const {
    constexpr tile::u32 kTogether = 4;
    auto at = static_cast<tile::u32>(tile::arch::thread_id());
    TILE_KEEP_LOOP for (; at + (kTogether - 1) * kSelectThreads < g.rows.length;
                        at += kTogether * kSelectThreads) {
      Key keys[kTogether];
      TILE_UNROLL for (tile::u32 i = 0; i < kTogether; ++i) keys[i] =
          load_key<Key>(along_row(row.x, g.rows.x, at + i * kSelectThreads), g.order);
      TILE_UNROLL for (tile::u32 i = 0; i < kTogether; ++i) visit(keys[i], at + i * kSelectThreads);
    }
    TILE_KEEP_LOOP for (; at < g.rows.length; at += kSelectThreads)
        visit(load_key<Key>(along_row(row.x, g.rows.x, at), g.order), at);
  }

  /// The rank that the operation asks for.
  template <class Shared>
  TILE_DEVICE tile::u32 rank(TILE_IN_SHARED Shared& shared) const {
    if (g.most != 0) return g.most - 1;
    if (g.operation == WAVESMITH_SELECT_RANK) return g.rank;
    if (tile::arch::thread_id() == 0) shared.counter = 0;
    tile::arch::barrier();
    const Key nan = static_cast<Key>(g.order.all);
    if (g.order.is_float != 0)
      each([&](Key key, tile::u32) {
        if (key == nan) counted(&shared.counter);
      });
    tile::arch::barrier();
    const tile::u32 nans = shared.counter, numbers = g.rows.length - nans;
    tile::arch::barrier();
    if (g.operation == WAVESMITH_SELECT_MEDIAN) return nans != 0 ? g.rows.length - 1 : (numbers - 1) / 2;
    return numbers != 0 ? (numbers - 1) / 2 : 0;
  }
};

template <class Key>
TILE_DEVICE void select_element(const SelectArguments& g, TILE_IN_SHARED SelectShared<Key>& shared) {
  const SelectRow<Key> row(g);
  const auto keys = [&](auto visit) { row.each([&](Key key, tile::u32) { visit(key); }); };
  const Ranked<Key> found = select_key<Key>(shared, g.order.bytes * 8, row.rank(shared), keys);
  if (tile::arch::thread_id() == 0) shared.counter = kNoPlace;
  tile::arch::barrier();
  row.each([&](Key key, tile::u32 at) {
    if (key == found.key)
      __hip_atomic_fetch_min(&shared.counter, at, __ATOMIC_RELAXED, __HIP_MEMORY_SCOPE_WORKGROUP);
  });
  tile::arch::barrier();
  if (tile::arch::thread_id() == 0) put_place(g.rows, row.row, shared.counter, 0);
}

/// The first elements of the order, sorted.
template <class Key>
TILE_DEVICE void select_first(const SelectArguments& g, TILE_IN_SHARED SelectShared<Key>& shared) {
  const SelectRow<Key> row(g);
  const auto thread = static_cast<tile::u32>(tile::arch::thread_id());
  const auto keys = [&](auto visit) { row.each([&](Key key, tile::u32) { visit(key); }); };
  const Ranked<Key> last = select_key<Key>(shared, g.order.bytes * 8, row.rank(shared), keys);
  tile::u32 last_place = g.rows.length;
  if (last.rank + 1 != last.count) {  // of equal ones those with the smaller places
    const auto places = [&](auto visit) {
      row.each([&](Key key, tile::u32 at) {
        if (key == last.key) visit(at);
      });
    };
    last_place = select_key<tile::u32>(shared, 32, last.rank, places).key;
  }
  if (thread == 0) shared.counter = 0;
  clear_slot(shared.sorted, thread);
  tile::arch::barrier();
  row.each([&](Key key, tile::u32 at) {
    if (key < last.key || (key == last.key && at <= last_place))
      put_slot(shared.sorted, counted(&shared.counter), key, at);
  });
  tile::u32 log_slots = 0;
  while ((1U << log_slots) < g.most) ++log_slots;
  sort_blocks<kSelectThreads>(shared.sorted, log_slots, 1U << log_slots);
  if (thread < g.most) put_place(g.rows, row.row, shared.sorted.places[thread], thread);
}

}  // namespace wavesmith::kernels
