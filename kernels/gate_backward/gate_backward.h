// The gradients of a gated activation.
#pragma once

#include "kernels/gate_backward/arguments.h"
#include "kernels/library/activation.h"
#include "kernels/rows/configurations.h"

namespace wavesmith::kernels {

/// An activation and its derivative.
struct ValueAndSlope {
  float value, slope;
};

/// x times the share 1 / (1 + power), whose own derivative is share * rest times `steepness`, that of the
/// exponent. The rest, 1 - share, is small where x is positive: there it is a product, not a difference.
TILE_DEVICE ValueAndSlope shared_out(float x, float power, float steepness) {
  const float share = tile::reciprocal(1 + power), rest = x > 0 ? power * share : 1 - share;
  return {x * share, share * (1 + x * rest * steepness)};
}

TILE_DEVICE ValueAndSlope silu_and_slope(float x) {
  return shared_out(x, tile::exp2(-tile::kLog2OfE * x), 1);
}

/// As tile::gelu has it. Where x is beyond 1,000, the share is 0 or the rest is: steepness has to be finite.
TILE_DEVICE ValueAndSlope gelu_and_slope(float x) {
  constexpr float kTwoRoots = 2 * 0.797884561f, kCube = 0.044715f, kFar = 1e6f;
  const float square = x * x, near = square < kFar ? square : kFar;
  const float power = tile::exp2(-tile::kLog2OfE * kTwoRoots * (x + kCube * square * x));
  return shared_out(x, power, kTwoRoots * (1 + 3 * kCube * near));
}

/// Eight values, and eight derivatives.
struct EightAndSlopes {
  tile::Eight values, slopes;

  template <class Function>
  TILE_DEVICE static EightAndSlopes of(const tile::Eight& x, Function function) {
    EightAndSlopes made;
    TILE_UNROLL for (int i = 0; i < 8; ++i) {
      const ValueAndSlope one = function(x[i]);
      made.values[i] = one.value, made.slopes[i] = one.slope;
    }
    return made;
  }
};

TILE_DEVICE EightAndSlopes activated_with_slopes(int activation, const tile::Eight& x) {
  switch (static_cast<Activation>(tile::arch::late(activation))) {
    case Activation::Relu:
      return EightAndSlopes::of(x, [](float v) { return ValueAndSlope{tile::relu(v), v > 0 ? 1.0f : 0.0f}; });
    case Activation::Gelu:
      return EightAndSlopes::of(x, gelu_and_slope);
    case Activation::Silu:
      return EightAndSlopes::of(x, silu_and_slope);
    default:
      return {x, 1};
  }
}

/// A block of a row per workgroup: eight elements per thread.
TILE_DEVICE void gate_backward(const GateBackwardArguments& g) {
  using namespace tile;
  const int blocks = ceiling(g.columns, kRowThreads * 8), row = arch::workgroup_id() / blocks;
  const int column = (arch::workgroup_id() % blocks * kRowThreads + arch::thread_id()) * 8;
  const auto view = [&](const void* matrix, int type, long stride) {
    return TypedView(matrix, static_cast<Type>(type), matrix ? g.rows : 0, g.columns, stride, row, 0);
  };
  const Eight gates = view(g.gate, g.type_gate, g.stride_gate).load(0, column);
  Eight above = view(g.dy, g.type_dy, g.stride_dy).load(0, column), ups = 1;
  if (arch::late(g.up != nullptr)) ups = view(g.up, g.type_up, g.stride_up).load(0, column);
  const EightAndSlopes made = activated_with_slopes(g.activation, gates);
  if (arch::late(g.dgate != nullptr))
    view(g.dgate, g.type_dgate, g.stride_dgate).store(0, column, above * ups * made.slopes);
  if (arch::late(g.dup != nullptr))
    view(g.dup, g.type_dup, g.stride_dup).store(0, column, above * made.values);
}

}  // namespace wavesmith::kernels
