// Domains over rows' expressions.
#include "isa/meaning/evaluate.h"

#include <gtest/gtest.h>

#include "isa/rows.h"

namespace wavesmith::isa {
namespace {

const Expression& meaning_of(std::string_view name) {
  return *find_row(name, *find_target("gfx942"))->meaning();
}

std::optional<uint64_t> number(std::string_view name, std::vector<std::optional<uint64_t>> sources,
                               size_t result = 0) {
  Numbers domain{[&](const Node& node) { return sources[node.constant]; }};
  return Evaluation(meaning_of(name), domain).result(result);
}

TEST(Numbers, AreComputed) {
  EXPECT_EQ(number("v_add3_u32", {7, 8, 9}), 24);
  EXPECT_EQ(number("s_sub_u32", {1, 2}), 0xffffffff);
  EXPECT_EQ(number("s_sub_u32", {1, 2}, 1), 1);  // it borrows
  EXPECT_EQ(number("s_movk_i32", {0xfffe}), 0xfffffffe);
  EXPECT_EQ(number("s_mul_hi_i32", {0xffffffff, 2}), 0xffffffff);
}

TEST(Numbers, AreUnknownWhereASourceIs) {
  EXPECT_EQ(number("v_add3_u32", {7, std::nullopt, 9}), std::nullopt);
  // What is not selected need not be known.
  EXPECT_EQ(number("s_cselect_b32", {5, std::nullopt, 1}), 5);
}

/// Which sources a result depends on: the domain that isa/meaning/README.md shows.
struct Tainted {
  using Value = bool;
  uint64_t source;
  bool leaf(const Node& node) const { return node.op == Op::Source && node.constant == source; }
  static bool operation(const Node&, const std::array<bool, 3>& arguments) {
    return arguments[0] || arguments[1] || arguments[2];
  }
};

TEST(Domain, MayAskWhatAResultDependsOn) {
  const auto depends = [](std::string_view name, uint64_t source, size_t result) {
    Tainted domain{source};
    return Evaluation(meaning_of(name), domain).result(result);
  };
  EXPECT_TRUE(depends("v_lshl_add_u32", 1, 0));
  EXPECT_TRUE(depends("s_and_saveexec_b64", 0, 2));   // EXEC, on the mask
  EXPECT_FALSE(depends("s_and_saveexec_b64", 0, 0));  // what is saved, on EXEC alone
  EXPECT_TRUE(depends("s_and_saveexec_b64", 1, 0));
}

}  // namespace
}  // namespace wavesmith::isa
