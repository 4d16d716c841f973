// Scalar integer arithmetic and logic: SOP1, SOP2, SOPC, SOPK.
#pragma once

#include "isa/row.h"

namespace wavesmith::isa {

template <class Visitor>
void scalar_integer(Visitor& v) {
  constexpr Facts salu{.issue = Issue::Salu};
  // clang-format off
  v(scalar<u32(u32)>,                    "s_mov_b32", [](uint32_t a) { return a; }, salu);
  v(scalar<u64(u64)>,                    "s_mov_b64", [](uint64_t a) { return a; }, salu);
  v(scalar<out<u32, scc>(u32, u32)>,     "s_add_u32 s_add_co_u32", [](uint32_t a, uint32_t b) { return Results{a + b, a + b < a}; }, salu);
  v(scalar<out<u32, scc>(u32, u32, scc)>,"s_addc_u32 s_add_co_ci_u32", [](uint32_t a, uint32_t b, bool carry) {
    const uint64_t sum = uint64_t{a} + b + carry;
    return Results{static_cast<uint32_t>(sum), sum >> 32 != 0};
  }, salu);
  v(scalar<out<u32, scc>(u32, u32)>,     "s_and_b32", [](uint32_t a, uint32_t b) { return Results{a & b, (a & b) != 0}; }, salu);
  v(scalar<u32(u32, u32)>,               "s_mul_i32", [](uint32_t a, uint32_t b) { return a * b; }, salu);
  v(scalar<scc(u32, u32)>,               "s_cmp_lt_u32", [](uint32_t a, uint32_t b) { return a < b; }, salu);
  v(scalar<out<u64, scc, exec>(u64, exec)>, "s_and_saveexec_b64", [](uint64_t a, uint64_t e) {
    return Results3{e, (a & e) != 0, a & e};
  }, salu);
  // clang-format on
}

}  // namespace wavesmith::isa
