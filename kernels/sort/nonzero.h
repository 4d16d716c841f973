// Which elements are not 0: chunks count theirs, the counts become places, and each chunk writes where its
// elements are. A thread takes elements that follow each other.
#pragma once

#include "kernels/pointwise/argument.h"
#include "kernels/sort/nonzero_arguments.h"
#include "tile/arch/device.h"

namespace wavesmith::kernels {

template <int kThreads>
struct PlacesShared {
  tile::u32 counts[kThreads];
};

/// How many the threads before this one have, and all together.
template <int kThreads>
TILE_DEVICE tile::u32 count_before(tile::u32 count, TILE_IN_SHARED PlacesShared<kThreads>& shared,
                                   tile::u32& all) {
  const int thread = tile::arch::thread_id();
  shared.counts[thread] = count;
  tile::arch::barrier();
  TILE_KEEP_LOOP for (int distance = 1; distance < kThreads; distance *= 2) {
    const tile::u32 before = thread >= distance ? shared.counts[thread - distance] : 0;
    tile::arch::barrier();
    shared.counts[thread] += before;
    tile::arch::barrier();
  }
  all = shared.counts[kThreads - 1];
  return shared.counts[thread] - count;
}

TILE_DEVICE bool is_not_zero(const NonzeroArguments& g, tile::u32 element) {
  int offset = 0;
  TILE_KEEP_LOOP for (int d = 0; d < tile::arch::late(g.dimensions); ++d) {
    const tile::u32 quotient = g.sizes[d].quotient(element);
    offset += static_cast<int>(element - quotient * g.sizes[d].divisor) * g.steps[d];
    element = quotient;
  }
  const tile::u64 at = reinterpret_cast<tile::u64>(g.x) + static_cast<tile::i64>(offset);
  tile::u64 bits = 0;
  switch (tile::arch::late(g.bytes)) {
    case 1:
      bits = tile::arch::load_at<tile::u8>(at);
      break;
    case 2:
      bits = tile::arch::load_at<tile::u16>(at);
      break;
    case 4:
      bits = tile::arch::load_at<tile::u32>(at);
      break;
    case 8:  // also of complex numbers, aligned to half
      bits = tile::arch::load_at<tile::u32>(at) |
             static_cast<tile::u64>(tile::arch::load_at<tile::u32>(at + 4)) << 32;
      break;
    default:
      bits = tile::arch::load_at<tile::u64>(at) | tile::arch::load_at<tile::u64>(at + 8);
  }
  return (bits & g.bits) != 0;
}

/// A thread's elements that are not 0, a bit each.
TILE_DEVICE tile::u32 nonzero_bits(const NonzeroArguments& g, tile::u32 first) {
  tile::u32 bits = 0;
  TILE_KEEP_LOOP for (tile::u32 i = 0; i < kNonzeroItems; ++i) {
    if (first + i < g.elements && is_not_zero(g, first + i)) bits |= 1U << i;
  }
  return bits;
}
TILE_DEVICE tile::u32 first_of_thread() {
  return static_cast<tile::u32>(tile::arch::workgroup_id()) * kNonzeroChunk +
         static_cast<tile::u32>(tile::arch::thread_id()) * kNonzeroItems;
}

using NonzeroShared = PlacesShared<kNonzeroThreads>;

TILE_DEVICE void count_nonzero(const NonzeroArguments& g, TILE_IN_SHARED NonzeroShared& shared) {
  tile::u32 all = 0;
  count_before(static_cast<tile::u32>(__builtin_popcount(nonzero_bits(g, first_of_thread()))), shared, all);
  if (tile::arch::thread_id() == 0) tile::arch::store_global(g.counts, tile::arch::workgroup_id(), all);
}

TILE_DEVICE void place_nonzero(const NonzeroArguments& g,
                               TILE_IN_SHARED PlacesShared<kNonzeroPlaceThreads>& shared) {
  const tile::u32 each = (g.chunks + kNonzeroPlaceThreads - 1) / kNonzeroPlaceThreads;
  const tile::u32 begin = static_cast<tile::u32>(tile::arch::thread_id()) * each;
  const tile::u32 end = begin + each < g.chunks ? begin + each : g.chunks;
  tile::u32 count = 0, all = 0;
  for (tile::u32 chunk = begin; chunk < end; ++chunk)
    count += tile::arch::load_global_as<tile::u32>(g.counts, chunk);
  tile::u32 at = count_before(count, shared, all);
  for (tile::u32 chunk = begin; chunk < end; ++chunk) {
    const auto here = tile::arch::load_global_as<tile::u32>(g.counts, chunk);
    tile::arch::store_global(g.counts, chunk, at);
    at += here;
  }
  if (tile::arch::thread_id() == 0) tile::arch::store_global(g.count, 0, static_cast<long>(all));
}

TILE_DEVICE void write_nonzero(const NonzeroArguments& g, TILE_IN_SHARED NonzeroShared& shared) {
  const tile::u32 first = first_of_thread(), bits = nonzero_bits(g, first);
  tile::u32 all = 0;
  long at = count_before(static_cast<tile::u32>(__builtin_popcount(bits)), shared, all);
  at += tile::arch::load_global_as<tile::u32>(g.counts, tile::arch::workgroup_id());
  TILE_KEEP_LOOP for (tile::u32 i = 0; i < kNonzeroItems; ++i) {
    if ((bits >> i & 1) == 0 || at >= g.most) continue;
    tile::u64 to = reinterpret_cast<tile::u64>(g.places) + at * g.place_strides[0];
    tile::u32 rest = first + i;
    TILE_KEEP_LOOP for (int d = 0; d < tile::arch::late(g.coordinate_dimensions); ++d) {
      const tile::u32 quotient = g.coordinates[d].quotient(rest);
      tile::arch::store_at(to, static_cast<tile::i64>(rest - quotient * g.coordinates[d].divisor));
      to += static_cast<tile::u64>(g.place_strides[1]);
      rest = quotient;
    }
    ++at;
  }
}

}  // namespace wavesmith::kernels
