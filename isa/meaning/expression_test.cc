// What bodies do to terms, against what they do to numbers: every row that has an expression, on random and
// on extreme sources, as packs or scalars.
#include "isa/meaning/expression.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <random>

#include "isa/families.h"
#include "isa/meaning/evaluate.h"
#include "isa/meaning/trace.h"
#include "isa/rows.h"

namespace wavesmith::isa {
namespace {

uint64_t random_bits(std::mt19937_64& random) {
  constexpr uint64_t kExtremes[] = {0,
                                    1,
                                    31,
                                    32,
                                    63,
                                    0x7fff,
                                    0x8000,
                                    0xffff,
                                    0x7fffffff,
                                    0x80000000,
                                    0xffffffff,
                                    0x7fffffffffffffff,
                                    0x8000000000000000,
                                    ~uint64_t{0}};
  return random() % 2 ? kExtremes[random() % std::size(kExtremes)] : random() >> random() % 60;
}

/// A source's numbers in sixteen lanes, all the same for a scalar row.
using Given = std::array<uint64_t, kPackLanes>;

template <class Tag, bool kScalar>
auto argument(const Given& given) {
  using T = typename term::Inner<typename meaning::Stand<Tag>::type>::type;
  if constexpr (kScalar) {
    return static_cast<T>(given[0] & low_bits(term::kBits<T>));
  } else {
    Pack<T> pack;
    for (int lane = 0; lane < kPackLanes; ++lane)
      pack[lane] = static_cast<T>(std::is_same_v<Tag, lane_number>
                                      ? static_cast<uint64_t>(lane)
                                      : given[static_cast<size_t>(lane)] & low_bits(term::kBits<T>));
    return pack;
  }
}
template <class V>
uint64_t in_lane(const V& value, int lane, int bits) {
  if constexpr (std::is_arithmetic_v<V>)
    return static_cast<uint64_t>(value) & low_bits(bits);
  else
    return static_cast<uint64_t>(value[lane]) & low_bits(bits);
}

class Check {
 public:
  template <class Signature, class Body>
  void operator()(LaneSignature<Signature>, std::string_view names, Body, Facts = {}) {
    if constexpr (kTraceable<Signature>) check<false, Body>(names, static_cast<Signature*>(nullptr));
  }
  template <class Signature, class Body>
  void operator()(RareSignature<Signature>, std::string_view names, Body, Facts = {}) {
    if constexpr (kTraceable<Signature>) check<false, Body>(names, static_cast<Signature*>(nullptr));
  }
  template <class Signature, class Body>
  void operator()(ScalarSignature<Signature>, std::string_view names, Body, Facts = {}) {
    if constexpr (kTraceable<Signature>) check<true, Body>(names, static_cast<Signature*>(nullptr));
  }
  // Rows of packed values, of memory and of matrices have none; what crosses lanes is no number.
  template <class Signature, class Body>
  void operator()(Signature, std::string_view, Body, Facts = {}) {}
  template <class Signature>
  void operator()(Signature, std::string_view, Facts = {}) {}
  void operator()(const MatrixInstruction&) {}

  int checked = 0;

 private:
  template <bool kScalar, class Body, class R, class... A>
  void check(std::string_view names, R (*)(A...)) {
    SCOPED_TRACE(names);
    const Expression& expression = *traced<R(A...), Body>();
    ASSERT_FALSE(expression.results().empty()) << "too many paths";
    ++checked;
    for (int round = 0; round < 60; ++round) {
      std::array<Given, sizeof...(A) + 1> given;
      for (Given& one : given)
        for (uint64_t& value : one) value = random_bits(random_);
      compare<kScalar, Body, A...>(expression, given, std::index_sequence_for<A...>{});
    }
  }
  template <bool kScalar, class Body, class... A, size_t... I>
  void compare(const Expression& expression, const std::array<Given, sizeof...(A) + 1>& given,
               std::index_sequence<I...>) {
    const auto results = Body{}(argument<A, kScalar>(given[I])...);
    for (int lane = 0; lane < (kScalar ? 1 : kPackLanes); ++lane) {
      // Sources are numbered as they stand, the lane's number left out; it is the last one.
      Numbers domain{[&](const Node& node) -> std::optional<uint64_t> {
        if (node.op == Op::LaneNumber) return lane;
        return given[node.constant][static_cast<size_t>(lane)];
      }};
      Evaluation evaluation(expression, domain);
      const auto expect = [&](size_t number, const auto& value) {
        const int bits = expression.node(expression.results()[number]).bits;
        ASSERT_TRUE(evaluation.result(number));
        EXPECT_EQ(*evaluation.result(number), in_lane(value, lane, bits)) << "result " << number;
      };
      if constexpr (requires { results.third; }) expect(2, results.third);
      if constexpr (requires { results.second; })
        expect(0, results.first), expect(1, results.second);
      else
        expect(0, results);
    }
  }

  std::mt19937_64 random_{std::random_device{}()};
};

TEST(Expression, SaysWhatBodiesDo) {
  Check check;
  every_family(check);
  EXPECT_GT(check.checked, 300);
}

/// An instruction of integers that the analyses do not know is an oversight: its body has too many paths.
TEST(Expression, EveryRowOfIntegersHasOne) {
  for (const Row& row : rows()) {
    if (row.shape != Shape::Lane && row.shape != Shape::Scalar) continue;
    bool integers = row.count != 0;
    for (int i = 0; i < row.count; ++i) {
      const Type type = row.roles[i].type;
      integers &= (type >= Type::U16 && type <= Type::I64) || type == Type::LaneMask || type == Type::Scc ||
                  type == Type::Exec || type == Type::M0;
    }
    if (!integers) continue;
    EXPECT_TRUE(row.meaning && !row.meaning()->results().empty()) << row.mnemonics;
  }
}

TEST(Expression, IsSimple) {
  const auto size = [](std::string_view name) {
    return find_row(name, *find_target("gfx942"))->meaning()->size();
  };
  EXPECT_EQ(size("v_mov_b32"), 1u);
  EXPECT_EQ(size("v_add_u32"), 3u);
  EXPECT_EQ(size("v_min_u32"), 4u);
  // The value, the amount, 31, their sum and the shift.
  EXPECT_EQ(size("v_lshlrev_b32"), 5u);
}

TEST(Expression, ReadsLanes) {
  const Row& row = *find_row("v_readlane_b32", *find_target("gfx942"));
  ASSERT_TRUE(row.meaning);
  const Expression& expression = *row.meaning();
  ASSERT_EQ(expression.results().size(), 1u);
  EXPECT_EQ(expression.node(expression.results()[0]).op, Op::ReadLane);
}

}  // namespace
}  // namespace wavesmith::isa
