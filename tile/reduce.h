// Sums and maxima over the lanes that share a row: some lanes of a wave, or all waves of a workgroup. Every
// lane gets the result, and all get the same bits.
#pragma once

#include "tile/arch/device.h"
#include "tile/arch/here.h"
#include "tile/arch/numbers.h"
#include "tile/shared.h"

namespace tile {

/// The operations: how two values become one, and the value that changes nothing.
struct Sum {
  static constexpr float kNeutral = 0;
  TILE_DEVICE float operator()(float a, float b) const { return a + b; }
};
/// The larger value; of a number and NaN the number.
struct Max {
  static constexpr float kNeutral = -__builtin_huge_valf();
  TILE_DEVICE float operator()(float a, float b) const { return arch::greater(a, b); }
};
/// The larger and the smaller value, -0 being less than 0; NaN where either is NaN.
struct Maximum {
  static constexpr float kNeutral = -__builtin_huge_valf();
  TILE_DEVICE float operator()(float a, float b) const { return arch::maximum(a, b); }
};
struct Minimum {
  static constexpr float kNeutral = __builtin_huge_valf();
  TILE_DEVICE float operator()(float a, float b) const { return arch::minimum(a, b); }
};
/// The larger of two magnitudes (of floats without a sign). NaN is the largest: it is not lost.
struct LargerMagnitude {
  static constexpr float kNeutral = 0;
  TILE_DEVICE float operator()(float a, float b) const {
    const u32 bits_a = bits_as<u32>(a), bits_b = bits_as<u32>(b);
    return bits_as<float>(bits_a > bits_b ? bits_a : bits_b);
  }
};
TILE_DEVICE float magnitude(float value) { return bits_as<float>(bits_as<u32>(value) & 0x7fffffff); }

/// Of values in registers, combined in pairs.
template <int kCount, class Operation>
TILE_DEVICE float reduce_values(const float (&values)[kCount], Operation operation) {
  static_assert((kCount & (kCount - 1)) == 0, "values are combined in pairs");
  if constexpr (kCount == 1) {
    return values[0];
  } else {
    float pairs[kCount / 2];
    TILE_UNROLL for (int i = 0; i < kCount / 2; ++i) pairs[i] = operation(values[2 * i], values[2 * i + 1]);
    return reduce_values(pairs, operation);
  }
}

/// Over groups of `kLanes` lanes of a wave that follow each other, a power of two.
template <int kLanes, class Operation>
TILE_DEVICE float reduce_lanes(float value, Operation operation) {
  static_assert(kLanes <= arch::kHere.wave_lanes && (kLanes & (kLanes - 1)) == 0,
                "a row is shared by a power of two of lanes, at most a wave");
  if constexpr (kLanes > 1) value = operation(value, arch::swap_lanes<1>(value));
  if constexpr (kLanes > 2) value = operation(value, arch::swap_lanes<2>(value));
  if constexpr (kLanes > 4) value = operation(value, arch::swap_lanes<4>(value));
  if constexpr (kLanes > 8) value = operation(value, arch::swap_lanes<8>(value));
  if constexpr (kLanes > 32) {
    // A whole wave: what its rows of 16 lanes hold is read from them, which waits for no shared memory.
    const float rows[] = {arch::of_lane<0>(value), arch::of_lane<16>(value), arch::of_lane<32>(value),
                          arch::of_lane<48>(value)};
    value = reduce_values(rows, operation);
  } else if constexpr (kLanes > 16) {
    value = operation(value, arch::swap_lanes<16>(value));
  }
  return value;
}

/// Over the `kLanes` lanes that share a row. Where these are several waves, they are the whole workgroup and
/// meet in `shared`, a float per wave, which no other reduction of the kernel uses.
template <int kLanes, class Operation>
TILE_DEVICE float reduce_row(float value, SharedBytes shared, Operation operation) {
  constexpr int kWave = arch::kHere.wave_lanes;
  if constexpr (kLanes <= kWave) {
    return reduce_lanes<kLanes>(value, operation);
  } else {
    value = reduce_lanes<kWave>(value, operation);
    shared_write(shared + arch::thread_id() / kWave * 4, value);
    arch::barrier();
    float waves[kLanes / kWave];
    TILE_UNROLL for (int wave = 0; wave < kLanes / kWave; ++wave) waves[wave] =
        shared_read<float>(shared + wave * 4);
    return reduce_values(waves, operation);
  }
}

}  // namespace tile
