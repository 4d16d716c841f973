// How a kernel finds the array and the elements that its workgroup takes.
#pragma once

#include "kernels/optimiser/arguments.h"
#include "kernels/optimiser/floats.h"
#include "kernels/pointwise/argument.h"

namespace wavesmith::kernels {

/// The entry whose workgroups this one is of.
template <class Entry>
TILE_DEVICE int entry_of_workgroup(const ArrayList<Entry>& list) {
  const auto workgroup = static_cast<unsigned>(tile::arch::workgroup_id());
  int low = 0, high = list.count;
  TILE_KEEP_LOOP while (high - low > 1) {
    const int middle = (low + high) / 2;
    if (list.entries[middle].first <= workgroup)
      low = middle;
    else
      high = middle;
  }
  return low;
}

template <class Entry>
TILE_DEVICE long first_of_chunk(const Entry& entry) {
  return static_cast<long>(static_cast<unsigned>(tile::arch::workgroup_id()) - entry.first) * kListChunk;
}

/// Calls `take` with all elements of the workgroup's chunk, as `each_of` does.
template <class Entry, class Take>
TILE_DEVICE void each_of_chunk(const Entry& entry, Take take) {
  const long first = first_of_chunk(entry), left = entry.elements - first;
  each_of(left < kListChunk ? static_cast<int>(left) : kListChunk, entry.aligned,
          [&](auto at_once, int number) { take(at_once, first + number); });
}

}  // namespace wavesmith::kernels
