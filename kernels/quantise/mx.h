// OCP's Microscaling formats (MX 1.0): 32 numbers share a power of two, kept as e8m0.
#pragma once

#include "kernels/quantise/quantise.h"

namespace wavesmith::kernels {

/// MX's shared exponent (section 6.3): that of the largest magnitude, less that of the format's largest
/// number; 255, NaN, where it is a NaN or infinity.
TILE_DEVICE int shared_exponent(tile::Type type, float largest) {
  const auto exponent = [](float value) { return static_cast<int>(tile::bits_as<tile::u32>(value) >> 23); };
  const int code = exponent(largest) - (exponent(tile::largest_of(type)) - 127);
  return exponent(largest) == 255 ? 255 : code > 0 ? code : 0;
}

/// 2^(127 - code), of 255 NaN.
TILE_DEVICE float inverse_of_e8m0(int code) {
  return tile::bits_as<float>(code == 255 ? 0x7fc00000u : static_cast<tile::u32>(254 - code) << 23);
}
/// 2^(code - 127), of 255 NaN.
TILE_DEVICE float from_e8m0(int code) {
  return tile::bits_as<float>(code == 255 ? 0x7fc00000u
                              : code == 0 ? 0x00400000u
                                          : static_cast<tile::u32>(code) << 23);
}

/// Four bytes of two e2m1 each, from eight bytes of one.
TILE_DEVICE tile::u32 packed_e2m1(tile::Vector<tile::u8, 8> codes) {
  tile::u32 word = 0;
  TILE_UNROLL for (int i = 0; i < 8; ++i) word |= static_cast<tile::u32>(codes[i]) << (4 * i);
  return word;
}

TILE_DEVICE void quantise_mx(const QuantiseArguments& g) {
  using namespace tile;
  const QuantisedPlace place(arch::workgroup_id(), g.columns, g.eights.shift);
  const Type type = static_cast<Type>(g.type_y);
  const bool two = arch::late(g.type_y) == static_cast<int>(Type::E2M1x2);
  const int elements = two ? ceiling(g.columns, 2) : g.columns, column = place.column;
  QuantisedRows<false> y(g.y, g.type_y, g.rows, elements, g.stride_y, g.scales, place.first_row);
  y.columns = g.columns;
  const Eights<kQuantisedEights> eights = load_eights(numbers_of(g, place), place);
  TILE_UNROLL for (int i = 0; i < kQuantisedEights; ++i) {
    const int row = place.row + i * place.step;
    const Eight& values = eights.at[i];
    const int code = shared_exponent(
        type, largest_of_block(largest_of_eight(values, column, g.columns), g.scales.block_shift));
    y.keep_of_block(static_cast<u8>(code), row, column);
    const Vector<u8, 8> bytes = to_bytes(type, values * inverse_of_e8m0(code));
    if (!two) {
      y.view.store_as_is(row, column, bytes);
      continue;
    }
    const u32 word = packed_e2m1(bytes);
    if (arch::late(y.view.aligned))
      arch::store(y.view.buffer, y.view.offset(row, column / 2), word);
    else
      TILE_UNROLL for (int pair = 0; pair < 4; ++pair) arch::store(
          y.view.buffer, y.view.offset(row, column / 2 + pair), static_cast<u8>(word >> (8 * pair)));
  }
}

}  // namespace wavesmith::kernels
