// 64-bit integers: shifts and multiply-add.
#pragma once

#include "isa/row.h"
#include "isa/valu/integer32.h"

namespace wavesmith::isa {

template <class Visitor>
void integer64(Visitor& v) {
  using namespace detail;
  // clang-format off
  v(lane<u64(u64, u32, u64)>,          "v_lshl_add_u64", [](auto a, auto b, auto c) { return (a << convert<uint64_t>(b & 7)) + c; }, {.generations = kCdna3 | kCdna4});
  v(lane<u64(u32, u64)>,               "v_lshlrev_b64", [](auto a, auto b) { return b << convert<uint64_t>(a & 63); });
  v(lane<u64(u32, u64)>,               "v_lshrrev_b64", [](auto a, auto b) { return b >> convert<uint64_t>(a & 63); });
  v(lane<i64(u32, i64)>,               "v_ashrrev_i64", [](auto a, auto b) { return b >> convert<int64_t>(a & 63); });
  v(lane<out<u64, bit>(u32, u32, u64)>, "v_mad_u64_u32 v_mad_co_u64_u32", [](auto a, auto b, auto c) {
    auto sum = wide_product<uint64_t>(a, b) + c;
    return Results{sum, lanes(sum < c)};
  }, {.issue = Issue::Multiply});
  // The carry is that of the 65-bit signed sum: its sign.
  v(rare<out<i64, bit>(i32, i32, i64)>, "v_mad_i64_i32 v_mad_co_i64_i32", [](auto a, auto b, auto c) {
    const auto product = wide_product<int64_t>(a, b);
    const auto sum = bits<Pack<int64_t>>(bits<Pack<uint64_t>>(product) + bits<Pack<uint64_t>>(c));
    const auto overflow = (product < 0) == (c < 0) ? (sum < 0) != (c < 0) : (sum != sum);
    return Results{sum, lanes((sum < 0) != overflow)};
  }, {.issue = Issue::Multiply});
  // clang-format on
}

}  // namespace wavesmith::isa
