// Points in bins, a thread for each point; edges, a thread for each.
#pragma once

#include "kernels/bins/arguments.h"
#include "kernels/pointwise/argument.h"
#include "tile/arch/device.h"

namespace wavesmith::kernels {

/// How many edges are no greater than a number, by halving. Those before it are at least one.
template <class T>
TILE_DEVICE int edges_up_to(tile::u64 edges, int count, T number) {
  int begin = 1, end = count;
  TILE_KEEP_LOOP while (begin < end) {
    const int middle = begin + (end - begin) / 2;
    const bool is_behind =
        tile::arch::load_at<T>(edges + static_cast<tile::u64>(middle) * sizeof(T)) > number;
    begin = is_behind ? begin : middle + 1;
    end = is_behind ? middle : end;
  }
  return begin;
}

template <class T>
TILE_DEVICE void add_to_bins(const BinsArguments& g) {
  const tile::u32 point = static_cast<tile::u32>(tile::arch::workgroup_id()) * kBinsThreads +
                          static_cast<tile::u32>(tile::arch::thread_id());
  if (point >= g.points) return;
  const tile::u64 x = reinterpret_cast<tile::u64>(g.x) + static_cast<tile::i64>(point) * g.point_step;
  tile::i64 bin = 0;
  bool is_inside = true;
  TILE_KEEP_LOOP for (int c = 0; c < tile::arch::late(g.coordinates); ++c) {
    const tile::u64 edges = reinterpret_cast<tile::u64>(g.edges[c]);
    const int count = g.bins[c];
    const T number = tile::arch::load_at<T>(x + static_cast<tile::i64>(c) * g.coordinate_step);
    const T first = tile::arch::load_at<T>(edges),
            last = tile::arch::load_at<T>(edges + static_cast<tile::u64>(count) * sizeof(T));
    is_inside = is_inside && number >= first && number <= last;
    const int before = edges_up_to(edges, count + 1, number);
    bin = bin * count + (before > count ? count : before) - 1;
  }
  if (!is_inside) return;
  const T weight = g.weights == nullptr
                       ? T(1)
                       : tile::arch::load_at<T>(reinterpret_cast<tile::u64>(g.weights) +
                                                static_cast<tile::i64>(point) * g.weight_step);
  __hip_atomic_fetch_add(
      reinterpret_cast<__attribute__((address_space(1))) T*>(reinterpret_cast<tile::u64>(g.sums)) + bin,
      weight, __ATOMIC_RELAXED, __HIP_MEMORY_SCOPE_AGENT);
}

/// As SPACED of `pointwise/`: from either end to the middle.
template <class T>
TILE_DEVICE void write_edges(const BinEdgesArguments& g) {
  const int group = tile::arch::workgroup_id(), c = group / g.groups;
  const int edge = (group - c * g.groups) * kBinsThreads + tile::arch::thread_id(), bins = g.bins[c];
  if (edge > bins) return;
  const double at =
      edge < (bins + 1) / 2 ? g.low[c] + edge * g.width[c] : g.high[c] - (bins - edge) * g.width[c];
  tile::arch::store_at(reinterpret_cast<tile::u64>(g.edges[c]) + static_cast<tile::u64>(edge) * sizeof(T),
                       static_cast<T>(at));
}

}  // namespace wavesmith::kernels
