// Where rows lie.
#pragma once

#include "kernels/pointwise/elements.h"
#include "kernels/sort/rows_arguments.h"

namespace wavesmith::kernels {

/// The addresses of a row's first elements.
struct RowPlace {
  tile::u64 x, values, places;

  TILE_DEVICE RowPlace(const Rows& g, tile::u32 row) {
    int offsets[3] = {};
    TILE_KEEP_LOOP for (int d = 0; d < tile::arch::late(g.dimensions); ++d) {
      const tile::u32 quotient = g.sizes[d].quotient(row);
      const int at = static_cast<int>(row - quotient * g.sizes[d].divisor);
      offsets[0] += at * g.x.steps[d];
      offsets[1] += at * g.values.steps[d];
      offsets[2] += at * g.places.steps[d];
      row = quotient;
    }
    x = reinterpret_cast<tile::u64>(g.x.data) + static_cast<tile::i64>(offsets[0]);
    values = reinterpret_cast<tile::u64>(g.values.data) + static_cast<tile::i64>(offsets[1]);
    places = reinterpret_cast<tile::u64>(g.places.data) + static_cast<tile::i64>(offsets[2]);
  }
};

/// The address of a row's element.
TILE_DEVICE tile::u64 along_row(tile::u64 row, const RowsOperand& operand, tile::u32 element) {
  return row + static_cast<tile::i64>(static_cast<int>(element) * operand.step);
}

/// Writes the results of a row's element `from` to that of `to`.
TILE_DEVICE void put_place(const Rows& g, const RowPlace& row, tile::u32 from, tile::u32 to) {
  if (g.places.data) tile::arch::store_at(along_row(row.places, g.places, to), static_cast<tile::i64>(from));
  if (!g.values.data) return;
  const auto move = [&]<class T>(T) {
    tile::arch::store_at(along_row(row.values, g.values, to),
                         tile::arch::load_at<T>(along_row(row.x, g.x, from)));
  };
  switch (bytes_of(static_cast<Number>(tile::arch::late(g.x.type)))) {
    case 1:
      return move(tile::u8());
    case 2:
      return move(tile::u16());
    case 4:
      return move(tile::u32());
    default:
      return move(tile::u64());
  }
}

}  // namespace wavesmith::kernels
