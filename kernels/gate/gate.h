// An activation of one matrix's elements, times those of another.
#pragma once

#include "kernels/gate/arguments.h"
#include "kernels/library/activation.h"
#include "kernels/rows/configurations.h"
#include "kernels/rows/quantised.h"

namespace wavesmith::kernels {

TILE_DEVICE tile::TypedView view_of(const GateArguments& g, const void* matrix, int type, long stride,
                                    int first_row) {
  return {matrix, static_cast<tile::Type>(type), matrix ? g.rows : 0, g.columns, stride, first_row, 0};
}

/// A block of a row per workgroup: eight elements per thread.
TILE_DEVICE void gate_eights(const GateArguments& g) {
  using namespace tile;
  const int blocks = ceiling(g.columns, kRowThreads * 8);
  const int row = arch::workgroup_id() / blocks;
  const int column = arch::workgroup_id() % blocks * kRowThreads * 8 + arch::thread_id() * 8;
  const Eight gates = view_of(g, g.gate, g.type_gate, g.stride_gate, row).load(0, column);
  Eight values;
  if (arch::late(g.up != nullptr))
    values = activated(g.activation, gates) * view_of(g, g.up, g.type_up, g.stride_up, row).load(0, column);
  else
    values = activated(g.activation, gates);
  const QuantisedRows<false> y(g.y, g.type_y, g.rows, g.columns, g.stride_y, g.scales, row);
  y.store(0, column, values, y.is(Scaling::Given) ? 1 / y.given() : 1);
}

/// Whole rows, which have a scale each.
template <class Shape>
TILE_DEVICE void gate_rows(const GateArguments& g) {
  using namespace tile;
  TILE_SHARED static float memory[16];
  const int first_row = arch::workgroup_id() * Shape::kRows, row = arch::thread_id() / Shape::kLanes;
  const TypedView gate = view_of(g, g.gate, g.type_gate, g.stride_gate, first_row),
                  up = view_of(g, g.up, g.type_up, g.stride_up, first_row);
  const QuantisedRows<Shape::kAligned> y(g.y, g.type_y, g.rows, g.columns, g.stride_y, g.scales, first_row);
  RowEights<Shape> values;
  write_rows<Shape>([&]() __attribute__((always_inline)) { return y; }, row, values, false,
                    (SharedBytes)memory,
                    [&](RowEights<Shape>& eights, int column) __attribute__((always_inline)) {
                      eights.load(gate, row, column);
                      TILE_UNROLL for (int i = 0; i < Shape::kBlock; ++i) eights.at[i] =
                          activated(g.activation, eights.at[i]);
                      if (!arch::late(g.up != nullptr)) return;
                      RowEights<Shape> others;
                      others.load(up, row, column);
                      TILE_UNROLL for (int i = 0; i < Shape::kBlock; ++i) eights.at[i] *= others.at[i];
                    },
                    [](Eight&, int, bool) {});
}

}  // namespace wavesmith::kernels
