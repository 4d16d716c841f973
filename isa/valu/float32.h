// Single-precision arithmetic: VOP1, VOP2 and VOP3 of the "f32" mnemonics.
#pragma once

#include "isa/row.h"

namespace wavesmith::isa {

template <class Visitor>
void float32(Visitor& v) {
  // clang-format off
  v(lane<f32(f32, f32)>,           "v_add_f32", [](auto a, auto b) { return a + b; });
  v(lane<f32(f32, f32)>,           "v_sub_f32", [](auto a, auto b) { return a - b; });
  v(lane<f32(f32, f32)>,           "v_subrev_f32", [](auto a, auto b) { return b - a; });
  v(lane<f32(f32, f32)>,           "v_mul_f32", [](auto a, auto b) { return a * b; });
  v(lane<f32(f32, f32, f32)>,      "v_fma_f32", [](auto a, auto b, auto c) { return __builtin_elementwise_fma(a, b, c); });
  v(lane<f32(f32, f32, old<f32>)>, "v_fmac_f32", [](auto a, auto b, auto d) { return __builtin_elementwise_fma(a, b, d); });
  // clang-format on
}

}  // namespace wavesmith::isa
