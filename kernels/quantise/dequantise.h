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

/// An eight per thread.
TILE_DEVICE void dequantise(const QuantiseArguments& g) {
  using namespace tile;
  const EightPlace at(arch::workgroup_id(), g.columns, g.shift);
  const Type type = static_cast<Type>(g.type_x);
  const bool two = arch::late(g.type_x) == static_cast<int>(Type::E2M1x2);
  const TypedView x(g.x, type, g.rows, two ? ceiling(g.columns, 2) : g.columns, g.stride_x, at.first_row, 0),
      y(g.y, static_cast<Type>(g.type_y), g.rows, g.columns, g.stride_y, at.first_row, 0);
  if (at.row >= y.rows || at.column >= y.columns) return;
  Vector<u8, 8> bytes;
  if (two) {
    TILE_UNROLL for (int i = 0; i < 4; ++i) {
      const u8 pair = arch::load<u8>(x.buffer, x.offset(at.row, at.column / 2 + i));
      bytes[2 * i] = pair & 15, bytes[2 * i + 1] = pair >> 4;
    }
  } else {
    bytes = x.load_bytes(at.row, at.column);
  }
  const float scale = scale_of_eight(g.scales, at.first_row + at.row, at.column);
  y.store(at.row, at.column, from_bytes(type, bytes) * scale);
}

}  // namespace wavesmith::kernels
