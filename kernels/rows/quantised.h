// What an operation on rows writes: as it is, or quantised, with its scales.
#pragma once

#include "kernels/rows/scales.h"
#include "tile/narrow.h"
#include "tile/row.h"

namespace wavesmith::kernels {

/// The scale of numbers of which that is the largest magnitude. No result is so small that its inverse
/// overflows.
TILE_DEVICE float scale_of(tile::Type type, float largest) {
  constexpr tile::u32 kLeast = 0x00800000;  // 2^-126
  const tile::u32 bits = tile::bits_as<tile::u32>(tile::magnitude(largest / tile::largest_of(type)));
  return tile::bits_as<float>(bits > kLeast ? bits : kLeast);  // NaN stays
}

/// Where the scale of a block of a row stands.
TILE_DEVICE long scale_at(const ScaleArguments& scales, int row, int block) {
  return row * scales.row_stride + block * scales.column_stride;
}

/// The largest magnitude of the columns of an eight that the matrix has.
TILE_DEVICE float largest_of_eight(const tile::Eight& values, int column, int columns) {
  return tile::reduce_eight(values, column, columns, tile::LargerMagnitude{},
                            [](float value) { return tile::magnitude(value); });
}

/// That of the lanes which share a block: all lanes of the wave are here.
TILE_DEVICE float largest_of_block(float largest, int block_shift) {
  const tile::LargerMagnitude larger;
  const int shift = tile::arch::late(block_shift);
  largest = tile::reduce_lanes<4>(largest, larger);
  if (shift > 5) largest = larger(largest, tile::arch::swap_lanes<4>(largest));
  if (shift > 6) largest = larger(largest, tile::arch::swap_lanes<8>(largest));
  return largest;
}

/// Rows that are written eight by eight: floats as they are, types of 8 bits by scales. `kAligned`: eight
/// elements are written at once.
template <bool kAligned>
struct QuantisedRows {
  tile::TypedView view;
  ScaleArguments scales;
  int first_row;
  int columns;  ///< numbers of a row

  TILE_DEVICE QuantisedRows(void* data, int type, int rows, int columns_, long stride,
                            const ScaleArguments& scales_, int first_row_)
      : view(data, static_cast<tile::Type>(type), rows, columns_, stride, first_row_, 0),
        scales(scales_),
        first_row(first_row_),
        columns(columns_) {}

  TILE_DEVICE bool is(Scaling which) const {
    return tile::arch::late(scales.scaling) == static_cast<int>(which);
  }
  TILE_DEVICE float given() const { return tile::arch::load_global(static_cast<float*>(scales.data), 0); }
  /// Stores a scale, of one type or another.
  template <class T>
  TILE_DEVICE void keep(T scale, int row, int block) const {
    if (row < view.rows)
      tile::arch::store_global(scales.data, scale_at(scales, first_row + row, block), scale);
  }
  /// On the lane with the block's first columns.
  template <class T>
  TILE_DEVICE void keep_of_block(T scale, int row, int column) const {
    const int block = column >> scales.block_shift;
    if (column < columns && block << scales.block_shift == column) keep(scale, row, block);
  }

  /// Stores an eight of a row, of which `inverse` is that of the row's scale where it has one. Of blocks all
  /// lanes of the wave are here, also those whose eight lies outside.
  TILE_DEVICE void store(int row, int column, const tile::Eight& values, float inverse) const {
    if (is(Scaling::PerBlock)) {
      const float scale = scale_of(
          view.type, largest_of_block(largest_of_eight(values, column, columns), scales.block_shift));
      keep_of_block(scale, row, column);
      inverse = 1 / scale;
    }
    if (column >= columns) return;
    if (tile::arch::late(tile::size_of(view.type)) == 1)
      store_bytes(row, column, tile::to_bytes(view.type, values * inverse));
    else if constexpr (kAligned)
      view.store_aligned(row, column, values);
    else
      view.store(row, column, values);
  }

 private:
  TILE_DEVICE void store_bytes(int row, int column, tile::Vector<tile::u8, 8> bytes) const {
    if constexpr (kAligned)
      tile::arch::store(view.buffer, view.offset(row, column), bytes);
    else
      view.store_as_is(row, column, bytes);
  }
};

/// Writes the rows of a workgroup, `rows()`: QuantisedRows, asked for where they are needed. `load(eights,
/// column)` reads the eights that begin at a column, unless `loaded`: then `values` has those of a row that
/// is kept. `make(eight, column, last)` makes of one what is written; `last` where it is not asked to again.
/// `shared` is a float per wave that no other reduction uses.
template <class Shape, class Rows, class Load, class Make>
TILE_DEVICE void write_rows(Rows rows, int row, tile::RowEights<Shape>& values, bool loaded,
                            tile::SharedBytes shared, Load load, Make make) {
  using namespace tile;
  const auto y = rows();
  float inverse = 1;
  const bool per_row = y.is(Scaling::PerRow);
  if (per_row) {
    float largest = 0;
    for_each_eight(values, y.columns, !loaded, load,
                   [&](Eight& eight, int column) __attribute__((always_inline)) {
                     make(eight, column, Shape::kKept);
                     largest = LargerMagnitude{}(largest, largest_of_eight(eight, column, y.columns));
                   });
    const float scale = scale_of(y.view.type, reduce_row<Shape::kLanes>(largest, shared, LargerMagnitude{}));
    if (Shape::column() == 0) y.keep(scale, row, 0);
    inverse = 1 / scale;
  } else if (y.is(Scaling::Given)) {
    inverse = 1 / y.given();
  }
  const bool made = Shape::kKept && per_row;
  for_each_eight_of_all(values, y.columns, !loaded && !made, load,
                        [&](Eight& eight, int column) __attribute__((always_inline)) {
                          if (!made && column < y.columns) make(eight, column, true);
                          rows().store(row, column, eight, inverse);
                        });
}

}  // namespace wavesmith::kernels
