// Norms of many arrays: each workgroup reduces a chunk, then one for each array what these gave.
#pragma once

#include "kernels/optimiser/list.h"
#include "tile/reduce.h"

namespace wavesmith::kernels {

/// Calls with the operation, and with what an element counts as.
template <class Reduce>
TILE_DEVICE void with_order(int order, Reduce reduce) {
  switch (static_cast<wavesmith_norm_order>(tile::arch::late(order))) {
    case WAVESMITH_NORM_SUM:
      return reduce(tile::Sum{}, [](float x) { return tile::magnitude(x); });
    case WAVESMITH_NORM_ROOT:
      return reduce(tile::Sum{}, [](float x) { return x * x; });
    default:
      return reduce(tile::LargerMagnitude{}, [](float x) { return tile::magnitude(x); });
  }
}

TILE_DEVICE void norm_of_chunk(const NormArguments& g) {
  TILE_SHARED static float memory[16];
  const NormEntry& entry = g.list.entries[entry_of_workgroup(g.list)];
  with_order(g.order, [&](auto operation, auto counts) __attribute__((always_inline)) {
    float of_thread = 0;
    each_of_chunk(entry, [&](auto at_once, long first) {
      constexpr int kCount = decltype(at_once)::kValue;
      float x[kCount];
      ArrivingFloats<kCount>(entry.x, g.type, first).get(x, g.type);
      TILE_UNROLL for (int i = 0; i < kCount; ++i) x[i] = counts(x[i]);
      of_thread = operation(of_thread, tile::reduce_values(x, operation));
    });
    const float all = tile::reduce_row<kListThreads>(of_thread, (tile::SharedBytes)memory, operation);
    if (tile::arch::thread_id() == 0) tile::arch::store_global(g.parts, tile::arch::workgroup_id(), all);
  });
}

/// A workgroup for each array.
TILE_DEVICE void norm_of_parts(const NormArguments& g) {
  TILE_SHARED static float memory[16];
  const NormEntry& entry = g.list.entries[tile::arch::workgroup_id()];
  const long parts = (entry.elements + kListChunk - 1) / kListChunk;
  with_order(g.order, [&](auto operation, auto /*counts*/) __attribute__((always_inline)) {
    float of_thread = 0;
    for (long part = tile::arch::thread_id(); part < parts; part += kListThreads)
      of_thread = operation(of_thread, tile::arch::load_global_as<float>(g.parts, entry.first + part));
    float all[1] = {tile::reduce_row<kListThreads>(of_thread, (tile::SharedBytes)memory, operation)};
    if (tile::arch::late(g.order) == WAVESMITH_NORM_ROOT) all[0] = __builtin_sqrtf(all[0]);
    if (tile::arch::thread_id() == 0) store_floats(all, entry.norm, g.type_norm, 0);
  });
}

}  // namespace wavesmith::kernels
