// Reductions of the rows of a matrix.
#pragma once

#include "kernels/reduce/arguments.h"
#include "tile/row.h"

namespace wavesmith::kernels {

/// What the lanes of a row reduce it to, each of its elements being mapped first.
template <class Shape, class Operation, class Map>
TILE_DEVICE float reduced(const tile::TypedView& x, int row, int columns, tile::SharedBytes shared,
                          Operation operation, Map map) {
  using namespace tile;
  RowEights<Shape> values;
  float all = Operation::kNeutral;
  const auto load = [&](RowEights<Shape>& eights, int column)
                        __attribute__((always_inline)) { eights.load(x, row, column); };
  for_each_eight(values, columns, true, load,
                 [&](const Eight& eight, int column) __attribute__((always_inline)) {
                   all = operation(all, reduce_eight(eight, column, columns, operation, map));
                 });
  return reduce_row<Shape::kLanes>(all, shared, operation);
}

/// Calls `use(operation, map)` with what a reduction does to two values, and before to each.
template <class Use>
TILE_DEVICE void with_operation(int reduction, Use use) {
  const auto itself = [](float value) { return value; };
  switch (static_cast<Reduction>(tile::arch::late(reduction))) {
    case Reduction::Maximum:
      return use(tile::Maximum{}, itself);
    case Reduction::Minimum:
      return use(tile::Minimum{}, itself);
    case Reduction::SumOfSquares:
      return use(tile::Sum{}, [](float value) { return value * value; });
    default:
      return use(tile::Sum{}, itself);
  }
}

template <class Shape>
TILE_DEVICE void reduce(const ReduceArguments& g) {
  using namespace tile;
  TILE_SHARED static float memory[16];
  const int first_row = arch::workgroup_id() * Shape::kRows, row = arch::thread_id() / Shape::kLanes;
  const TypedView x(g.x, static_cast<Type>(g.type_x), g.rows, g.columns, g.stride_x, first_row, 0);
  float result = 0;
  with_operation(g.reduction, [&](auto operation, auto map) __attribute__((always_inline)) {
    result = reduced<Shape>(x, row, g.columns, (SharedBytes)memory, operation, map);
  });
  // A matrix of one column: of an eight the first element is stored.
  const TypedView y(g.y, static_cast<Type>(g.type_y), g.rows, 1, g.stride_y, first_row, 0);
  if (Shape::column() == 0) y.store(row, 0, result / g.divisor);
}

}  // namespace wavesmith::kernels
