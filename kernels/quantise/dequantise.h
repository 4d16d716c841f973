// Quantised rows as floats again.
#pragma once

#include "kernels/quantise/mx.h"

namespace wavesmith::kernels {

/// The scale of an eight of a row.
TILE_DEVICE float scale_of_eight(const ScaleArguments& scales, int row, int column) {
  const auto scaling = static_cast<Scaling>(tile::arch::late(scales.scaling));
  if (scaling == Scaling::None) return 1;
  const bool per_block = scaling == Scaling::PerBlock || scaling == Scaling::Mx;
  const bool one = scaling == Scaling::Given || scaling == Scaling::PerMatrix;
  const long at = one ? 0 : scale_at(scales, row, per_block ? column >> scales.block_shift : 0);
  if (scaling == Scaling::Mx) return from_e8m0(tile::arch::load_global_as<tile::u8>(scales.data, at));
  return tile::arch::load_global_as<float>(scales.data, at);
}

/// Eight bytes of one number each.
TILE_DEVICE tile::Vector<tile::u8, 8> load_numbers(const tile::TypedView& x, bool two, int row, int column) {
  if (!two) return x.load_bytes(row, column);
  tile::Vector<tile::u8, 8> bytes;
  TILE_UNROLL for (int i = 0; i < 4; ++i) {
    const auto pair = tile::arch::load<tile::u8>(x.buffer, x.offset(row, column / 2 + i));
    bytes[2 * i] = pair & 15, bytes[2 * i + 1] = pair >> 4;
  }
  return bytes;
}

TILE_DEVICE void dequantise(const QuantiseArguments& g) {
  using namespace tile;
  const QuantisedPlace place(arch::workgroup_id(), g.columns, g.eights.shift);
  const Type type = static_cast<Type>(g.type_x);
  const bool two = arch::late(g.type_x) == static_cast<int>(Type::E2M1x2);
  const TypedView x(g.x, type, g.rows, two ? ceiling(g.columns, 2) : g.columns, g.stride_x, place.first_row,
                    0),
      y(g.y, static_cast<Type>(g.type_y), g.rows, g.columns, g.stride_y, place.first_row, 0);
  if (place.column >= y.columns) return;
  Vector<u8, 8> bytes[kQuantisedEights];
  float scales[kQuantisedEights];
  TILE_UNROLL for (int i = 0; i < kQuantisedEights; ++i) {
    const int row = place.row + i * place.step;
    bytes[i] = load_numbers(x, two, row, place.column);
    // Of a row that is not there, that of the last one.
    const int last = y.rows - 1;
    scales[i] = scale_of_eight(g.scales, place.first_row + (row < last ? row : last), place.column);
  }
  TILE_UNROLL for (int i = 0; i < kQuantisedEights; ++i)
      y.store(place.row + i * place.step, place.column, from_bytes(type, bytes[i]) * scales[i]);
}

}  // namespace wavesmith::kernels
