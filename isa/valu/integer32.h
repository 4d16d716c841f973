// 32-bit integer arithmetic, shifts and logic of the vector unit.
#pragma once

#include "isa/row.h"

namespace wavesmith::isa {

template <class Visitor>
void integer32(Visitor& v) {
  // clang-format off
  v(lane<u32(u32)>,                    "v_mov_b32", [](auto a) { return a; });
  v(lane<u32(u32, u32)>,               "v_add_u32 v_add_nc_u32", [](auto a, auto b) { return a + b; });
  v(lane<out<u32, bit>(u32, u32)>,     "v_add_co_u32", [](auto a, auto b) { auto sum = a + b; return Results{sum, lanes(sum < a)}; });
  v(lane<out<u32, bit>(u32, u32, bit)>, "v_addc_co_u32 v_add_co_ci_u32", [](auto a, auto b, auto carry) {
    auto partial = a + b;
    auto sum = partial + (carry ? Pack<uint32_t>(1) : Pack<uint32_t>(0));
    return Results{sum, lanes(partial < a) | lanes(sum < partial)};
  });
  v(lane<u32(u32, u32)>,               "v_lshlrev_b32", [](auto a, auto b) { return b << (a & 31); });
  v(lane<u32(u32, u32)>,               "v_and_b32", [](auto a, auto b) { return a & b; });
  v(lane<u32(u32, u32, u32)>,          "v_lshl_add_u32", [](auto a, auto b, auto c) { return (a << (b & 31)) + c; });
  v(lane<u64(u64, u32, u64)>,          "v_lshl_add_u64", [](auto a, auto b, auto c) { return (a << convert<uint64_t>(b & 7)) + c; }, {.generations = kCdna3 | kCdna4});
  v(lane<u64(u32, u64)>,               "v_lshlrev_b64", [](auto a, auto b) { return b << convert<uint64_t>(a & 63); });
  v(lane<i32(i32, i32)>,               "v_ashrrev_i32", [](auto a, auto b) { return b >> (a & 31); });
  v(lane<u32(u32, u32, u32)>,          "v_mad_u32_u24", [](auto a, auto b, auto c) { return (a & 0xffffff) * (b & 0xffffff) + c; });
  v(lane<out<u64, bit>(u32, u32, u64)>, "v_mad_u64_u32", [](auto a, auto b, auto c) {
    auto sum = convert<uint64_t>(a) * convert<uint64_t>(b) + c;
    return Results{sum, lanes(sum < c)};
  });
  v(lane<u32(u32, u32, bit)>,          "v_cndmask_b32", [](auto a, auto b, auto which) { return which ? b : a; });
  // clang-format on
}

}  // namespace wavesmith::isa
