// Elements that lie where indices say: a thread takes one, or several that follow each other as one.
#pragma once

#include "kernels/indexed/arguments.h"
#include "kernels/pointwise/argument.h"
#include "kernels/pointwise/elements.h"

namespace wavesmith::kernels {

/// The addresses of a thread's elements.
struct IndexedPlace {
  tile::u64 y, x;

  TILE_DEVICE IndexedPlace(const IndexedArguments& g, tile::u32 element) {
    int offsets[2 + WAVESMITH_INDEXED_INDICES] = {};
    tile::u32 rest = element;
    TILE_KEEP_LOOP for (int d = 0; d < tile::arch::late(g.dimensions); ++d) {
      const tile::u32 quotient = g.sizes[d].quotient(rest);
      const int at = static_cast<int>(rest - quotient * g.sizes[d].divisor);
      offsets[0] += at * g.y.steps[d];
      offsets[1] += at * g.x.steps[d];
      TILE_UNROLL for (int k = 0; k < WAVESMITH_INDEXED_INDICES; ++k) offsets[2 + k] +=
          at * g.indices[k].steps[d];
      rest = quotient;
    }
    tile::i64 added = 0;
    TILE_UNROLL for (int k = 0; k < WAVESMITH_INDEXED_INDICES; ++k) {
      if (k < tile::arch::late(g.indexed)) added += index(g, k, offsets[2 + k]) * g.index_strides[k];
    }
    y = reinterpret_cast<tile::u64>(g.y.data) + offsets[0] + (g.y_is_indexed ? added : 0);
    x = reinterpret_cast<tile::u64>(g.x.data) + offsets[1] + (g.y_is_indexed ? 0 : added);
  }

 private:
  TILE_DEVICE static tile::i64 index(const IndexedArguments& g, int k, int offset) {
    const tile::u64 address = reinterpret_cast<tile::u64>(g.indices[k].data) + static_cast<tile::i64>(offset);
    const bool is_short = tile::arch::late(g.indices[k].type) == WAVESMITH_POINTWISE_I32;
    tile::i64 at = is_short ? tile::arch::load_at<int>(address) : tile::arch::load_at<tile::i64>(address);
    if (at < g.least_indices[k] || at >= g.index_sizes[k]) __builtin_trap();
    return at < 0 ? at + g.index_sizes[k] : at;
  }
};

TILE_DEVICE tile::u32 indexed_element() {
  return static_cast<tile::u32>(tile::arch::workgroup_id()) * kIndexedThreads +
         static_cast<tile::u32>(tile::arch::thread_id());
}

TILE_DEVICE void move_indexed(const IndexedArguments& g) {
  const tile::u32 element = indexed_element();
  if (element >= g.elements) return;
  const IndexedPlace place(g, element);
  const auto move = [&]<class T>(T) { tile::arch::store_at(place.y, tile::arch::load_at<T>(place.x)); };
  switch (tile::arch::late(g.bytes)) {
    case 1:
      return move(tile::u8());
    case 2:
      return move(tile::u16());
    case 4:
      return move(tile::u32());
    case 8:
      return move(tile::u64());
    default:
      return move(tile::Piece());
  }
}

template <class C>
TILE_DEVICE void add_indexed(const IndexedArguments& g) {
  const tile::u32 element = indexed_element();
  if (element >= g.elements) return;
  const IndexedPlace place(g, element);
  const C x = load_element<C>(place.x, g.x.type);
  __hip_atomic_fetch_add(reinterpret_cast<__attribute__((address_space(1))) C*>(place.y), x, __ATOMIC_RELAXED,
                         __HIP_MEMORY_SCOPE_AGENT);
}

/// What an element becomes where another goes. NaN stays.
template <class C>
TILE_DEVICE C combined(int operation, C y, C x) {
  switch (tile::arch::late(operation)) {
    case WAVESMITH_INDEXED_MAXIMUM:
      return y >= x || y != y ? y : x;
    case WAVESMITH_INDEXED_MINIMUM:
      return y <= x || y != y ? y : x;
    default:
      return y * x;
  }
}

template <class C>
constexpr auto no_bits() {
  if constexpr (sizeof(C) == sizeof(tile::u32))
    return tile::u32();
  else
    return tile::u64();
}

/// By compare-and-swap of an element's bits, until nobody else came between.
template <class C>
TILE_DEVICE void combine_indexed(const IndexedArguments& g) {
  using Bits = decltype(no_bits<C>());
  const tile::u32 element = indexed_element();
  if (element >= g.elements) return;
  const IndexedPlace place(g, element);
  const C x = load_element<C>(place.x, g.x.type);
  auto* y = reinterpret_cast<__attribute__((address_space(1))) Bits*>(place.y);
  Bits seen = __hip_atomic_load(y, __ATOMIC_RELAXED, __HIP_MEMORY_SCOPE_AGENT);
  for (;;) {
    const Bits wanted = __builtin_bit_cast(Bits, combined(g.operation, __builtin_bit_cast(C, seen), x));
    if (wanted == seen) return;
    if (__hip_atomic_compare_exchange_strong(y, &seen, wanted, __ATOMIC_RELAXED, __ATOMIC_RELAXED,
                                             __HIP_MEMORY_SCOPE_AGENT))
      return;
  }
}

}  // namespace wavesmith::kernels
