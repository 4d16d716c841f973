// V_CMP_* and V_CMPX_*: every relation of every type, on random and special values in lanes of which some are
// off.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <array>
#include <bit>
#include <cmath>
#include <random>
#include <string>

#include "emulate/instructions/testing.h"
#include "isa/rows.h"

namespace wavesmith::emulate {
namespace {

/// How two values stand to each other.
struct Order {
  bool less, equal, greater;  ///< none of them: one is no number
};

struct Relation {
  std::string_view name;
  bool (*holds)(Order);
};

constexpr Relation kOfIntegers[] = {
    {"f", [](Order) { return false; }},
    {"lt", [](Order o) { return o.less; }},
    {"eq", [](Order o) { return o.equal; }},
    {"le", [](Order o) { return o.less || o.equal; }},
    {"gt", [](Order o) { return o.greater; }},
    {"ne", [](Order o) { return o.less || o.greater; }},
    {"ge", [](Order o) { return o.greater || o.equal; }},
    {"t", [](Order) { return true; }},
};
constexpr Relation kOfFloats[] = {
    {"f", [](Order) { return false; }},
    {"lt", [](Order o) { return o.less; }},
    {"eq", [](Order o) { return o.equal; }},
    {"le", [](Order o) { return o.less || o.equal; }},
    {"gt", [](Order o) { return o.greater; }},
    {"lg", [](Order o) { return o.less || o.greater; }},
    {"ge", [](Order o) { return o.greater || o.equal; }},
    {"o", [](Order o) { return o.less || o.equal || o.greater; }},
    {"u", [](Order o) { return !o.less && !o.equal && !o.greater; }},
    {"nge", [](Order o) { return !o.greater && !o.equal; }},
    {"nlg", [](Order o) { return !o.less && !o.greater; }},
    {"ngt", [](Order o) { return !o.greater; }},
    {"nle", [](Order o) { return !o.less && !o.equal; }},
    {"neq", [](Order o) { return !o.equal; }},
    {"nlt", [](Order o) { return !o.less; }},
    {"tru", [](Order) { return true; }},
    {"t", [](Order) { return true; }},
};

/// A type by its name in mnemonics: its width, and how two encodings compare.
struct Compared {
  std::string_view name;
  int bits;
  bool is_float;
  Order (*order)(uint64_t a, uint64_t b);
};
template <class T>
Order order_of(T a, T b) {
  return {a<b, a == b, a> b};
}
template <class T, class Code>
Order as(uint64_t a, uint64_t b) {
  return order_of(std::bit_cast<T>(static_cast<Code>(a)), std::bit_cast<T>(static_cast<Code>(b)));
}
constexpr Compared kCompared[] = {
    {"i16", 16, false, as<int16_t, uint16_t>}, {"u16", 16, false, as<uint16_t, uint16_t>},
    {"i32", 32, false, as<int32_t, uint32_t>}, {"u32", 32, false, as<uint32_t, uint32_t>},
    {"i64", 64, false, as<int64_t, uint64_t>}, {"u64", 64, false, as<uint64_t, uint64_t>},
    {"f16", 16, true, as<_Float16, uint16_t>}, {"f32", 32, true, as<float, uint32_t>},
    {"f64", 64, true, as<double, uint64_t>},
};

/// Extremes of integers, which are zeros, denormals, infinities and NaNs as floats.
uint64_t any_value(std::mt19937_64& random, const Compared& type) {
  const int exponent = type.bits == 16 ? 5 : type.bits == 32 ? 8 : 11;
  const uint64_t sign = uint64_t{1} << (type.bits - 1), infinity = ((uint64_t{1} << exponent) - 1)
                                                                   << (type.bits - 1 - exponent);
  const uint64_t special[] = {0,
                              1,
                              sign - 1,
                              sign,
                              sign + 1,
                              ~uint64_t{0},
                              infinity,
                              infinity + 1,
                              infinity - 1,
                              sign | infinity,
                              sign | (infinity + 1)};
  return random() % 2 ? random() : special[random() % std::size(special)];
}

void compare(std::string_view mnemonic, const Compared& type, const Relation& relation, bool writes_exec) {
  std::mt19937_64 random(std::hash<std::string_view>{}(mnemonic));
  for (const auto [name, lanes] : all_targets()) {
    const isa::Target& target = *isa::find_target(name);
    if (!isa::find_row(mnemonic, target)) continue;
    const bool cdna = target.is(isa::kCdna), halves = type.bits == 16 && !cdna;
    const std::string sources = type.bits == 64 ? "v[2:3], v[4:5]" : halves ? "v2.l, v4.l" : "v2, v4";
    const std::string mask = writes_exec && !cdna ? "" : lanes == 64 ? "vcc, " : "vcc_lo, ";
    const std::string text = fmt::format("{} {}{}", mnemonic, mask, sources);
    SCOPED_TRACE(fmt::format("{} wave{}: {}", name, lanes, text));
    WaveTest test(name, lanes);
    const uint64_t some = random();
    const uint64_t all = lanes == 64 ? ~uint64_t{0} : 0xffffffffu, exec = (some | random()) & all;
    test.exec() = exec;
    uint64_t expected = 0;
    for (int lane = 0; lane < lanes; ++lane) {
      const uint64_t a = any_value(random, type), b = random() % 4 == 0 ? a : any_value(random, type);
      test.set_v64(2, lane, a);
      test.set_v64(4, lane, b);
      if ((exec >> lane & 1) != 0 && relation.holds(type.order(a, b))) expected |= uint64_t{1} << lane;
    }
    const auto done = test.run(text);
    ASSERT_TRUE(done) << done.error().text();
    EXPECT_EQ(test.exec() & all, writes_exec ? expected : exec);
    if (!mask.empty()) EXPECT_EQ(test.vcc() & all, expected);
  }
}

TEST(Comparison, EveryRelationOfEveryType) {
  for (const Compared& type : kCompared)
    for (const Relation& relation :
         type.is_float ? std::span<const Relation>(kOfFloats) : std::span<const Relation>(kOfIntegers))
      for (const bool writes_exec : {false, true})
        compare(fmt::format("v_cmp{}_{}_{}", writes_exec ? "x" : "", relation.name, type.name), type,
                relation, writes_exec);
}

}  // namespace
}  // namespace wavesmith::emulate
