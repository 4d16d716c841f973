// Reductions of the columns of a matrix, and of the whole: each workgroup takes a part, some rows of a block
// of columns.
#pragma once

#include "kernels/reduce/reduce.h"
#include "kernels/rows/eights.h"

namespace wavesmith::kernels {

/// Where a thread's eights are, and what it reduced each of their columns to.
struct ReducedPart {
  EightPlace<kReduceEights> place;
  tile::Eight values;
};

template <class Operation, class Map>
TILE_DEVICE ReducedPart reduced_part(const ReducePartArguments& g, Operation operation, Map map) {
  using namespace tile;
  const int begin = arch::workgroup_id_y() * g.rows_of_part, behind = begin + g.rows_of_part;
  const int end = behind < g.rows ? behind : g.rows;
  ReducedPart part{{arch::workgroup_id(), g.columns, g.shift}, Operation::kNeutral};
  const auto& place = part.place;
  int first = begin;
  const auto take = [&](auto whole) __attribute__((always_inline)) {
    const TypedView x(g.x, static_cast<Type>(arch::late(g.type_x)), end, g.columns, g.stride_x, first, 0);
    const Eights<kReduceEights> eights = load_eights(x, place);
    TILE_UNROLL for (int i = 0; i < kReduceEights; ++i) {
      const bool inside = decltype(whole)::kValue || place.row + i * place.step < x.rows;
      TILE_UNROLL for (int j = 0; j < 8; ++j) part.values[j] =
          operation(part.values[j], inside ? map(eights.at[i][j]) : Operation::kNeutral);
    }
    first += kReduceEights * place.step;
  };
  while (first + kReduceEights * place.step <= end) take(Constant<true>{});
  if (first < end) take(Constant<false>{});
  return part;
}

/// Each column of the part to one number.
TILE_DEVICE void columns_of_part(const ReducePartArguments& g) {
  using namespace tile;
  constexpr int kAtOnce = 8;  // results of thread rows, which follow each other in shared memory
  TILE_SHARED static float memory[kRowThreads * 8];
  const auto at = [](int number) { return (SharedBytes)memory + number * 4; };
  const int thread = arch::thread_id(), width = 8 << g.shift, part_number = arch::workgroup_id_y();
  const TypedView y(g.y, static_cast<Type>(g.type_y), part_number + 1, g.columns, g.stride_y, part_number,
                    arch::workgroup_id() * width);
  with_operation(g.reduction, [&](auto operation, auto map) __attribute__((always_inline)) {
    const ReducedPart part = reduced_part(g, operation, map);
    int rows = part.place.step;
    shared_write(at(thread * 8), bits_as<Pieces>(part.values).low);
    shared_write(at(thread * 8 + 4), bits_as<Pieces>(part.values).high);
    arch::barrier();
    // All threads take part while there are as many results.
    if (rows > kAtOnce) {
      float values[kAtOnce];
      TILE_UNROLL for (int i = 0; i < kAtOnce; ++i) values[i] =
          shared_read<float>(at((thread / width * kAtOnce + i) * width + thread % width));
      arch::barrier();
      shared_write(at(thread), reduce_values(values, operation));
      arch::barrier();
      rows /= kAtOnce;
    }
    for (int column = thread; column < width; column += kRowThreads) {
      float result = decltype(operation)::kNeutral;
      for (int row = 0; row < rows; ++row)
        result = operation(result, shared_read<float>(at(row * width + column)));
      y.store_one(0, column, result / g.divisor);
    }
  });
}

/// The whole part to one number.
TILE_DEVICE void number_of_part(const ReducePartArguments& g) {
  using namespace tile;
  TILE_SHARED static float memory[16];
  const int number = arch::workgroup_id_y() * ceiling(g.columns, 8 << g.shift) + arch::workgroup_id();
  const TypedView y(g.y, static_cast<Type>(g.type_y), 1, number + 1, 0, 0, number);
  with_operation(g.reduction, [&](auto operation, auto map) __attribute__((always_inline)) {
    const ReducedPart part = reduced_part(g, operation, map);
    const float of_thread =
        reduce_eight(part.values, part.place.column, g.columns, operation, [](float value) { return value; });
    const float all = reduce_row<kRowThreads>(of_thread, (SharedBytes)memory, operation);
    if (arch::thread_id() == 0) y.store(0, 0, all / g.divisor);
  });
}

}  // namespace wavesmith::kernels
