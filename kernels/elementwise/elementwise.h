// Functions of one matrix's elements, or of two's.
#pragma once

#include "kernels/elementwise/arguments.h"
#include "kernels/rows/eights.h"
#include "tile/precise.h"
#include "tile/reduce.h"

namespace wavesmith::kernels {

using Values = Eights<kElementwiseEights>;
using Place = EightPlace<kElementwiseEights>;

TILE_DEVICE tile::TypedView view_of(const ElementwiseArguments& g, const Place& place, const void* data,
                                    int type, long stride, int columns) {
  return {data, static_cast<tile::Type>(type), g.rows, columns, stride, place.first_row, 0};
}

/// Each element of eights becomes what `f` makes of it.
template <class Function>
TILE_DEVICE void map(Values& values, Function f) {
  TILE_UNROLL for (int i = 0; i < kElementwiseEights; ++i) TILE_UNROLL for (int j = 0; j < 8; ++j)
      values.at[i][j] = f(values.at[i][j]);
}
template <class Function>
TILE_DEVICE void map(Values& values, const Values& others, Function f) {
  TILE_UNROLL for (int i = 0; i < kElementwiseEights; ++i) TILE_UNROLL for (int j = 0; j < 8; ++j)
      values.at[i][j] = f(values.at[i][j], others.at[i][j]);
}

/// Each operation is rounded: a product and a sum do not become one instruction.
#pragma clang fp contract(off)

TILE_DEVICE void scale(Values& values, float factor) {
  map(values, [=](float value) { return factor * value; });
}

TILE_DEVICE void apply(Elementwise operation, Values& x, const Values& z) {
  switch (operation) {
    case Elementwise::Add:
      return map(x, z, [](float a, float b) { return a + b; });
    case Elementwise::Subtract:
      return map(x, z, [](float a, float b) { return a - b; });
    case Elementwise::Multiply:
      return map(x, z, [](float a, float b) { return a * b; });
    case Elementwise::Divide:
      return map(x, z, [](float a, float b) { return a / b; });
    case Elementwise::Minimum:
      return map(x, z, tile::Minimum{});
    default:
      return map(x, z, tile::Maximum{});
  }
}

TILE_DEVICE void apply(Elementwise operation, Values& x) {
  switch (operation) {
    case Elementwise::Negate:
      return map(x, [](float a) { return -a; });
    case Elementwise::Absolute:
      return map(x, [](float a) { return __builtin_fabsf(a); });
    case Elementwise::Exp:
      return map(x, tile::precise::exp);
    case Elementwise::Log:
      return map(x, tile::precise::log);
    case Elementwise::Sqrt:
      return map(x, [](float a) { return __builtin_sqrtf(a); });
    case Elementwise::ReciprocalRoot:
      return map(x, tile::precise::reciprocal_root);
    case Elementwise::Tanh:
      return map(x, tile::precise::tanh);
    case Elementwise::Sigmoid:
      return map(x, tile::precise::sigmoid);
    case Elementwise::Relu:
      return map(x, [](float a) { return tile::Maximum{}(a, 0); });
    case Elementwise::Gelu:
      return map(x, tile::precise::gelu);
    case Elementwise::Silu:
      return map(x, tile::precise::silu);
    default:
      return map(x, [](float a) { return a * a; });
  }
}

TILE_DEVICE void apply_to_two(const ElementwiseArguments& g, const Place& place, Elementwise operation) {
  using namespace tile;
  const TypedView view_x = view_of(g, place, g.x, g.type_x, g.stride_x, g.columns);
  const ArrivingEights<kElementwiseEights> arriving_x(view_x, place);
  // Of Z one element may serve for a row, and one row for all.
  const TypedView view_z = view_of(g, place, g.z, g.type_z, g.stride_z, g.z_has_columns ? g.columns : 1);
  Values z;
  if (arch::late(g.z_has_columns)) {
    z = load_eights(view_z, place);
  } else {
    TILE_UNROLL for (int i = 0; i < kElementwiseEights; ++i) z.at[i] =
        view_z.load_one(place.row + i * place.step, 0);
  }
  Values x = arriving_x.arrived(view_x);
  scale(x, g.alpha);
  scale(z, g.beta);
  apply(operation, x, z);
  x.store(view_of(g, place, g.y, g.type_y, g.stride_y, g.columns), place);
}

TILE_DEVICE void elementwise(const ElementwiseArguments& g) {
  const Place place(tile::arch::workgroup_id(), g.columns, g.eights.shift);
  const auto operation = static_cast<Elementwise>(tile::arch::late(g.operation));
  if (is_of_two(operation)) return apply_to_two(g, place, operation);
  Values x = load_eights(view_of(g, place, g.x, g.type_x, g.stride_x, g.columns), place);
  scale(x, g.alpha);
  apply(operation, x);
  x.store(view_of(g, place, g.y, g.type_y, g.stride_y, g.columns), place);
}

}  // namespace wavesmith::kernels
