// An activation of one matrix's elements, times those of another.
#pragma once

#include "kernels/gate/arguments.h"
#include "kernels/library/activation.h"
#include "tile/typed_view.h"

namespace wavesmith::kernels {

/// A block of a row per workgroup: eight elements per thread.
template <int kThreads>
TILE_DEVICE void gate(const GateArguments& g) {
  using namespace tile;
  const int blocks = ceiling(g.columns, kThreads * 8);
  const int row = arch::workgroup_id() / blocks;
  const int column = arch::workgroup_id() % blocks * kThreads * 8 + arch::thread_id() * 8;
  const auto view = [&](const void* matrix, int type, long stride) {
    return TypedView(matrix, static_cast<Type>(type), matrix ? g.rows : 0, g.columns, stride, row, 0);
  };
  const Eight gates = view(g.gate, g.type_gate, g.stride_gate).load(0, column);
  Eight values;
  if (arch::late(g.up != nullptr))
    values = activated(g.activation, gates) * view(g.up, g.type_up, g.stride_up).load(0, column);
  else
    values = activated(g.activation, gates);
  view(g.y, g.type_y, g.stride_y).store(0, column, values);
}

}  // namespace wavesmith::kernels
