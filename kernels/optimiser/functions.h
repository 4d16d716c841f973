// Functions of the elements of many arrays.
#pragma once

#include "kernels/optimiser/list.h"
#include "kernels/pointwise/functions.h"

namespace wavesmith::kernels {

TILE_DEVICE void compute_list(const ListArguments& g) {
  const ListEntry& entry = g.list.entries[entry_of_workgroup(g.list)];
  const int inputs = tile::arch::late(g.inputs);
  const auto operation = static_cast<Pointwise>(tile::arch::late(g.operation));
  const float numbers[3] = {entry.p, 0, 0};
  each_of_chunk(entry, [&](auto at_once, long first) {
    constexpr int kCount = decltype(at_once)::kValue;
    ArrivingFloats<kCount> arriving[WAVESMITH_LIST_INPUTS];
    TILE_UNROLL for (int k = 0; k < WAVESMITH_LIST_INPUTS; ++k) {
      if (k < inputs && entry.data[k + 1] && !tile::arch::late(g.single[k]))
        arriving[k] = {entry.data[k + 1], g.types[k + 1], first};
    }
    Group<float, kCount> v{};
    const auto load = [&](float (&to)[kCount], int k) {
      if (entry.data[k + 1] && !tile::arch::late(g.single[k])) return arriving[k].get(to, g.types[k + 1]);
      float one[] = {entry.number};
      if (entry.data[k + 1]) ArrivingFloats<1>(entry.data[k + 1], g.types[k + 1], 0).get(one, g.types[k + 1]);
      TILE_UNROLL for (int i = 0; i < kCount; ++i) to[i] = one[0];
    };
    if (inputs > 0) load(v.x, 0);
    if (inputs > 1) load(v.z, 1);
    if (inputs > 2) load(v.w, 2);
    if (inputs < 2)
      apply_to_one(operation, v, numbers);
    else
      apply_to_several(operation, v, numbers);
    store_floats(v.x, entry.data[0], g.types[0], first);
  });
}

}  // namespace wavesmith::kernels
