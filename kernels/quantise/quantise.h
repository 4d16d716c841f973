// Rows of floats quantised: what shares a scale is a row, a block, or the matrix.
#pragma once

#include "kernels/quantise/arguments.h"
#include "kernels/rows/eights.h"
#include "kernels/rows/quantised.h"

namespace wavesmith::kernels {

using QuantisedPlace = EightPlace<kQuantisedEights>;

/// What the kernels that take eights read.
TILE_DEVICE tile::TypedView numbers_of(const QuantiseArguments& g, const QuantisedPlace& place) {
  return {g.x,        static_cast<tile::Type>(tile::arch::late(g.type_x)),
          g.rows,     g.columns,
          g.stride_x, place.first_row,
          0};
}

/// With a scale per row, which the lanes of a row find in one pass.
template <class Shape>
TILE_DEVICE void quantise_rows(const QuantiseArguments& g) {
  using namespace tile;
  TILE_SHARED static float memory[16];
  const int first_row = arch::workgroup_id() * Shape::kRows, row = arch::thread_id() / Shape::kLanes;
  const TypedView x(g.x, static_cast<Type>(g.type_x), g.rows, g.columns, g.stride_x, first_row, 0);
  const QuantisedRows<Shape::kAligned> y(g.y, g.type_y, g.rows, g.columns, g.stride_y, g.scales, first_row);
  RowEights<Shape> values;
  write_rows<Shape>([&]() __attribute__((always_inline)) { return y; }, row, values, false,
                    (SharedBytes)memory,
                    [&](RowEights<Shape>& eights, int column)
                        __attribute__((always_inline)) { eights.load(x, row, column); },
                    [](Eight&, int, bool) {});
}

/// With a scale per block, or one that is given, or none.
TILE_DEVICE void quantise_eights(const QuantiseArguments& g) {
  const QuantisedPlace place(tile::arch::workgroup_id(), g.columns, g.eights.shift);
  const QuantisedRows<false> y(g.y, g.type_y, g.rows, g.columns, g.stride_y, g.scales, place.first_row);
  const Eights<kQuantisedEights> eights = load_eights(numbers_of(g, place), place);
  const float inverse = y.is(Scaling::Given) ? 1 / y.given() : 1;
  TILE_UNROLL for (int i = 0; i < kQuantisedEights; ++i)
      y.store(place.row + i * place.step, place.column, eights.at[i], inverse);
}

/// The scale of the matrix, of which what stands there before is the least: 0.
TILE_DEVICE void quantise_largest(const QuantiseArguments& g) {
  using namespace tile;
  TILE_SHARED static float memory[16];
  float largest = 0;
  for (int workgroup = arch::workgroup_id(); workgroup < g.eights.workgroups; workgroup += g.grid) {
    const QuantisedPlace place(workgroup, g.columns, g.eights.shift);
    const Eights<kQuantisedEights> eights = load_eights(numbers_of(g, place), place);
    TILE_UNROLL for (int i = 0; i < kQuantisedEights; ++i) largest =
        LargerMagnitude{}(largest, largest_of_eight(eights.at[i], 0, 8));
  }
  largest = reduce_row<kRowThreads>(largest, (SharedBytes)memory, LargerMagnitude{});
  if (arch::thread_id() == 0)
    arch::largest_global(static_cast<float*>(g.scales.data), scale_of(static_cast<Type>(g.type_y), largest));
}

}  // namespace wavesmith::kernels
