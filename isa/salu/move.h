// Scalar moves and selections.
#pragma once

#include "isa/row.h"
#include "isa/salu/facts.h"

namespace wavesmith::isa {

template <class Visitor>
void scalar_move(Visitor& v) {
  // clang-format off
  v(scalar<u32(u32)>,                "s_mov_b32",     [](auto a) { return a; }, {.copies = true});
  v(scalar<u64(u64)>,                "s_mov_b64",     [](auto a) { return a; }, {.copies = true});
  v(scalar<i32(i16)>,                "s_movk_i32",    [](auto a) { return convert<int32_t>(a); });
  v(scalar<u32(old<u32>, u32, scc)>, "s_cmov_b32",    [](auto d, auto a, auto scc) { return scc ? a : d; });
  v(scalar<u64(old<u64>, u64, scc)>, "s_cmov_b64",    [](auto d, auto a, auto scc) { return scc ? a : d; });
  v(scalar<i32(old<i32>, i16, scc)>, "s_cmovk_i32",   [](auto d, auto a, auto scc) { return scc ? convert<int32_t>(a) : d; });
  v(scalar<u32(u32, u32, scc)>,      "s_cselect_b32", [](auto a, auto b, auto scc) { return scc ? a : b; });
  v(scalar<u64(u64, u64, scc)>,      "s_cselect_b64", [](auto a, auto b, auto scc) { return scc ? a : b; });
  // clang-format on
}

}  // namespace wavesmith::isa
