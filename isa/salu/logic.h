// Scalar logic and shifts. SCC says whether the result is not zero.
#pragma once

#include "isa/row.h"
#include "isa/salu/facts.h"

namespace wavesmith::isa {

template <class Visitor>
void scalar_logic(Visitor& v) {
  using namespace salu;
  // clang-format off
  v(scalar<out<u32, scc>(u32, u32)>, "s_and_b32",                  [](auto a, auto b) { return nonzero(a & b); });
  v(scalar<out<u64, scc>(u64, u64)>, "s_and_b64",                  [](auto a, auto b) { return nonzero(a & b); });
  v(scalar<out<u32, scc>(u32, u32)>, "s_or_b32",                   [](auto a, auto b) { return nonzero(a | b); });
  v(scalar<out<u64, scc>(u64, u64)>, "s_or_b64",                   [](auto a, auto b) { return nonzero(a | b); });
  v(scalar<out<u32, scc>(u32, u32)>, "s_xor_b32",                  [](auto a, auto b) { return nonzero(a ^ b); });
  v(scalar<out<u64, scc>(u64, u64)>, "s_xor_b64",                  [](auto a, auto b) { return nonzero(a ^ b); });
  v(scalar<out<u32, scc>(u32, u32)>, "s_andn2_b32 s_and_not1_b32", [](auto a, auto b) { return nonzero(a & ~b); });
  v(scalar<out<u64, scc>(u64, u64)>, "s_andn2_b64 s_and_not1_b64", [](auto a, auto b) { return nonzero(a & ~b); });
  v(scalar<out<u32, scc>(u32, u32)>, "s_orn2_b32 s_or_not1_b32",   [](auto a, auto b) { return nonzero(a | ~b); });
  v(scalar<out<u64, scc>(u64, u64)>, "s_orn2_b64 s_or_not1_b64",   [](auto a, auto b) { return nonzero(a | ~b); });
  v(scalar<out<u32, scc>(u32, u32)>, "s_nand_b32",                 [](auto a, auto b) { return nonzero(~(a & b)); });
  v(scalar<out<u64, scc>(u64, u64)>, "s_nand_b64",                 [](auto a, auto b) { return nonzero(~(a & b)); });
  v(scalar<out<u32, scc>(u32, u32)>, "s_nor_b32",                  [](auto a, auto b) { return nonzero(~(a | b)); });
  v(scalar<out<u64, scc>(u64, u64)>, "s_nor_b64",                  [](auto a, auto b) { return nonzero(~(a | b)); });
  v(scalar<out<u32, scc>(u32, u32)>, "s_xnor_b32",                 [](auto a, auto b) { return nonzero(~(a ^ b)); });
  v(scalar<out<u64, scc>(u64, u64)>, "s_xnor_b64",                 [](auto a, auto b) { return nonzero(~(a ^ b)); });
  v(scalar<out<u32, scc>(u32)>,      "s_not_b32",                  [](auto a) { return nonzero(~a); });
  v(scalar<out<u64, scc>(u64)>,      "s_not_b64",                  [](auto a) { return nonzero(~a); });
  v(scalar<out<u32, scc>(u32, u32)>, "s_lshl_b32",                 [](auto a, auto b) { return nonzero(a << (b & 31)); });
  v(scalar<out<u64, scc>(u64, u32)>, "s_lshl_b64",                 [](auto a, auto b) { return nonzero(a << (b & 63)); });
  v(scalar<out<u32, scc>(u32, u32)>, "s_lshr_b32",                 [](auto a, auto b) { return nonzero(a >> (b & 31)); });
  v(scalar<out<u64, scc>(u64, u32)>, "s_lshr_b64",                 [](auto a, auto b) { return nonzero(a >> (b & 63)); });
  v(scalar<out<i32, scc>(i32, u32)>, "s_ashr_i32",                 [](auto a, auto b) { return nonzero(a >> (b & 31)); });
  v(scalar<out<i64, scc>(i64, u32)>, "s_ashr_i64",                 [](auto a, auto b) { return nonzero(a >> (b & 63)); });
  // clang-format on
}

}  // namespace wavesmith::isa
