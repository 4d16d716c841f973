// Experts and weights of tokens on a GPU of each target, against double precision.
#include "kernels/refusal_testing.h"
#include "kernels/router/choice.h"
#include "kernels/router/testing.h"

namespace wavesmith::kernels {
namespace {

using Description = wavesmith_router_description;

struct Case {
  HostRows x;
  int64_t chosen = 1;
  ScoreKind kind;
  GroupKind grouping;
  std::vector<float> bias;
  size_t offset = 0;
  bool is_exact = false;  ///< rounding makes no difference to the choice
};

class Router : public HardRows {
 protected:
  void check(const Case& one) {
    const int64_t tokens = one.x.rows, results = tokens * one.chosen;
    HostRows weights(tokens, one.chosen, 0, WAVESMITH_KERNELS_F32);
    Elements ids(WAVESMITH_KERNELS_I32, static_cast<size_t>(results)),
        bias(WAVESMITH_KERNELS_F32, one.bias.size());
    for (size_t i = 0; i < one.bias.size(); ++i) bias.set(i, one.bias[i]);
    const OnGpu on_x(one.x.elements, one.offset), on_bias(bias), on_weights(weights.elements), on_ids(ids);
    const Description router{.tokens = tokens,
                             .experts = one.x.columns,
                             .chosen = one.chosen,
                             .logits = one.x.on(on_x),
                             .scores = one.kind.scores,
                             .renormalised = one.kind.renormalised,
                             .factor = one.kind.factor,
                             .bias = one.bias.empty() ? nullptr : static_cast<const float*>(on_bias.data()),
                             .groups = one.grouping.groups,
                             .groups_kept = one.grouping.groups_kept,
                             .worth = one.grouping.worth,
                             .weights = static_cast<float*>(on_weights.data()),
                             .ids = static_cast<int32_t*>(on_ids.data())};
    ASSERT_EQ(wavesmith_kernels_router(&router, nullptr), WAVESMITH_KERNELS_SUCCESS)
        << wavesmith_kernels_message();
    ASSERT_EQ(hipDeviceSynchronize(), 0);
    on_ids.copy_to(ids), on_weights.copy_to(weights.elements);
    ErrorNote note;
    for (int64_t row = 0; row < tokens && !HasFatalFailure(); ++row) {
      SCOPED_TRACE("token " + std::to_string(row) + " of " + std::to_string(tokens) + ", " +
                   std::to_string(one.chosen) + " of " + std::to_string(one.x.columns) + " experts in " +
                   std::to_string(one.grouping.groups) + " groups, " + (one.bias.empty() ? "" : "biased ") +
                   (one.kind.is_softmax() ? "softmax" : "sigmoid"));
      std::vector<int> got;
      for (int64_t i = 0; i < one.chosen; ++i)
        got.push_back(static_cast<int>(ids.get(static_cast<size_t>(row * one.chosen + i))));
      const RoutedToken token(one.x, row, one.kind, one.grouping, one.bias);
      compare_choice(token, got, one);
      if (!HasFatalFailure()) compare_weights(token, got, one.kind, weights, row, note);
    }
  }

  static void compare_choice(const RoutedToken& token, const std::vector<int>& got, const Case& one) {
    std::vector<int> sorted = got;
    std::sort(sorted.begin(), sorted.end());
    ASSERT_GE(sorted.front(), 0);
    ASSERT_LT(sorted.back(), one.x.columns);
    ASSERT_EQ(std::adjacent_find(sorted.begin(), sorted.end()), sorted.end()) << "an expert is chosen twice";
    const std::vector<int> expected = token.chosen(one.chosen);
    const bool is_by_logits =
        one.bias.empty() && (one.grouping.groups <= 1 || one.grouping.worth == WAVESMITH_ROUTER_LARGEST);
    if (one.is_exact || is_by_logits)
      ASSERT_EQ(got, expected);
    else
      ASSERT_TRUE(got == expected || token.may_be(got))
          << testing::PrintToString(got) << " instead of " << testing::PrintToString(expected);
  }

  static void compare_weights(const RoutedToken& token, const std::vector<int>& got, const ScoreKind& kind,
                              const HostRows& weights, int64_t row, ErrorNote& note) {
    double sum = 0, distance = 0;
    for (const int id : got) {
      const auto expert = static_cast<size_t>(id);
      sum += token.scores[expert];
      distance = std::max(distance, token.distance(expert, token.most));
    }
    const double all = !kind.renormalised ? 1 : sum == 0 ? 1 : sum, factor = kind.factor;
    for (size_t i = 0; i < got.size(); ++i) {
      const double want = token.scores[static_cast<size_t>(got[i])] / all * factor,
                   is = weights.get(row, static_cast<int64_t>(i));
      if (std::isnan(want)) {
        ASSERT_TRUE(std::isnan(is)) << "weight " << i << " is " << is << ", not NaN";
        continue;
      }
      const double allowed =
          ScoredToken::relative(distance) * std::abs(want) +
          0x1p-126 * std::abs(factor) * (kind.renormalised ? static_cast<double>(got.size() + 1) / all : 1) +
          0x1p-126;
      note.add(std::abs(is - want), allowed);
      ASSERT_LE(std::abs(is - want), allowed) << "weight " << i << " is " << is << " instead of " << want;
    }
  }

  ScoreKind any_kind() {
    return {one_of({WAVESMITH_ROUTER_SOFTMAX, WAVESMITH_ROUTER_SIGMOID}), between(0, 1) == 1,
            one_of({1.0F, 2.5F, 16.0F})};
  }
  GroupKind any_groups(int64_t experts) {
    std::vector<int64_t> all;
    for (int64_t groups = 1; groups <= 32 && groups <= experts; ++groups)
      if (experts % groups == 0 &&
          router_configuration(static_cast<int>(groups), static_cast<int>(experts / groups), 1))
        all.push_back(groups);
    const int64_t groups = all[static_cast<size_t>(between(0, std::ssize(all) - 1))];
    return {groups, between(1, groups), one_of({WAVESMITH_ROUTER_LARGEST, WAVESMITH_ROUTER_TWO_LARGEST})};
  }
  std::vector<float> any_bias(int64_t experts) {
    std::vector<float> made;
    const int64_t kind = between(0, 4);
    for (int64_t j = 0; j < experts; ++j) {
      auto bias = static_cast<float>(normal() / 2);
      if (kind == 0) bias = std::rint(bias * 4) / 4;
      if (kind == 1 && between(0, 2) > 0) bias = -std::numeric_limits<float>::infinity();
      if (kind == 2 && between(0, 9) == 0) bias = std::numeric_limits<float>::quiet_NaN();
      made.push_back(bias);
    }
    return made;
  }
  int64_t some_chosen(int64_t available) {
    return std::min(available, one_of<int64_t>({1, 2, 4, 6, 8, 8, 10, 16, 32}));
  }

  /// Tokens of all kinds of logits.
  void check_any(int64_t tokens, int64_t experts, bool biased, bool grouped) {
    Case one{
        .x = random_rows(tokens, experts, one_of<int64_t>({0, 0, 8, 3}), any_type(), one_of({0.3, 1.0, 4.0})),
        .kind = any_kind(),
        .offset = one_of<size_t>({0, 0, 1})};
    for (int64_t row = 0; row < tokens; ++row)
      if (between(0, 1) == 0) make_hard(one.x, row);
    if (biased) one.bias = any_bias(experts);
    int64_t available = experts;
    if (grouped) {
      one.grouping = any_groups(experts);
      available = experts / one.grouping.groups * one.grouping.groups_kept;
    }
    one.chosen = some_chosen(available);
    check(one);
  }
};

constexpr int64_t kExperts[] = {1, 2, 8, 60, 64, 72, 128, 160, 256, 384, 512, 1000, 1024};

TEST_P(Router, ExpertsWithoutGroupsEqualDoublePrecision) {
  for (const int64_t experts : kExperts)
    for (const bool biased : {false, true}) {
      check_any(experts == 128 ? 257 : one_of<int64_t>({1, 7, 33}), experts, biased, false);
      if (HasFatalFailure()) return;
    }
}

TEST_P(Router, EveryKernelIsRightWithItsLanesFullAndNot) {
  for (const RouterConfiguration& one : kRouterConfigurations)
    for (const int missing : {0, 3}) {
      const int experts = one.lanes * one.each - missing, chosen = std::min(one.lanes, 8);
      ASSERT_STREQ(router_configuration(1, experts, chosen)->name, one.name);
      for (const Type type : {WAVESMITH_KERNELS_F32, any_type()})
        check({.x = random_rows(kRouterThreads / one.lanes + 1, experts, 0, type),
               .chosen = chosen,
               .kind = any_kind()});
      if (HasFatalFailure()) return;
    }
}

TEST_P(Router, ExpertsInGroupsEqualDoublePrecision) {
  for (const int64_t experts : kExperts)
    for (const bool biased : {false, true}) {
      check_any(experts == 256 ? 65 : one_of<int64_t>({1, 7, 33}), experts, biased, true);
      if (HasFatalFailure()) return;
    }
}

TEST_P(Router, EqualNumbersGoToTheLowerExpertAndGroup) {
  for (const int64_t experts : {8, 60, 128, 256, 512})
    for (const auto scores : {WAVESMITH_ROUTER_SOFTMAX, WAVESMITH_ROUTER_SIGMOID})
      for (const bool biased : {false, true})
        for (const int64_t groups : {1, 4}) {
          Case one{.x = random_rows(9, experts, 0, any_type()),
                   .chosen = std::min<int64_t>(experts / groups * 2, 8),
                   .kind = {.scores = scores},
                   // Sums of biased scores may differ where they would not without rounding.
                   .grouping = {groups, std::min<int64_t>(groups, 2),
                                biased ? WAVESMITH_ROUTER_LARGEST : WAVESMITH_ROUTER_TWO_LARGEST},
                   .is_exact = true};
          for (int64_t i = 0; i < 9; ++i)
            for (int64_t j = 0; j < experts; ++j)
              one.x.set(i, j, i == 0 ? 1 : static_cast<double>(between(-1, 1)));
          if (biased)
            for (int64_t j = 0; j < experts; ++j)
              one.bias.push_back(static_cast<float>(between(0, 2)) * 0.25F);
          check(one);
          if (HasFatalFailure()) return;
        }
}

TEST_P(Router, ModelsRoutersAreRight) {
  struct Model {
    int64_t experts, chosen;
    ScoreKind kind;
    GroupKind grouping;
    bool biased;
  };
  constexpr auto kSoftmax = WAVESMITH_ROUTER_SOFTMAX;
  constexpr auto kSigmoid = WAVESMITH_ROUTER_SIGMOID;
  const Model models[] = {
      {8, 2, {kSoftmax, true, 1}, {}, false},                                           // Mixtral
      {60, 4, {kSoftmax, false, 1}, {}, false},                                         // Qwen1.5-MoE
      {128, 8, {kSoftmax, true, 1}, {}, false},                                         // Qwen3
      {160, 6, {kSoftmax, false, 16}, {8, 3, WAVESMITH_ROUTER_LARGEST}, false},         // DeepSeek-V2
      {256, 8, {kSigmoid, true, 2.5F}, {8, 4, WAVESMITH_ROUTER_TWO_LARGEST}, true},     // DeepSeek-V3
      {384, 8, {kSigmoid, true, 2.827F}, {1, 1, WAVESMITH_ROUTER_TWO_LARGEST}, true}};  // Kimi K2
  for (const Model& model : models) {
    Case one{.x = random_rows(33, model.experts, 0, any_type(), 2),
             .chosen = model.chosen,
             .kind = model.kind,
             .grouping = model.grouping};
    for (int64_t j = 0; model.biased && j < model.experts; ++j)
      one.bias.push_back(static_cast<float>(normal() / 8));
    check(one);
    if (HasFatalFailure()) return;
  }
}

INSTANTIATE_TEST_SUITE_P(On, Router, testing::Range(0, kGpuCount), gpu_name);

TEST(RouterChoice, TakesEveryNumberOfExpertsUpTo512InUpTo32Groups) {
  for (int experts = 1; experts <= 512; ++experts)
    for (int groups = 1; groups <= 32; ++groups)
      if (experts % groups == 0)
        EXPECT_NE(router_configuration(groups, experts / groups, std::min(experts, 32)), nullptr)
            << experts << " in " << groups;
}

TEST(RouterRefuses, WhatBreaksARuleAndSaysWhich) {
  ASSERT_EQ(hipSetDevice(1), 0);
  const OnGpu memory(Elements(WAVESMITH_KERNELS_F32, 512));
  const auto at = [&](int64_t first) { return static_cast<float*>(memory.data()) + first; };
  const Description right{.tokens = 4,
                          .experts = 16,
                          .chosen = 4,
                          .logits = {at(0), WAVESMITH_KERNELS_F32, 16},
                          .factor = 1,
                          .bias = at(64),
                          .groups = 4,
                          .groups_kept = 2,
                          .weights = at(128),
                          .ids = reinterpret_cast<int32_t*>(at(256))};
  EXPECT_EQ(wavesmith_kernels_router(&right, nullptr), WAVESMITH_KERNELS_SUCCESS)
      << wavesmith_kernels_message();
  constexpr auto kWrong = WAVESMITH_KERNELS_INVALID_ARGUMENT, kNot = WAVESMITH_KERNELS_NOT_SUPPORTED;
  expect_refusals<Description>(
      &wavesmith_kernels_router, right,
      {{[](Description& d) { d.tokens = -1; }, kWrong, "router: tokens is negative"},
       {[](Description& d) { d.experts = 0; }, kWrong, "experts is 0, not in [1, 1024]"},
       {[](Description& d) { d.experts = 1025; }, kNot, "1025 experts are more than 1024"},
       {[](Description& d) { d.chosen = 0; }, kWrong, "chosen is 0, not in [1, 16]"},
       {[](Description& d) { d.chosen = 17; }, kWrong, "chosen is 17, not in [1, 16]"},
       {[](Description& d) { d.experts = 64, d.chosen = 33; }, kNot, "33 chosen experts are more than 32"},
       {[](Description& d) { d.scores = static_cast<wavesmith_router_scores>(2); }, kWrong,
        "scores is 2, no kind of scores"},
       {[](Description& d) { d.groups = -1; }, kWrong, "groups is negative"},
       {[](Description& d) { d.groups = 3; }, kWrong, "16 experts are not 3 equal groups"},
       {[](Description& d) { d.groups_kept = 5; }, kWrong, "groups_kept is 5, not in [1, 4]"},
       {[](Description& d) { d.groups_kept = 0; }, kWrong, "groups_kept is 0, not in [1, 4]"},
       {[](Description& d) { d.chosen = 9; }, kWrong, "9 experts are to be chosen of 8 in the groups kept"},
       {[](Description& d) { d.worth = static_cast<wavesmith_router_worth>(2); }, kWrong,
        "worth is 2, no worth of groups"},
       {[](Description& d) { d.experts = 128, d.groups = 64; }, kNot, "64 groups are more than 32"},
       {[](Description& d) { d.experts = 960, d.groups = 24; }, kNot,
        "960 experts in 24 groups take more than the 32 lanes"},
       {[](Description& d) { d.logits.data = nullptr; }, kWrong, "logits.data is null"},
       {[](Description& d) { d.logits.type = WAVESMITH_KERNELS_I8; }, kNot, "logits is of i8"},
       {[](Description& d) { d.logits.row_stride = 15; }, kWrong, "logits.row_stride is 15"},
       {[](Description& d) { d.logits.row_stride = (1 << 20) + 1; }, kNot, "logits has a stride of 1048577"},
       {[](Description& d) { d.weights = nullptr; }, kWrong, "weights is null"},
       {[](Description& d) { d.ids = nullptr; }, kWrong, "ids is null"},
       {[](Description& d) { d.bias = reinterpret_cast<float*>(reinterpret_cast<char*>(d.weights) + 2); },
        kWrong, "bias"},
       {[](Description& d) { d.ids = reinterpret_cast<int32_t*>(d.weights + 15); }, kWrong,
        "ids overlaps weights"},
       {[](Description& d) { d.weights = const_cast<float*>(d.bias); }, kWrong, "weights overlaps bias"},
       {[](Description& d) { d.weights = static_cast<float*>(d.logits.data); }, kWrong,
        "weights overlaps logits"}});
  Description none = right;
  none.tokens = 0, none.logits.data = nullptr;
  EXPECT_EQ(wavesmith_kernels_router(&none, nullptr), WAVESMITH_KERNELS_SUCCESS);
  ASSERT_EQ(hipDeviceSynchronize(), 0);
}

}  // namespace
}  // namespace wavesmith::kernels
