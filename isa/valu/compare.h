// Vector comparisons (VOPC).
#pragma once

#include "isa/row.h"

namespace wavesmith::isa {

template <class Visitor>
void compare(Visitor& v) {
  // clang-format off
  v(lane<bit(u32, u32)>, "v_cmp_gt_u32", [](auto a, auto b) { return lanes(a > b); });
  v(lane<bit(i32, i32)>, "v_cmp_gt_i32", [](auto a, auto b) { return lanes(a > b); });
  v(lane<bit(f32, f32)>, "v_cmp_gt_f32", [](auto a, auto b) { return lanes(a > b); });
  // clang-format on
}

}  // namespace wavesmith::isa
