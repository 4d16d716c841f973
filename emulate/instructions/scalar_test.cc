// Every scalar integer instruction in assembly text, on every target, against references that count and copy
// bit by bit.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <random>
#include <tuple>

#include "emulate/instructions/testing.h"

namespace wavesmith::emulate {
namespace {

struct In {
  uint64_t d, a, b;
  bool scc;
  uint64_t exec;
};
struct Out {
  uint64_t d;
  bool scc;
  uint64_t exec;
};
using Reference = std::function<Out(const In&)>;

/// Where an instruction exists.
enum On { kAll, kGfx9, kGfx11Up, kGfx12, kBeforeGfx12 };

/// `form`: the operands, D, A and B being registers of the given numbers of bits (0: there is none).
struct Case {
  std::string_view text;
  int d, a, b;
  Reference reference;
  On on = kAll;
};

uint64_t cut(uint64_t value, int bits) { return bits == 64 ? value : value & ((uint64_t{1} << bits) - 1); }
int64_t sign(uint64_t value, int bits) { return static_cast<int64_t>(value << (64 - bits)) >> (64 - bits); }
bool bit(uint64_t value, int i) { return value >> i & 1; }

/// A result with SCC saying whether it is not zero.
Reference nonzero(int bits, std::function<uint64_t(const In&)> f) {
  return [=](const In& in) {
    const uint64_t d = cut(f(in), bits);
    return Out{d, d != 0, in.exec};
  };
}
Reference keeps_scc(int bits, std::function<uint64_t(const In&)> f) {
  return [=](const In& in) { return Out{cut(f(in), bits), in.scc, in.exec}; };
}
Reference compares(std::function<bool(const In&)> f) {
  return [=](const In& in) { return Out{in.d, f(in), in.exec}; };
}
/// From the exact sum, difference or product as a wide integer: SCC when it does not fit.
Reference exact(bool is_signed, std::function<__int128(const In&)> f) {
  return [=](const In& in) {
    const __int128 whole = f(in);
    const uint64_t d = cut(static_cast<uint64_t>(whole), 32);
    const __int128 back = is_signed ? __int128{sign(d, 32)} : __int128{d};
    return Out{d, whole != back, in.exec};
  };
}

template <class F>
uint64_t each_bit(int bits, F f) {
  uint64_t result = 0;
  for (int i = 0; i < bits; ++i) result |= uint64_t{f(i)} << i;
  return result;
}
uint64_t first(int bits, std::function<bool(int)> f) {
  for (int i = 0; i < bits; ++i)
    if (f(i)) return static_cast<uint64_t>(i);
  return 0xffffffff;
}
uint64_t field(uint64_t value, uint32_t where, int bits, bool is_signed) {
  const int offset = static_cast<int>(where & static_cast<uint32_t>(bits - 1)),
            width = static_cast<int>(where >> 16 & 0x7f);
  const auto source = [&](int i) { return i < bits ? bit(value, i) : is_signed && bit(value, bits - 1); };
  return each_bit(bits, [&](int i) {
    if (width == 0) return false;
    if (i < width) return source(i + offset);
    return is_signed && source(offset + width - 1);
  });
}

std::vector<Case> arithmetic() {
  const auto u = [](uint64_t x) { return static_cast<__int128>(x); };
  const auto i = [](uint64_t x) { return static_cast<__int128>(sign(x, 32)); };
  const auto pick = [](bool wins, const In& in) { return Out{wins ? in.a : in.b, wins, in.exec}; };
  std::vector<Case> cases = {
      {"s_add_u32 D, A, B", 32, 32, 32, exact(false, [=](const In& x) { return u(x.a) + u(x.b); })},
      {"s_addc_u32 D, A, B", 32, 32, 32, exact(false, [=](const In& x) { return u(x.a) + u(x.b) + x.scc; })},
      {"s_sub_u32 D, A, B", 32, 32, 32, exact(false, [=](const In& x) { return u(x.a) - u(x.b); })},
      {"s_subb_u32 D, A, B", 32, 32, 32, exact(false, [=](const In& x) { return u(x.a) - u(x.b) - x.scc; })},
      {"s_add_i32 D, A, B", 32, 32, 32, exact(true, [=](const In& x) { return i(x.a) + i(x.b); })},
      {"s_sub_i32 D, A, B", 32, 32, 32, exact(true, [=](const In& x) { return i(x.a) - i(x.b); })},
      {"s_addk_i32 D, 0x8001", 32, 0, 0, exact(true, [=](const In& x) { return i(x.d) - 32767; })},
      {"s_addk_i32 D, 0x7fff", 32, 0, 0, exact(true, [=](const In& x) { return i(x.d) + 32767; })},
      {"s_mulk_i32 D, 0xfffd", 32, 0, 0,
       keeps_scc(32, [=](const In& x) { return static_cast<uint64_t>(i(x.d) * -3); })},
      {"s_mul_i32 D, A, B", 32, 32, 32,
       keeps_scc(32, [=](const In& x) { return static_cast<uint64_t>(i(x.a) * i(x.b)); })},
      {"s_mul_hi_u32 D, A, B", 32, 32, 32,
       keeps_scc(32, [=](const In& x) { return static_cast<uint64_t>(u(x.a) * u(x.b) >> 32); })},
      {"s_mul_hi_i32 D, A, B", 32, 32, 32,
       keeps_scc(32, [=](const In& x) { return static_cast<uint64_t>(i(x.a) * i(x.b) >> 32); })},
      {"s_add_nc_u64 D, A, B", 64, 64, 64, keeps_scc(64, [](const In& x) { return x.a + x.b; }), kGfx12},
      {"s_sub_nc_u64 D, A, B", 64, 64, 64, keeps_scc(64, [](const In& x) { return x.a - x.b; }), kGfx12},
      {"s_mul_u64 D, A, B", 64, 64, 64, keeps_scc(64, [](const In& x) { return x.a * x.b; }), kGfx12},
      {"s_min_i32 D, A, B", 32, 32, 32, [=](const In& x) { return pick(i(x.a) < i(x.b), x); }},
      {"s_min_u32 D, A, B", 32, 32, 32, [=](const In& x) { return pick(x.a < x.b, x); }},
      {"s_max_i32 D, A, B", 32, 32, 32, [=](const In& x) { return pick(i(x.a) >= i(x.b), x); }},
      {"s_max_u32 D, A, B", 32, 32, 32, [=](const In& x) { return pick(x.a >= x.b, x); }},
      {"s_abs_i32 D, A", 32, 32, 0,
       nonzero(32, [=](const In& x) { return static_cast<uint64_t>(i(x.a) < 0 ? -i(x.a) : i(x.a)); })},
      {"s_absdiff_i32 D, A, B", 32, 32, 32,
       nonzero(32,
               [=](const In& x) {
                 const int64_t difference = sign(cut(x.a - x.b, 32), 32);
                 return static_cast<uint64_t>(difference < 0 ? -difference : difference);
               })},
  };
  static constexpr std::string_view kShiftAdd[] = {"s_lshl1_add_u32 D, A, B", "s_lshl2_add_u32 D, A, B",
                                                   "s_lshl3_add_u32 D, A, B", "s_lshl4_add_u32 D, A, B"};
  for (int n = 1; n <= 4; ++n)
    cases.push_back(
        {kShiftAdd[n - 1], 32, 32, 32, exact(false, [=](const In& x) { return (u(x.a) << n) + u(x.b); })});
  return cases;
}

std::vector<Case> logic() {
  std::vector<Case> cases;
  struct Two {
    std::string_view text32, text64;
    bool (*f)(bool, bool);
  };
  static constexpr Two kTwo[] = {
      {"s_and_b32 D, A, B", "s_and_b64 D, A, B", [](bool a, bool b) { return a && b; }},
      {"s_or_b32 D, A, B", "s_or_b64 D, A, B", [](bool a, bool b) { return a || b; }},
      {"s_xor_b32 D, A, B", "s_xor_b64 D, A, B", [](bool a, bool b) { return a != b; }},
      {"s_andn2_b32 D, A, B", "s_andn2_b64 D, A, B", [](bool a, bool b) { return a && !b; }},
      {"s_orn2_b32 D, A, B", "s_orn2_b64 D, A, B", [](bool a, bool b) { return a || !b; }},
      {"s_nand_b32 D, A, B", "s_nand_b64 D, A, B", [](bool a, bool b) { return !(a && b); }},
      {"s_nor_b32 D, A, B", "s_nor_b64 D, A, B", [](bool a, bool b) { return !(a || b); }},
      {"s_xnor_b32 D, A, B", "s_xnor_b64 D, A, B", [](bool a, bool b) { return a == b; }},
      {"s_not_b32 D, A", "s_not_b64 D, A", [](bool a, bool) { return !a; }},
  };
  for (const Two& two : kTwo)
    for (const int bits : {32, 64})
      cases.push_back({bits == 32 ? two.text32 : two.text64, bits, bits, two.text32.ends_with('B') ? bits : 0,
                       nonzero(bits, [=](const In& x) {
                         return each_bit(bits, [&](int i) { return two.f(bit(x.a, i), bit(x.b, i)); });
                       })});
  for (const int bits : {32, 64}) {
    const bool wide = bits == 64;
    cases.push_back(
        {wide ? "s_lshl_b64 D, A, B" : "s_lshl_b32 D, A, B", bits, bits, 32, nonzero(bits, [=](const In& x) {
           const int by = static_cast<int>(x.b % static_cast<uint64_t>(bits));
           return each_bit(bits, [&](int i) { return i >= by && bit(x.a, i - by); });
         })});
    cases.push_back(
        {wide ? "s_lshr_b64 D, A, B" : "s_lshr_b32 D, A, B", bits, bits, 32, nonzero(bits, [=](const In& x) {
           const int by = static_cast<int>(x.b % static_cast<uint64_t>(bits));
           return each_bit(bits, [&](int i) { return i + by < bits && bit(x.a, i + by); });
         })});
    cases.push_back(
        {wide ? "s_ashr_i64 D, A, B" : "s_ashr_i32 D, A, B", bits, bits, 32, nonzero(bits, [=](const In& x) {
           const int by = static_cast<int>(x.b % static_cast<uint64_t>(bits));
           return each_bit(bits, [&](int i) { return bit(x.a, std::min(i + by, bits - 1)); });
         })});
  }
  return cases;
}

std::vector<Case> bits() {
  const auto count = [](uint64_t value, int bits, bool of) {
    uint64_t n = 0;
    for (int i = 0; i < bits; ++i) n += bit(value, i) == of;
    return n;
  };
  std::vector<Case> cases = {
      {"s_bitreplicate_b64_b32 D, A", 64, 32, 0,
       keeps_scc(64, [](const In& x) { return each_bit(64, [&](int i) { return bit(x.a, i / 2); }); })},
      {"s_bfm_b32 D, A, B", 32, 32, 32,
       keeps_scc(32,
                 [](const In& x) {
                   return each_bit(32, [&](int i) {
                     return i >= static_cast<int>(x.b % 32) && i < static_cast<int>(x.b % 32 + x.a % 32);
                   });
                 })},
      {"s_bfm_b64 D, A, B", 64, 32, 32,
       keeps_scc(64,
                 [](const In& x) {
                   return each_bit(64, [&](int i) {
                     return i >= static_cast<int>(x.b % 64) && i < static_cast<int>(x.b % 64 + x.a % 64);
                   });
                 })},
      {"s_pack_ll_b32_b16 D, A, B", 32, 32, 32,
       keeps_scc(32, [](const In& x) { return x.a % 65536 + x.b % 65536 * 65536; })},
      {"s_pack_lh_b32_b16 D, A, B", 32, 32, 32,
       keeps_scc(32, [](const In& x) { return x.a % 65536 + x.b / 65536 * 65536; })},
      {"s_pack_hh_b32_b16 D, A, B", 32, 32, 32,
       keeps_scc(32, [](const In& x) { return x.a / 65536 + x.b / 65536 * 65536; })},
      {"s_pack_hl_b32_b16 D, A, B", 32, 32, 32,
       keeps_scc(32, [](const In& x) { return x.a / 65536 + x.b % 65536 * 65536; }), kGfx11Up},
      {"s_sext_i32_i8 D, A", 32, 32, 0,
       keeps_scc(32, [](const In& x) { return static_cast<uint64_t>(sign(x.a, 8)); })},
      {"s_sext_i32_i16 D, A", 32, 32, 0,
       keeps_scc(32, [](const In& x) { return static_cast<uint64_t>(sign(x.a, 16)); })},
  };
  struct Pair {
    std::string_view text32, text64;
  };
  const auto add = [&](Pair text, int d32, int d64, int b, bool scc,
                       std::function<uint64_t(const In&, int)> f, On on = kAll, bool one = true) {
    for (const int bits : {32, 64}) {
      const int d = bits == 32 ? d32 : d64;
      const auto value = [=](const In& x) { return f(x, bits); };
      cases.push_back({bits == 32 ? text.text32 : text.text64, d, one ? bits : 32, b,
                       scc ? nonzero(d, value) : keeps_scc(d, value), on});
    }
  };
  add({"s_brev_b32 D, A", "s_brev_b64 D, A"}, 32, 64, 0, false,
      [](const In& x, int n) { return each_bit(n, [&](int i) { return bit(x.a, n - 1 - i); }); });
  add({"s_bcnt0_i32_b32 D, A", "s_bcnt0_i32_b64 D, A"}, 32, 32, 0, true,
      [=](const In& x, int n) { return count(x.a, n, false); });
  add({"s_bcnt1_i32_b32 D, A", "s_bcnt1_i32_b64 D, A"}, 32, 32, 0, true,
      [=](const In& x, int n) { return count(x.a, n, true); });
  add(
      {"s_ff0_i32_b32 D, A", "s_ff0_i32_b64 D, A"}, 32, 32, 0, false,
      [](const In& x, int n) { return first(n, [&](int i) { return !bit(x.a, i); }); }, kGfx9);
  add({"s_ff1_i32_b32 D, A", "s_ff1_i32_b64 D, A"}, 32, 32, 0, false,
      [](const In& x, int n) { return first(n, [&](int i) { return bit(x.a, i); }); });
  add({"s_flbit_i32_b32 D, A", "s_flbit_i32_b64 D, A"}, 32, 32, 0, false,
      [](const In& x, int n) { return first(n, [&](int i) { return bit(x.a, n - 1 - i); }); });
  add({"s_flbit_i32 D, A", "s_flbit_i32_i64 D, A"}, 32, 32, 0, false, [](const In& x, int n) {
    return first(n, [&](int i) { return bit(x.a, n - 1 - i) != bit(x.a, n - 1); });
  });
  add(
      {"s_bitset0_b32 D, A", "s_bitset0_b64 D, A"}, 32, 64, 0, false,
      [](const In& x, int n) {
        return each_bit(
            n, [&](int i) { return i != static_cast<int>(x.a % static_cast<uint64_t>(n)) && bit(x.d, i); });
      },
      kAll, false);
  add(
      {"s_bitset1_b32 D, A", "s_bitset1_b64 D, A"}, 32, 64, 0, false,
      [](const In& x, int n) {
        return each_bit(
            n, [&](int i) { return i == static_cast<int>(x.a % static_cast<uint64_t>(n)) || bit(x.d, i); });
      },
      kAll, false);
  add({"s_quadmask_b32 D, A", "s_quadmask_b64 D, A"}, 32, 64, 0, true, [](const In& x, int n) {
    return each_bit(n / 4, [&](int i) {
      return bit(x.a, 4 * i) || bit(x.a, 4 * i + 1) || bit(x.a, 4 * i + 2) || bit(x.a, 4 * i + 3);
    });
  });
  add({"s_wqm_b32 D, A", "s_wqm_b64 D, A"}, 32, 64, 0, true, [](const In& x, int n) {
    return each_bit(n, [&](int i) {
      const int q = i / 4 * 4;
      return bit(x.a, q) || bit(x.a, q + 1) || bit(x.a, q + 2) || bit(x.a, q + 3);
    });
  });
  add({"s_bfe_u32 D, A, B", "s_bfe_u64 D, A, B"}, 32, 64, 32, true,
      [](const In& x, int n) { return field(x.a, static_cast<uint32_t>(x.b), n, false); });
  add({"s_bfe_i32 D, A, B", "s_bfe_i64 D, A, B"}, 32, 64, 32, true,
      [](const In& x, int n) { return field(x.a, static_cast<uint32_t>(x.b), n, true); });
  return cases;
}

std::vector<Case> moves_and_compares() {
  std::vector<Case> cases = {
      {"s_mov_b32 D, A", 32, 32, 0, keeps_scc(32, [](const In& x) { return x.a; })},
      {"s_mov_b64 D, A", 64, 64, 0, keeps_scc(64, [](const In& x) { return x.a; })},
      {"s_mov_b64 D, -5", 64, 0, 0, keeps_scc(64, [](const In&) { return ~uint64_t{4}; })},
      {"s_mov_b64 D, 0x80000001", 64, 0, 0, keeps_scc(64, [](const In&) { return uint64_t{0x80000001}; })},
      {"s_mov_b32 D, 0.5", 32, 0, 0, keeps_scc(32, [](const In&) { return uint64_t{0x3f000000}; })},
      {"s_mov_b64 D, 0.5", 64, 0, 0, keeps_scc(64, [](const In&) { return uint64_t{0x3fe0000000000000}; })},
      {"s_movk_i32 D, 0xfffb", 32, 0, 0, keeps_scc(32, [](const In&) { return uint64_t{0xfffffffb}; })},
      {"s_movk_i32 D, 0x7ffb", 32, 0, 0, keeps_scc(32, [](const In&) { return uint64_t{0x7ffb}; })},
      {"s_cmov_b32 D, A", 32, 32, 0, keeps_scc(32, [](const In& x) { return x.scc ? x.a : x.d; })},
      {"s_cmov_b64 D, A", 64, 64, 0, keeps_scc(64, [](const In& x) { return x.scc ? x.a : x.d; })},
      {"s_cmovk_i32 D, 0x8000", 32, 0, 0,
       keeps_scc(32, [](const In& x) { return x.scc ? uint64_t{0xffff8000} : x.d; })},
      {"s_cselect_b32 D, A, B", 32, 32, 32, keeps_scc(32, [](const In& x) { return x.scc ? x.a : x.b; })},
      {"s_cselect_b64 D, A, B", 64, 64, 64, keeps_scc(64, [](const In& x) { return x.scc ? x.a : x.b; })},
      {"s_bitcmp0_b32 A, B", 32, 32, 32,
       compares([](const In& x) { return !bit(x.a, static_cast<int>(x.b % 32)); })},
      {"s_bitcmp1_b32 A, B", 32, 32, 32,
       compares([](const In& x) { return bit(x.a, static_cast<int>(x.b % 32)); })},
      {"s_bitcmp0_b64 A, B", 64, 64, 32,
       compares([](const In& x) { return !bit(x.a, static_cast<int>(x.b % 64)); })},
      {"s_bitcmp1_b64 A, B", 64, 64, 32,
       compares([](const In& x) { return bit(x.a, static_cast<int>(x.b % 64)); })},
      {"s_cmp_eq_u64 A, B", 64, 64, 64, compares([](const In& x) { return x.a == x.b; })},
      {"s_cmp_lg_u64 A, B", 64, 64, 64, compares([](const In& x) { return x.a != x.b; })},
  };
  struct Compare {
    std::string_view i32, u32, k_i32, k_u32;
    bool (*f)(int64_t, int64_t);
  };
  static constexpr Compare kCompare[] = {
      {"s_cmp_eq_i32 A, B", "s_cmp_eq_u32 A, B", "s_cmpk_eq_i32 A, 0xff80", "s_cmpk_eq_u32 A, 0xff80",
       [](int64_t a, int64_t b) { return a == b; }},
      {"s_cmp_lg_i32 A, B", "s_cmp_lg_u32 A, B", "s_cmpk_lg_i32 A, 0xff80", "s_cmpk_lg_u32 A, 0xff80",
       [](int64_t a, int64_t b) { return a != b; }},
      {"s_cmp_gt_i32 A, B", "s_cmp_gt_u32 A, B", "s_cmpk_gt_i32 A, 0xff80", "s_cmpk_gt_u32 A, 0xff80",
       [](int64_t a, int64_t b) { return a > b; }},
      {"s_cmp_ge_i32 A, B", "s_cmp_ge_u32 A, B", "s_cmpk_ge_i32 A, 0xff80", "s_cmpk_ge_u32 A, 0xff80",
       [](int64_t a, int64_t b) { return a >= b; }},
      {"s_cmp_lt_i32 A, B", "s_cmp_lt_u32 A, B", "s_cmpk_lt_i32 A, 0xff80", "s_cmpk_lt_u32 A, 0xff80",
       [](int64_t a, int64_t b) { return a < b; }},
      {"s_cmp_le_i32 A, B", "s_cmp_le_u32 A, B", "s_cmpk_le_i32 A, 0xff80", "s_cmpk_le_u32 A, 0xff80",
       [](int64_t a, int64_t b) { return a <= b; }},
  };
  for (const Compare& c : kCompare) {
    cases.push_back(
        {c.i32, 32, 32, 32, compares([f = c.f](const In& x) { return f(sign(x.a, 32), sign(x.b, 32)); })});
    cases.push_back({c.u32, 32, 32, 32, compares([f = c.f](const In& x) {
                       return f(static_cast<int64_t>(x.a), static_cast<int64_t>(x.b));
                     })});
    cases.push_back({c.k_i32, 32, 32, 0, compares([f = c.f](const In& x) { return f(sign(x.a, 32), -128); }),
                     kBeforeGfx12});
    cases.push_back({c.k_u32, 32, 32, 0,
                     compares([f = c.f](const In& x) { return f(static_cast<int64_t>(x.a), 0xff80); }),
                     kBeforeGfx12});
  }
  return cases;
}

/// Sources that meet borders: small numbers, both ends, single bits, and any.
uint64_t draw(std::mt19937_64& random) {
  switch (random() % 5) {
    case 0:
      return random() % 70;
    case 1:
      return ~(random() % 5);
    case 2:
      return uint64_t{1} << random() % 64;
    case 3:
      return (random() & 1 ? 0xffffff80u : 0xff80u) | (random() & 1 ? 0 : uint64_t{0xffffffff} << 32);
    default:
      return random();
  }
}

bool exists(On on, std::string_view target) {
  const bool gfx9 = target.starts_with("gfx9"), gfx12 = target.starts_with("gfx12");
  switch (on) {
    case kAll:
      return true;
    case kGfx9:
      return gfx9;
    case kGfx11Up:
      return !gfx9;
    case kGfx12:
      return gfx12;
    case kBeforeGfx12:
      return !gfx12;
  }
  return false;
}

std::string name(int first, int bits) {
  return bits == 64 ? fmt::format("s[{}:{}]", first, first + 1) : fmt::format("s{}", first);
}

/// Runs each case on kInputs inputs at a time: D, A and B of input i are s[8 + 8i], s[10 + 8i] and s[12 +
/// 8i], and s[14 + 8i] takes SCC.
void check(const std::vector<Case>& cases) {
  constexpr int kInputs = 11;
  const auto seed = 20240921u;
  std::mt19937_64 random(seed);
  for (const auto [target, lanes] : all_targets()) {
    WaveTest test(target, lanes);
    for (const Case& c : cases) {
      if (!exists(c.on, target)) continue;
      In in[kInputs];
      std::string text;
      for (int i = 0; i < kInputs; ++i) {
        in[i] = {cut(draw(random), c.d), cut(draw(random), c.a ? c.a : 32), cut(draw(random), c.b ? c.b : 32),
                 (random() & 1) != 0, test.exec()};
        if (random() % 8 == 0) in[i].b = in[i].a;
        const int first = 8 + 8 * i;
        test.s64(first) = in[i].d, test.s64(first + 2) = in[i].a, test.s64(first + 4) = in[i].b;
        std::string line(c.text);
        for (const auto [letter, number, width] :
             {std::tuple{'D', first, c.d}, {'A', first + 2, c.a}, {'B', first + 4, c.b}})
          if (const size_t at = line.find(letter); at != std::string::npos)
            line.replace(at, 1, name(number, width));
        text +=
            fmt::format("s_cmp_lg_u32 {}, 0\n{}\ns_cselect_b32 s{}, 1, 0\n", int{in[i].scc}, line, first + 6);
      }
      const auto done = test.run(text);
      ASSERT_TRUE(done) << target << ": " << c.text << ": " << done.error().text();
      for (int i = 0; i < kInputs; ++i) {
        const Out out = c.reference(in[i]);
        const int first = 8 + 8 * i;
        const uint64_t d = cut(test.s64(first), c.d);
        ASSERT_TRUE(d == out.d && test.s(first + 6) == out.scc) << fmt::format(
            "{}: {} with D {:#x}, A {:#x}, B {:#x}, SCC {} gave {:#x}, SCC {} instead of {:#x}, SCC {} (seed "
            "{})",
            target, c.text, in[i].d, in[i].a, in[i].b, in[i].scc, d, test.s(first + 6), out.d, out.scc, seed);
      }
    }
  }
}

TEST(Scalar, Arithmetic) { check(arithmetic()); }
TEST(Scalar, LogicAndShifts) { check(logic()); }
TEST(Scalar, Bits) { check(bits()); }
TEST(Scalar, MovesAndCompares) { check(moves_and_compares()); }

TEST(Scalar, MasksCombinedWithExec) {
  struct Save {
    std::string_view name;
    bool (*f)(bool, bool);
    bool writes = false;
  };
  static constexpr Save kSaves[] = {
      {"s_and_saveexec", [](bool s, bool e) { return s && e; }},
      {"s_or_saveexec", [](bool s, bool e) { return s || e; }},
      {"s_xor_saveexec", [](bool s, bool e) { return s != e; }},
      {"s_nand_saveexec", [](bool s, bool e) { return !(s && e); }},
      {"s_nor_saveexec", [](bool s, bool e) { return !(s || e); }},
      {"s_xnor_saveexec", [](bool s, bool e) { return s == e; }},
      {"s_andn1_saveexec", [](bool s, bool e) { return !s && e; }},
      {"s_orn1_saveexec", [](bool s, bool e) { return !s || e; }},
      {"s_andn2_saveexec", [](bool s, bool e) { return s && !e; }},
      {"s_orn2_saveexec", [](bool s, bool e) { return s || !e; }},
      {"s_andn1_wrexec", [](bool s, bool e) { return !s && e; }, true},
      {"s_andn2_wrexec", [](bool s, bool e) { return s && !e; }, true},
  };
  std::mt19937_64 random(7);
  for (const auto [target, lanes] : all_targets()) {
    WaveTest test(target, lanes);
    const bool wide = lanes == 64;
    for (const Save& save : kSaves)
      for (int i = 0; i < 6; ++i) {
        const uint64_t exec = cut(draw(random), lanes);
        const uint64_t s = i == 0 ? exec : i == 1 ? 0 : cut(draw(random), lanes);
        test.exec() = exec, test.s64(2) = s;
        const auto done = test.run(fmt::format("{}_b{} {}, {}\ns_cselect_b32 s6, 1, 0", save.name, lanes,
                                               name(4, lanes), name(2, lanes)));
        ASSERT_TRUE(done) << target << done.error().text();
        const uint64_t after =
            each_bit(lanes, [&](int lane) { return save.f(bit(s, lane), bit(exec, lane)); });
        EXPECT_EQ(test.exec(), after) << target << save.name;
        EXPECT_EQ(cut(test.s64(4), wide ? 64 : 32), save.writes ? after : exec) << target << save.name;
        EXPECT_EQ(test.s(6), uint32_t{after != 0}) << target << save.name;
      }
  }
}

}  // namespace
}  // namespace wavesmith::emulate
