// New keys and values go to their places in a cache of pages, in the cache's type.
#pragma once

#include "kernels/cache/token_scales.h"

namespace wavesmith::kernels {

/// A token's keys, or its values, per workgroup, eight elements of a head per thread at a time.
template <int kThreads>
TILE_DEVICE void write_cache(const CacheArguments& g) {
  using namespace tile;
  const int token = arch::workgroup_id();
  const long slot = g.slots[token];
  if (slot < 0 || slot >= g.positions) return;
  const int eights = ceiling(g.head_size, 8);
  const CacheWrite& write = arch::workgroup_id_y() == 0 ? g.k : g.v;
  const auto view = [&](const void* data, int type, i64 first, i64 head) {
    const Type of = static_cast<Type>(type);
    return TypedView(static_cast<const char*>(data) + first * size_of(of), of, g.heads, g.head_size, head, 0,
                     0);
  };
  const TypedView from = view(write.from, write.type_from, token * write.token, write.head);
  const TypedView to = view(write.to, write.type_to,
                            slot / g.page_size * write.block + slot % g.page_size * write.row, write.to_head);
  if (write.token_scales) {
    float* const scales =
        write.token_scales + slot / g.page_size * write.scale_block + slot % g.page_size * write.scale_row;
    return write_with_token_scales<kThreads>(g, from, to, write.by_words, scales, write.scale_head);
  }
  for (int item = arch::thread_id(); item < g.heads * eights; item += kThreads) {
    const int head = item / eights, column = item % eights * 8;
    Eight values = from.load(head, column);
    if (write.scale) {
      const float scale = arch::load_global(write.scale, write.scale_per_head ? head : 0);
      TILE_UNROLL for (int i = 0; i < 8; ++i) values[i] = values[i] / scale;
    }
    if constexpr (arch::kHere.largest_e4m3 > 0) {
      if (arch::late(write.type_to) == static_cast<int>(kE4m3Here)) {
        to.store_as_is(head, column, to_small_float<e4m3>(values));
        continue;
      }
    }
    if (arch::late(write.type_to) == static_cast<int>(Type::I8))
      to.store_as_is(head, column, to_i8(values));
    else
      to.store(head, column, values);
  }
}

}  // namespace wavesmith::kernels
