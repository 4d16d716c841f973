// Gradients of tokens' weights on a GPU of each target, against double precision.
#include "kernels/refusal_testing.h"
#include "kernels/router/choice.h"
#include "kernels/router/testing.h"

namespace wavesmith::kernels {
namespace {

using Description = wavesmith_router_backward_description;

struct Case {
  HostRows x;
  int64_t chosen = 1;
  ScoreKind kind;
  Type type = WAVESMITH_KERNELS_F32;  ///< of the gradients
  size_t offset = 0;
  bool in_place = false;
};

/// A token's gradients in double precision, and how far they may be off.
struct TokenGradient {
  std::vector<double> gradients, errors;

  TokenGradient(const HostRows& x, int64_t row, const ScoreKind& kind, const std::vector<int>& ids,
                const std::vector<double>& dweights) {
    const ScoredToken token(x, row, kind.is_softmax());
    const bool has_part = kind.is_softmax() && !kind.renormalised;
    const auto is_expert = [&](int id) { return id >= 0 && id < x.columns; };
    // Of a renormalised softmax the chosen logits count alone.
    double most = token.most, sum = 0, distance = 0;
    std::vector<double> scores;
    if (kind.is_softmax() && kind.renormalised) {
      most = -kInfinite;
      for (const int id : ids)
        if (is_expert(id)) most = std::fmax(most, token.x[static_cast<size_t>(id)]);
    }
    for (const int id : ids) {
      const auto expert = static_cast<size_t>(id);
      scores.push_back(!is_expert(id)                           ? 0
                       : kind.is_softmax() && kind.renormalised ? std::exp(token.x[expert] - most)
                                                                : token.scores[expert]);
      sum += scores.back();
      if (is_expert(id)) distance = std::max(distance, token.distance(expert, most));
    }
    double mean = 0, mean_size = 0, sizes_above = 0;
    if (kind.renormalised)
      for (size_t i = 0; i < ids.size(); ++i) {
        scores[i] /= sum == 0 ? 1 : sum;
        if (!is_expert(ids[i])) continue;
        mean += scores[i] * dweights[i], mean_size += scores[i] * std::abs(dweights[i]);
        sizes_above += std::abs(dweights[i]);
      }
    // Scores below 2^-126 may be 0, which counts where the sum is small.
    const double count = static_cast<double>(ids.size()) + 2;
    const double lost =
        !kind.renormalised || !(sum > 0) ? 0 : count * count * 0x1p-124 * kind.factor * sizes_above / sum;
    std::vector<double> sizes(token.x.size(), 0);
    gradients.assign(token.x.size(), 0);
    double all = 0, all_sizes = 0;
    for (size_t i = 0; i < ids.size(); ++i) {
      if (!is_expert(ids[i])) continue;
      const auto expert = static_cast<size_t>(ids[i]);
      const double factor = kind.factor * scores[i], t = factor * (dweights[i] - mean),
                   size = factor * (std::abs(dweights[i]) + mean_size);
      const double slope = kind.is_softmax() ? 1 : 1 / (1 + std::exp(token.x[expert]));
      gradients[expert] += t * slope, sizes[expert] += size * slope;
      all += t, all_sizes += size;
    }
    for (size_t j = 0; j < token.x.size(); ++j) {
      if (has_part) gradients[j] -= token.scores[j] * all, sizes[j] += token.scores[j] * all_sizes;
      const double far = has_part ? std::max(distance, token.distance(j, most)) : distance;
      errors.push_back(4 * ScoredToken::relative(far) * sizes[j] + lost + 0x1p-100);
    }
  }
};

class RouterBackward : public HardRows {
 protected:
  void check(const Case& one) {
    const int64_t tokens = one.x.rows, experts = one.x.columns;
    Elements ids(WAVESMITH_KERNELS_I32, static_cast<size_t>(tokens * one.chosen));
    for (size_t i = 0; i < ids.count(); ++i) {
      const bool none = between(0, 15) == 0;  // such ids have no part
      ids.set(i,
              static_cast<double>(none ? one_of<int64_t>({-1, experts, 1 << 30}) : between(0, experts - 1)));
    }
    const HostRows dweights = random_rows(tokens, one.chosen, 0, WAVESMITH_KERNELS_F32);
    HostRows result = one.in_place ? one.x : HostRows(tokens, experts, one.x.stride - experts, one.type);
    const OnGpu on_x(one.x.elements, one.offset), on_result(result.elements, one.offset), on_ids(ids),
        on_dweights(dweights.elements);
    const Description backward{.tokens = tokens,
                               .experts = experts,
                               .chosen = one.chosen,
                               .logits = one.x.on(on_x),
                               .scores = one.kind.scores,
                               .renormalised = one.kind.renormalised,
                               .factor = one.kind.factor,
                               .ids = static_cast<const int32_t*>(on_ids.data()),
                               .dweights = static_cast<const float*>(on_dweights.data()),
                               .dlogits = result.on(one.in_place ? on_x : on_result)};
    ASSERT_EQ(wavesmith_kernels_router_backward(&backward, nullptr), WAVESMITH_KERNELS_SUCCESS)
        << wavesmith_kernels_message();
    ASSERT_EQ(hipDeviceSynchronize(), 0);
    std::vector<TokenGradient> expected;
    for (int64_t row = 0; row < tokens; ++row) {
      std::vector<int> of_token;
      std::vector<double> above;
      for (int64_t i = 0; i < one.chosen; ++i) {
        of_token.push_back(static_cast<int>(ids.get(static_cast<size_t>(row * one.chosen + i))));
        above.push_back(dweights.get(row, i));
      }
      expected.emplace_back(one.x, row, one.kind, of_token, above);
    }
    SCOPED_TRACE(std::to_string(one.chosen) + " of " + std::to_string(experts) + " experts, " +
                 (one.kind.renormalised ? "renormalised " : "") +
                 (one.kind.is_softmax() ? "softmax" : "sigmoid"));
    expect_rows(
        result, one.in_place ? on_x : on_result,
        [&](int64_t i, int64_t j) {
          return expected[static_cast<size_t>(i)].gradients[static_cast<size_t>(j)];
        },
        [&](int64_t i, int64_t j) {
          return expected[static_cast<size_t>(i)].errors[static_cast<size_t>(j)];
        });
  }

  Case any_case(int64_t tokens, int64_t experts) {
    Case one{
        .x = random_rows(tokens, experts, one_of<int64_t>({0, 0, 8, 3}), any_type(), one_of({0.3, 1.0, 4.0})),
        .chosen = std::min(experts, one_of<int64_t>({1, 2, 4, 6, 8, 16, 32})),
        .kind = {one_of({WAVESMITH_ROUTER_SOFTMAX, WAVESMITH_ROUTER_SIGMOID}), between(0, 1) == 1,
                 one_of({1.0F, 2.5F})},
        .type = any_type(),
        .offset = one_of<size_t>({0, 0, 1}),
        .in_place = between(0, 3) == 0};
    return one;
  }
};

constexpr int64_t kExperts[] = {1, 2, 8, 60, 64, 72, 128, 160, 256, 384, 512, 1000, 1024};

TEST_P(RouterBackward, TokensOfAllKindsEqualDoublePrecision) {
  for (int round = 0; round < 2; ++round)
    for (const int64_t experts : kExperts) {
      check(any_case(experts == 64 ? 257 : one_of<int64_t>({1, 7, 33}), experts));
      if (HasFatalFailure()) return;
    }
}

TEST_P(RouterBackward, EveryKernelIsRightWithItsLanesFullAndNot) {
  for (const RouterConfiguration& one : kRouterConfigurations)
    for (const int missing : {0, 3}) {
      Case made = any_case(kRouterThreads / one.lanes + 1, one.lanes * one.each - missing);
      made.chosen = std::min(one.lanes, 8);
      check(made);
      if (HasFatalFailure()) return;
    }
}

TEST_P(RouterBackward, HardLogitsAreTheFormulas) {
  for (const bool renormalised : {false, true})
    for (const auto scores : {WAVESMITH_ROUTER_SOFTMAX, WAVESMITH_ROUTER_SIGMOID}) {
      Case one = any_case(40, 72);
      one.kind.scores = scores, one.kind.renormalised = renormalised;
      for (int64_t row = 0; row < one.x.rows; ++row) make_hard(one.x, row);
      check(one);
      if (HasFatalFailure()) return;
    }
}

INSTANTIATE_TEST_SUITE_P(On, RouterBackward, testing::Range(0, kGpuCount), gpu_name);

TEST(RouterBackwardRefuses, WhatBreaksARuleAndSaysWhich) {
  ASSERT_EQ(hipSetDevice(1), 0);
  const OnGpu memory(Elements(WAVESMITH_KERNELS_F32, 512));
  const auto at = [&](int64_t first) { return static_cast<float*>(memory.data()) + first; };
  const Description right{.tokens = 4,
                          .experts = 16,
                          .chosen = 4,
                          .logits = {at(0), WAVESMITH_KERNELS_F32, 16},
                          .factor = 1,
                          .ids = reinterpret_cast<int32_t*>(at(64)),
                          .dweights = at(128),
                          .dlogits = {at(256), WAVESMITH_KERNELS_F32, 16}};
  EXPECT_EQ(wavesmith_kernels_router_backward(&right, nullptr), WAVESMITH_KERNELS_SUCCESS)
      << wavesmith_kernels_message();
  constexpr auto kWrong = WAVESMITH_KERNELS_INVALID_ARGUMENT, kNot = WAVESMITH_KERNELS_NOT_SUPPORTED;
  expect_refusals<Description>(
      &wavesmith_kernels_router_backward, right,
      {{[](Description& d) { d.tokens = -1; }, kWrong, "router_backward: tokens is negative"},
       {[](Description& d) { d.experts = 0; }, kWrong, "experts is 0, not in [1, 1024]"},
       {[](Description& d) { d.chosen = 17; }, kWrong, "chosen is 17, not in [1, 16]"},
       {[](Description& d) { d.scores = static_cast<wavesmith_router_scores>(-1); }, kWrong,
        "scores is -1, no kind of scores"},
       {[](Description& d) { d.logits.data = nullptr; }, kWrong, "logits.data is null"},
       {[](Description& d) { d.dlogits.data = nullptr; }, kWrong, "dlogits.data is null"},
       {[](Description& d) { d.ids = nullptr; }, kWrong, "ids is null"},
       {[](Description& d) { d.dweights = nullptr; }, kWrong, "dweights is null"},
       {[](Description& d) { d.dlogits.type = WAVESMITH_KERNELS_I8; }, kNot, "dlogits is of i8"},
       {[](Description& d) { d.dlogits.row_stride = 15; }, kWrong, "dlogits.row_stride is 15"},
       {[](Description& d) { d.dlogits.row_stride = (1 << 20) + 1; }, kNot,
        "dlogits has a stride of 1048577"},
       {[](Description& d) { d.dlogits.data = static_cast<char*>(d.logits.data) + 4; }, kWrong,
        "dlogits overlaps logits"},
       {[](Description& d) { d.dlogits.data = const_cast<float*>(d.dweights); }, kWrong,
        "dlogits overlaps dweights"},
       {[](Description& d) { d.dlogits.data = const_cast<int32_t*>(d.ids); }, kWrong,
        "dlogits overlaps ids"}});
  Description none = right;
  none.tokens = 0, none.ids = nullptr;
  EXPECT_EQ(wavesmith_kernels_router_backward(&none, nullptr), WAVESMITH_KERNELS_SUCCESS);
  ASSERT_EQ(hipDeviceSynchronize(), 0);
}

}  // namespace
}  // namespace wavesmith::kernels
