// Drafts verified on a GPU of each target, against a reference that goes from draft to draft.
#include "kernels/refusal_testing.h"
#include "kernels/sampling/testing.h"
#include "kernels/wavesmith_sampling.h"

namespace wavesmith::kernels {
namespace {

using Description = wavesmith_verify_description;
constexpr int32_t kPoison = 0x5a5a5a5a;

class Verifying : public RowsOnEachGpu {
 protected:
  struct Case {
    int64_t batch, drafts, vocabulary;
    HostRows target, draft;  ///< the latter without rows: drafts were certain
    std::vector<int32_t> tokens, counts, bonus, target_tokens;
    std::vector<uint64_t> seeds;
    std::vector<int64_t> offsets;

    [[nodiscard]] int count(int64_t i) const {
      const int64_t given = counts.empty() ? drafts : counts[static_cast<size_t>(i)];
      return static_cast<int>(std::clamp<int64_t>(given, 0, drafts));
    }
    [[nodiscard]] float p(int64_t i, int64_t j, int64_t token) const {
      return static_cast<float>(target.get(i * (drafts + 1) + j, token));
    }
    [[nodiscard]] float q(int64_t i, int64_t j, int64_t token) const {
      if (draft.rows == 0) return tokens[static_cast<size_t>(i * drafts + j)] == token ? 1 : 0;
      return static_cast<float>(draft.get(i * drafts + j, token));
    }
  };

  /// Probabilities, some of them 0.
  HostRows any_probabilities(int64_t rows, int64_t vocabulary) {
    HostRows made(rows, vocabulary, between(0, 5), WAVESMITH_KERNELS_F32);
    for (int64_t i = 0; i < rows; ++i) {
      std::vector<double> powers;
      double sum = 0;
      for (int64_t j = 0; j < vocabulary; ++j) {
        powers.push_back(between(0, 3) == 0 ? 0 : std::exp(normal()));
        sum += powers.back();
      }
      for (int64_t j = 0; j < vocabulary; ++j)
        made.set(i, j, sum == 0 ? 0 : powers[static_cast<size_t>(j)] / sum);
    }
    return made;
  }

  Case any_case() {
    Case one{between(1, 5), between(0, 6), one_of<int64_t>({1, 2, 5, 64, 1000, between(1, 4000)}), {}, {}};
    const int64_t rows = one.batch * one.drafts;
    one.target = any_probabilities(rows + one.batch, one.vocabulary);
    if (between(0, 2) > 0 && rows > 0) one.draft = any_probabilities(rows, one.vocabulary);
    if (one.draft.rows > 0 && between(0, 1) == 0) {  // a draft that is mostly right
      for (int64_t row = 0; row < rows; ++row)
        for (int64_t j = 0; j < one.vocabulary; ++j)
          one.draft.set(row, j, one.target.get(row / one.drafts * (one.drafts + 1) + row % one.drafts, j));
    }
    for (int64_t row = 0; row < rows; ++row) one.tokens.push_back(any_draft(one, row));
    for (int64_t i = 0; i < one.batch; ++i) {
      one.seeds.push_back(static_cast<uint64_t>(random_()) << 32 | random_());
      one.offsets.push_back(between(0, int64_t{1} << 40));
      if (one.batch > 2) one.counts.push_back(static_cast<int32_t>(between(-1, one.drafts + 1)));
      if (one.batch % 2 == 0) one.bonus.push_back(static_cast<int32_t>(between(0, one.vocabulary - 1)));
    }
    if (between(0, 3) == 0) one.offsets.clear();
    return one;
  }
  /// The likeliest of the model's, for else hardly any is accepted; or any; or none.
  int32_t any_draft(const Case& one, int64_t row) {
    const int64_t kind = between(0, 9);
    if (kind == 0) return one_of({-1, static_cast<int32_t>(one.vocabulary)});
    int64_t best = between(0, one.vocabulary - 1);
    if (kind < 3) return static_cast<int32_t>(best);
    const int64_t i = row / one.drafts, j = row % one.drafts;
    for (int64_t token = 0; token < one.vocabulary; ++token)
      if (one.p(i, j, token) > one.p(i, j, best)) best = token;
    return static_cast<int32_t>(best);
  }

  static std::vector<int32_t> expected(const Case& one, int64_t i, int& accepted) {
    std::vector<int32_t> made;
    const int count = one.count(i);
    const auto block = [&](int j) {
      const auto row = static_cast<size_t>(i);
      const uint64_t offset = one.offsets.empty() ? 0 : static_cast<uint64_t>(one.offsets[row]);
      return philox(one.seeds[row], offset + static_cast<uint64_t>(j), 0);
    };
    const auto draft = [&](int j) { return one.tokens[static_cast<size_t>(i * one.drafts + j)]; };
    const auto target = [&](int j) {
      return one.target_tokens[static_cast<size_t>(i * (one.drafts + 1) + j)];
    };
    const auto takes = [&](int j) {
      if (!one.target_tokens.empty()) return draft(j) == target(j);
      if (draft(j) < 0 || draft(j) >= one.vocabulary) return false;
      const double u = block(j).words[0] * 0x1p-32, q = one.q(i, j, draft(j));
      return q > 0 && u * q < one.p(i, j, draft(j));
    };
    int j = 0;
    for (; j < count && takes(j); ++j) made.push_back(draft(j));
    accepted = j;
    made.push_back(j == count && !one.bonus.empty() ? one.bonus[static_cast<size_t>(i)]
                   : one.target_tokens.empty()      ? drawn_at(one, i, j, block(j))
                                                    : target(j));
    made.resize(static_cast<size_t>(one.drafts + 1), -1);
    return made;
  }

  static int drawn_at(const Case& one, int64_t i, int j, const PhiloxBlock& block) {
    const bool rejected = j < one.count(i);
    int token = -1;
    for (const bool less : {true, false}) {
      std::vector<uint64_t> weights;
      for (int64_t at = 0; at < one.vocabulary && token < 0; ++at) {
        const float p = one.p(i, j, at), q = rejected && less ? one.q(i, j, at) : 0;
        if (!(p >= 0 && p < 2 && q >= 0 && q < 2)) return -1;
        weights.push_back(p > q ? static_cast<uint64_t>((p - q) * 0x1p40F) : 0);
      }
      if (token < 0) token = drawn(weights, block.words[2], block.words[3]);
    }
    return token;
  }

  static void check(const Case& one) {
    const bool is_greedy = !one.target_tokens.empty();
    const OnGpu target(one.target.elements), draft(one.draft.elements);
    const Array<int32_t> on_tokens(one.tokens), on_counts(one.counts), on_bonus(one.bonus),
        on_target_tokens(one.target_tokens);
    const Array<uint64_t> on_seeds(one.seeds);
    const Array<int64_t> on_offsets(one.offsets);
    Array<int32_t> tokens(std::vector<int32_t>(static_cast<size_t>(one.batch * (one.drafts + 1)), kPoison));
    Array<int32_t> accepted(std::vector<int32_t>(static_cast<size_t>(one.batch), kPoison));
    Description d{};
    d.batch = one.batch, d.drafts = one.drafts, d.vocabulary = one.vocabulary;
    d.draft_tokens = on_tokens.data(), d.counts = on_counts.data(), d.bonus = on_bonus.data();
    d.target_tokens = on_target_tokens.data();
    if (!is_greedy)
      d.target = one.target.on(target), d.seeds = on_seeds.data(), d.offsets = on_offsets.data();
    if (!is_greedy && one.draft.rows > 0) d.draft = one.draft.on(draft);
    d.tokens = tokens.data();
    d.accepted = one.batch == 1 ? nullptr : accepted.data();
    ASSERT_EQ(wavesmith_kernels_verify(&d, nullptr), WAVESMITH_KERNELS_SUCCESS)
        << wavesmith_kernels_message();
    ASSERT_EQ(hipDeviceSynchronize(), 0);
    const ErrorNote note;
    const std::vector<int32_t> got = tokens.read(), counts = accepted.read();
    for (int64_t i = 0; i < one.batch; ++i) {
      int count = 0;
      const std::vector<int32_t> want = expected(one, i, count);
      const auto* const begin = &got[static_cast<size_t>(i * (one.drafts + 1))];
      ASSERT_EQ(std::vector<int32_t>(begin, begin + one.drafts + 1), want)
          << "sequence " << i << " of " << one.batch << ", " << one.drafts << " drafts, vocabulary "
          << one.vocabulary;
      if (d.accepted) {
        ASSERT_EQ(counts[static_cast<size_t>(i)], count);
      }
    }
  }
};

TEST_P(Verifying, EqualsAReference) {
  for (int round = 0; round < 40; ++round) {
    check(any_case());
    if (HasFatalFailure()) return;
  }
}

TEST_P(Verifying, Greedily) {
  for (int round = 0; round < 10; ++round) {
    Case one = any_case();
    for (int64_t row = 0; row < one.batch * (one.drafts + 1); ++row) {
      const int64_t i = row / (one.drafts + 1), j = row % (one.drafts + 1);
      const bool is_draft = j < one.drafts && between(0, 3) > 0;
      one.target_tokens.push_back(is_draft ? one.tokens[static_cast<size_t>(i * one.drafts + j)]
                                           : static_cast<int32_t>(between(0, one.vocabulary)));
    }
    check(one);
    if (HasFatalFailure()) return;
  }
}

TEST_P(Verifying, OfNoNumbersAndOfDraftsLikelierThanAllElse) {
  Case one{4, 1, 300, any_probabilities(8, 300), any_probabilities(4, 300)};
  one.tokens = {7, 7, 7, 7}, one.seeds = {1, 2, 3, 4};
  for (int64_t i = 0; i < 4; ++i) one.target.set(2 * i, 7, 0), one.draft.set(i, 7, 0.5);  // not accepted
  one.target.set(0, 299, kNan), one.draft.set(1, 3, kNan), one.target.set(4, 0, -0.1);
  for (int64_t j = 0; j < 300; ++j) one.draft.set(3, j, 1);  // nothing is left: drawn from p
  check(one);
}

/// A token after verification has the model's distribution: of many sequences that have the same p and q each
/// token comes about as often as it should. The seed is fixed, so that it does so each time.
TEST_P(Verifying, HasTheModelsDistribution) {
  constexpr int64_t kSequences = 4096, kTokens = 5;
  constexpr double kP[] = {0.4, 0.3, 0.15, 0.15, 0}, kQ[] = {0.1, 0.5, 0.2, 0.1, 0.1};
  Case one{kSequences, 1, kTokens, HostRows(2 * kSequences, kTokens, 0, WAVESMITH_KERNELS_F32),
           HostRows(kSequences, kTokens, 0, WAVESMITH_KERNELS_F32)};
  for (int64_t i = 0; i < kSequences; ++i) {
    for (int64_t j = 0; j < kTokens; ++j) {
      one.target.set(2 * i, j, kP[j]), one.target.set(2 * i + 1, j, kP[j]), one.draft.set(i, j, kQ[j]);
    }
    const unsigned bits = philox(99, static_cast<uint64_t>(i), 0).words[0];
    double rest = bits * 0x1p-32;
    int32_t token = 0;
    for (; token < kTokens - 1 && rest >= kQ[token]; ++token) rest -= kQ[token];
    one.tokens.push_back(token), one.seeds.push_back(7), one.offsets.push_back(2 * i);
  }
  check(one);
  double square = 0;
  std::vector<int64_t> counts(kTokens);
  for (int64_t i = 0; i < kSequences; ++i) {
    int accepted = 0;
    ++counts[static_cast<size_t>(expected(one, i, accepted)[0])];
  }
  for (int64_t j = 0; j < kTokens; ++j) {
    const double want = kP[j] * kSequences, off = static_cast<double>(counts[static_cast<size_t>(j)]) - want;
    if (want == 0)
      EXPECT_EQ(off, 0);
    else
      square += off * off / want;
  }
  EXPECT_LT(square, 16.3);  // chi squared of three degrees of freedom is more once in a thousand seeds
}

INSTANTIATE_TEST_SUITE_P(On, Verifying, testing::Range(0, kGpuCount), gpu_name);

TEST(VerifyingRefuses, WhatBreaksARuleAndSaysWhich) {
  ASSERT_EQ(hipSetDevice(1), 0);
  Elements zeros(WAVESMITH_KERNELS_F32, 512);
  for (size_t i = 0; i < 512; ++i) zeros.set(i, 0);
  const OnGpu memory(zeros);
  const auto at = [&](size_t number) { return static_cast<float*>(memory.data()) + number; };
  const auto tokens = [&](size_t number) { return reinterpret_cast<int32_t*>(at(number)); };
  Description right{};
  right.batch = 2, right.drafts = 3, right.vocabulary = 8, right.draft_tokens = tokens(0);
  right.target = {at(16), WAVESMITH_KERNELS_F32, 8}, right.draft = {at(96), WAVESMITH_KERNELS_F32, 8};
  right.seeds = reinterpret_cast<const uint64_t*>(at(160)), right.tokens = tokens(170);
  right.accepted = tokens(180);
  EXPECT_EQ(wavesmith_kernels_verify(&right, nullptr), WAVESMITH_KERNELS_SUCCESS)
      << wavesmith_kernels_message();
  constexpr auto kWrong = WAVESMITH_KERNELS_INVALID_ARGUMENT, kNot = WAVESMITH_KERNELS_NOT_SUPPORTED;
  expect_refusals<Description>(
      &wavesmith_kernels_verify, right,
      {{[](Description& d) { d.batch = -1; }, kWrong, "verify: batch is negative"},
       {[](Description& d) { d.drafts = 1025; }, kWrong, "drafts is 1025, not in [0, 1024]"},
       {[](Description& d) { d.vocabulary = 0; }, kWrong, "vocabulary is 0"},
       {[](Description& d) { d.target.data = nullptr; }, kWrong, "target.data is null"},
       {[](Description& d) { d.target.type = WAVESMITH_KERNELS_BF16; }, kNot, "target is of bf16"},
       {[](Description& d) { d.draft.row_stride = 7; }, kWrong, "draft.row_stride is 7"},
       {[](Description& d) { d.draft_tokens = nullptr; }, kWrong, "draft_tokens is null"},
       {[](Description& d) { d.seeds = nullptr; }, kWrong, "seeds is null"},
       {[](Description& d) { d.tokens = nullptr; }, kWrong, "tokens is null"},
       {[](Description& d) { d.tokens = const_cast<int32_t*>(d.draft_tokens); }, kWrong,
        "tokens overlaps draft_tokens"},
       {[](Description& d) { d.accepted = d.tokens; }, kWrong, "accepted overlaps tokens"}});
  Description none{};
  EXPECT_EQ(wavesmith_kernels_verify(&none, nullptr), WAVESMITH_KERNELS_SUCCESS);
  ASSERT_EQ(hipDeviceSynchronize(), 0);
}

}  // namespace
}  // namespace wavesmith::kernels
