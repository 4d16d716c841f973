// Rows sorted in shared memory by a bitonic network (K. E. Batcher, "Sorting networks and their
// applications", 1968). Of equal keys the places decide, so that the order is stable.
#pragma once

#include "kernels/pointwise/argument.h"
#include "kernels/sort/keys.h"
#include "kernels/sort/rows.h"
#include "kernels/sort/sort_arguments.h"

namespace wavesmith::kernels {

/// Keys and where they were. A slot that holds none has the largest of both.
template <class Key, int kSlots>
struct SortShared {
  Key keys[kSlots];
  tile::u32 places[kSlots];
};

inline constexpr tile::u32 kNoPlace = ~0U;

template <class Key, int kSlots>
TILE_DEVICE void put_slot(TILE_IN_SHARED SortShared<Key, kSlots>& shared, tile::u32 slot, Key key,
                          tile::u32 place) {
  shared.keys[slot] = key;
  shared.places[slot] = place;
}
template <class Key, int kSlots>
TILE_DEVICE void clear_slot(TILE_IN_SHARED SortShared<Key, kSlots>& shared, tile::u32 slot) {
  put_slot(shared, slot, static_cast<Key>(~Key(0)), kNoPlace);
}

/// Sorts each 2^log_block of the slots. Begins and ends with a barrier.
template <int kThreads, class Shared>
TILE_DEVICE void sort_blocks(TILE_IN_SHARED Shared& shared, tile::u32 log_block, tile::u32 slots) {
  const auto thread = static_cast<tile::u32>(tile::arch::thread_id());
  tile::arch::barrier();
  TILE_KEEP_LOOP for (tile::u32 size = 1; size <= log_block; ++size) {
    TILE_KEEP_LOOP for (tile::u32 distance = size; distance-- > 0;) {
      TILE_KEEP_LOOP for (tile::u32 pair = thread; pair < slots / 2; pair += kThreads) {
        const tile::u32 low = pair & ((1U << distance) - 1);
        const tile::u32 a = (pair - low) * 2 + low, b = a + (1U << distance);
        const bool ascends = size == log_block || (a >> size & 1) == 0;
        const auto key_a = shared.keys[a], key_b = shared.keys[b];
        const tile::u32 place_a = shared.places[a], place_b = shared.places[b];
        const bool is_less = key_a < key_b || (key_a == key_b && place_a < place_b);
        if (is_less != ascends) {
          put_slot(shared, a, key_b, place_b);
          put_slot(shared, b, key_a, place_a);
        }
      }
      tile::arch::barrier();
    }
  }
}

template <class Key>
using RowsShared = SortShared<Key, kSortedAtOnce>;

template <class Key>
TILE_DEVICE void sort_rows(const SortArguments& g, TILE_IN_SHARED RowsShared<Key>& shared) {
  const auto thread = static_cast<tile::u32>(tile::arch::thread_id());
  const tile::u32 first = static_cast<tile::u32>(tile::arch::workgroup_id()) << g.log_rows;
  const tile::u32 slots = 1U << (g.log_rows + g.log_slots), in_row = (1U << g.log_slots) - 1;
  TILE_KEEP_LOOP for (tile::u32 slot = thread; slot < slots; slot += kSortThreads) {
    const tile::u32 row = first + (slot >> g.log_slots), at = slot & in_row;
    if (row < g.rows.count && at < g.rows.length) {
      const RowPlace place(g.rows, row);
      put_slot(shared, slot, load_key<Key>(along_row(place.x, g.rows.x, at), g.order), at);
    } else {
      clear_slot(shared, slot);
    }
  }
  sort_blocks<kSortThreads>(shared, g.log_slots, slots);
  TILE_KEEP_LOOP for (tile::u32 slot = thread; slot < slots; slot += kSortThreads) {
    const tile::u32 row = first + (slot >> g.log_slots), at = slot & in_row;
    if (row < g.rows.count && at < g.most) put_place(g.rows, RowPlace(g.rows, row), shared.places[slot], at);
  }
}

}  // namespace wavesmith::kernels
