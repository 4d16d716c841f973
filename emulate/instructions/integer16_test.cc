// 16-bit integer instructions against the same on 64-bit integers, cut or saturated at the end.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <string>

#include "emulate/instructions/lane_testing.h"

namespace wavesmith::emulate {
namespace {

using isa::kCdna;
using isa::kRdna;

using Operation = int64_t (*)(int64_t a, int64_t b, int64_t c);

struct Case {
  std::string_view cdna, rdna;  ///< without type; empty: not in that line
  std::string_view types;       ///< of those that it has: "u", "i", "b"
  int sources;
  Operation operation;
  bool saturates = false;  ///< has a form with clamp
};

int64_t middle(int64_t a, int64_t b, int64_t c) {
  return std::max(std::min(a, b), std::min(std::max(a, b), c));
}

const Case kCases[] = {
    {"", "v_not", "b", 1, [](auto a, auto, auto) { return ~a; }},
    {"", "v_mov", "b", 1, [](auto a, auto, auto) { return a; }},
    {"", "v_and", "b", 2, [](auto a, auto b, auto) { return a & b; }},
    {"", "v_or", "b", 2, [](auto a, auto b, auto) { return a | b; }},
    {"", "v_xor", "b", 2, [](auto a, auto b, auto) { return a ^ b; }},
    {"v_lshlrev", "v_lshlrev", "b", 2, [](auto a, auto b, auto) { return b << (a & 15); }},
    {"v_lshrrev", "v_lshrrev", "b", 2, [](auto a, auto b, auto) { return b >> (a & 15); }},
    {"v_ashrrev", "v_ashrrev", "i", 2, [](auto a, auto b, auto) { return b >> (a & 15); }},
    {"v_add", "v_add_nc", "ui", 2, [](auto a, auto b, auto) { return a + b; }, true},
    {"v_sub", "v_sub_nc", "ui", 2, [](auto a, auto b, auto) { return a - b; }, true},
    {"v_subrev", "", "u", 2, [](auto a, auto b, auto) { return b - a; }, true},
    {"v_mul_lo", "v_mul_lo", "u", 2, [](auto a, auto b, auto) { return a * b; }},
    {"v_mad", "v_mad", "ui", 3, [](auto a, auto b, auto c) { return a * b + c; }, true},
    {"v_mad_legacy", "", "ui", 3, [](auto a, auto b, auto c) { return a * b + c; }, true},
    {"v_min", "v_min", "ui", 2, [](auto a, auto b, auto) { return std::min(a, b); }},
    {"v_max", "v_max", "ui", 2, [](auto a, auto b, auto) { return std::max(a, b); }},
    {"v_min3", "v_min3", "ui", 3, [](auto a, auto b, auto c) { return std::min({a, b, c}); }},
    {"v_max3", "v_max3", "ui", 3, [](auto a, auto b, auto c) { return std::max({a, b, c}); }},
    {"v_med3", "v_med3", "ui", 3, middle},
};

TEST(Integer16, CountsAsWideIntegersDoUntilTheEnd) {
  for (const Case& each : kCases)
    for (const char type : each.types)
      for (const isa::Generations line : {kCdna, kRdna})
        for (const bool clamp : {false, true}) {
          const std::string_view name = line == kCdna ? each.cdna : each.rdna;
          if (name.empty() || (clamp && !each.saturates)) continue;
          const bool is_signed = type == 'i';
          const auto wide = [is_signed](uint64_t code) -> int64_t {
            return is_signed ? int64_t{static_cast<int16_t>(code)} : int64_t{static_cast<uint16_t>(code)};
          };
          const int64_t least = is_signed ? -32768 : 0, most = is_signed ? 32767 : 65535;
          expect_lanes(fmt::format("{}_{}16 v0%, v2%{}{}{}", name, type, each.sources > 1 ? ", v4%" : "",
                                   each.sources > 2 ? ", v6%" : "", clamp ? " clamp" : ""),
                       [&](uint64_t a, uint64_t b, uint64_t c, uint64_t) {
                         const int64_t result = each.operation(wide(a), wide(b), wide(c));
                         return static_cast<uint64_t>(clamp ? std::clamp(result, least, most) : result);
                       },
                       {.generations = line, .mask = 0xffff});
        }
}

TEST(Integer16, Widens) {
  expect_lanes("v_cvt_u32_u16 v0, v2%", [](uint64_t a, auto...) { return a & 0xffff; },
               {.generations = kRdna});
  expect_lanes("v_cvt_i32_i16 v0, v2%",
               [](uint64_t a, auto...) { return uint64_t{static_cast<uint32_t>(static_cast<int16_t>(a))}; },
               {.generations = kRdna});
}

}  // namespace
}  // namespace wavesmith::emulate
