// Rows of floats quantised: what shares a scale is a row, a block, or the matrix.
#pragma once

#include "kernels/quantise/arguments.h"
#include "kernels/rows/configurations.h"
#include "kernels/rows/quantised.h"

namespace wavesmith::kernels {

/// Which eight a thread takes: 2^shift threads stand side by side in a row.
struct EightPlace {
  int first_row;  ///< of the workgroup
  int row;        ///< from there
  int column;

  TILE_DEVICE EightPlace(int workgroup, int columns, int shift) {
    const int blocks = tile::ceiling(columns, 8 << shift), thread = tile::arch::thread_id();
    first_row = workgroup / blocks * (kRowThreads >> shift);
    row = thread >> shift;
    column = ((workgroup % blocks << shift) + (thread & ((1 << shift) - 1))) * 8;
  }
};

TILE_DEVICE tile::TypedView view_of_x(const QuantiseArguments& g, const EightPlace& place) {
  return {g.x, static_cast<tile::Type>(g.type_x), g.rows, g.columns, g.stride_x, place.first_row, 0};
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

/// With a scale per block, or one that is given, or none: an eight per thread.
TILE_DEVICE void quantise_eights(const QuantiseArguments& g) {
  const EightPlace at(tile::arch::workgroup_id(), g.columns, g.shift);
  const QuantisedRows<false> y(g.y, g.type_y, g.rows, g.columns, g.stride_y, g.scales, at.first_row);
  const tile::Eight values = view_of_x(g, at).load(at.row, at.column);
  y.store(at.row, at.column, values, y.is(Scaling::Given) ? 1 / y.given() : 1);
}

/// The scale of the matrix, of which what stands there before is the least: 0.
TILE_DEVICE void quantise_largest(const QuantiseArguments& g) {
  using namespace tile;
  TILE_SHARED static float memory[16];
  constexpr int kAtOnce = 4;
  float largest = 0;
  for (int first = arch::workgroup_id(); first < g.workgroups; first += kAtOnce * g.grid) {
    Eight values[kAtOnce];
    TILE_UNROLL for (int i = 0; i < kAtOnce; ++i) {
      const int workgroup = first + i * g.grid;
      const EightPlace at(workgroup, g.columns, g.shift);
      values[i] = view_of_x(g, at).load(workgroup < g.workgroups ? at.row : g.rows, at.column);
    }
    TILE_UNROLL for (int i = 0; i < kAtOnce; ++i) largest =
        LargerMagnitude{}(largest, largest_of_eight(values[i], 0, 8));
  }
  largest = reduce_row<kRowThreads>(largest, (SharedBytes)memory, LargerMagnitude{});
  if (arch::thread_id() == 0)
    arch::largest_global(static_cast<float*>(g.scales.data), scale_of(static_cast<Type>(g.type_y), largest));
}

}  // namespace wavesmith::kernels
