// Numbers of 8 bits with a scale for each head of a token, which is found while they are written.
#pragma once

#include "kernels/cache/arguments.h"
#include "tile/narrow.h"
#include "tile/row.h"

namespace wavesmith::kernels {

/// Eight numbers of 8 bits. Rows whose ends are scales begin at multiples of four bytes.
TILE_DEVICE void store_bytes(const tile::TypedView& to, int head, int column, tile::Vector<tile::u8, 8> bytes,
                             bool by_words) {
  using namespace tile;
  if (!arch::late(by_words)) return to.store_as_is(head, column, bytes);
  const auto words = bits_as<Vector<u32, 2>>(bytes);
  const u32 at = to.offset(head, column);
  arch::store(to.buffer, at, words[0]);
  arch::store(to.buffer, at == arch::kOutside ? at : at + sizeof(u32), words[1]);
}

/// The scale of numbers of which that is the largest magnitude: vLLM's, with its least one. NaN stays.
TILE_DEVICE float token_scale(tile::Type type, float largest) {
  constexpr float kLeast = 1e-6F;
  const float scale = largest / tile::largest_of(type);
  return scale < kLeast ? kLeast : scale;
}

/// Writes a token's heads, each by sixteen lanes; `scales` is the first head's.
template <int kThreads>
TILE_DEVICE void write_with_token_scales(const CacheArguments& g, const tile::TypedView& from,
                                         const tile::TypedView& to, bool by_words, float* scales,
                                         long scale_head) {
  using namespace tile;
  constexpr int kSharing = 16, kStep = kSharing * 8;
  const Type type = static_cast<Type>(arch::late(static_cast<int>(to.type)));
  const int lane = arch::thread_id() % kSharing;
  for (int head = arch::thread_id() / kSharing; head < g.heads; head += kThreads / kSharing) {
    float largest = 0;
    for (int column = lane * 8; column < g.head_size; column += kStep)
      largest = LargerMagnitude{}(
          largest, reduce_eight(from.load(head, column), column, g.head_size, LargerMagnitude{},
                                [](float value) { return magnitude(value); }));
    const float scale = token_scale(type, reduce_lanes<kSharing>(largest, LargerMagnitude{}));
    if (lane == 0) arch::store_global(scales, head * scale_head, scale);
    for (int column = lane * 8; column < g.head_size; column += kStep) {
      Eight values = from.load(head, column);
      TILE_UNROLL for (int i = 0; i < 8; ++i) values[i] = values[i] / scale;
      if constexpr (arch::kHere.largest_e4m3 > 0) {
        if (type == kE4m3Here) {
          store_bytes(to, head, column, to_small_float<e4m3>(values), by_words);
          continue;
        }
      }
      store_bytes(to, head, column, bits_as<Vector<u8, 8>>(to_i8(values)), by_words);
    }
  }
}

}  // namespace wavesmith::kernels
