// A square matrix of bits, a row in each lane.
#pragma once

#include "tile/arch/flip.h"

namespace tile {

/// Transposes the matrices whose rows are in kRows lanes that follow each other: bit j of lane i becomes bit
/// i of lane j. Halves change places off the diagonal, then halves of halves.
template <int kRows>
TILE_DEVICE u32 transpose_bits(u32 row, int lane) {
  const auto step = [&](auto bit) {
    constexpr int kBit = decltype(bit)::kValue;
    constexpr u32 kLow = 0xffffffffu / ((1u << kBit) + 1);  // the bits whose numbers do not have it
    const u32 other = arch::flip_lane<kBit>(row);
    // Without conditions of lanes, which would be kept in scalar registers: all bits or none.
    const u32 high = 0u - (static_cast<u32>(lane) / kBit & 1);
    const u32 keep = kLow ^ high, moved = (other << kBit & ~high) | (other >> kBit & high);
    row = (row & keep) | (moved & ~keep);
  };
  if constexpr (kRows > 16) step(Constant<16>{});
  step(Constant<8>{});
  step(Constant<4>{});
  step(Constant<2>{});
  step(Constant<1>{});
  return row;
}

}  // namespace tile
