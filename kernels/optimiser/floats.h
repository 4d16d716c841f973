// Floats of a type that is known at run time only, of which a thread takes one or a few that follow each
// other.
#pragma once

#include "kernels/optimiser/arguments.h"
#include "tile/arch/device.h"
#include "tile/vector.h"

namespace wavesmith::kernels {

/// Calls with Constant<elements> and the number of the first one: the threads of a workgroup share `count`
/// elements, several at once where they are aligned and there are as many.
template <class Take>
TILE_DEVICE void each_of(int count, bool aligned, Take take) {
  const int thread = tile::arch::thread_id(), together = aligned ? count / kListAtOnce * kListAtOnce : 0;
  TILE_KEEP_LOOP for (int i = thread * kListAtOnce; i < together; i += kListThreads * kListAtOnce)
      take(tile::Constant<kListAtOnce>{}, i);
  TILE_KEEP_LOOP for (int i = together + thread; i < count; i += kListThreads) take(tile::Constant<1>{}, i);
}

namespace detail {

/// Calls with an element of the type.
template <class Visit>
TILE_DEVICE void of_common_float(int type, Visit visit) {
  switch (static_cast<wavesmith_kernels_type>(tile::arch::late(type))) {
    case WAVESMITH_KERNELS_F16:
      return visit(tile::f16());
    case WAVESMITH_KERNELS_BF16:
      return visit(tile::bf16());
    default:
      return visit(float());
  }
}

}  // namespace detail

/// Elements that are being loaded, from that number on, of a type that is known at run time only: a float
/// each, or two of 16 bits in a word. Only `get` waits for them.
template <int kCount>
struct ArrivingFloats {
  tile::Vector<tile::u32, kCount> words = {};

  TILE_DEVICE ArrivingFloats() = default;
  TILE_DEVICE ArrivingFloats(const void* data, int type, long first) {
    const auto from = reinterpret_cast<tile::u64>(data), number = static_cast<tile::u64>(first);
    if (tile::arch::late(type) == WAVESMITH_KERNELS_F32) {
      words = tile::arch::load_at<tile::Vector<tile::u32, kCount>>(from + number * 4);
    } else if constexpr (kCount == 1) {
      words[0] = tile::arch::load_at<tile::u16>(from + number * 2);
    } else {
      const auto pairs = tile::arch::load_at<tile::Vector<tile::u32, kCount / 2>>(from + number * 2);
      TILE_UNROLL for (int i = 0; i < kCount / 2; ++i) words[i] = pairs[i];
    }
  }
  TILE_DEVICE void get(float (&numbers)[kCount], int type) const {
    detail::of_common_float(type, [&]<class S>(S) {
      TILE_UNROLL for (int i = 0; i < kCount; ++i) {
        if constexpr (sizeof(S) == 4)
          numbers[i] = tile::bits_as<S>(words[i]);
        else
          numbers[i] = static_cast<float>(tile::bits_as<S>(
              static_cast<tile::u16>(kCount == 1 || i % 2 == 0 ? words[i / 2] : words[i / 2] >> 16)));
      }
    });
  }
};

template <int kCount>
TILE_DEVICE void store_floats(const float (&numbers)[kCount], void* data, int type, long first) {
  detail::of_common_float(type, [&]<class S>(S) {
    const tile::u64 at = reinterpret_cast<tile::u64>(data) + static_cast<tile::u64>(first) * sizeof(S);
    if constexpr (kCount == 1) {
      tile::arch::store_at(at, static_cast<S>(numbers[0]));
    } else {
      tile::Vector<S, kCount> raw;
      TILE_UNROLL for (int i = 0; i < kCount; ++i) raw[i] = static_cast<S>(numbers[i]);
      tile::arch::store_at(at, raw);
    }
  });
}

}  // namespace wavesmith::kernels
