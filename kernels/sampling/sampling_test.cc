// Tokens sampled on a GPU of each target, against a reference that sorts.
#include "kernels/refusal_testing.h"
#include "kernels/sampling/parts.h"
#include "kernels/sampling/testing.h"

namespace wavesmith::kernels {
namespace {

using Description = wavesmith_sample_description;

class Sampling : public RowsOnEachGpu {
 protected:
  struct Case {
    HostRows x;
    std::vector<SampleParameters> rows;
    size_t offset = 0;
    bool without_log = false, without_probabilities = false;
    int64_t parts = 0;  ///< of each row; 0: as the device has it, without a workspace
  };

  SampleParameters any_parameters(int64_t vocabulary) {
    const auto all = static_cast<int32_t>(vocabulary);
    return {one_of({0.0F, 1e-6F, 1e-4F, 0.7F, 1.0F, 1.0F, 2.0F, 100.0F, kInfinite}),
            one_of({0, 0, -1, 1, 2, 5, 50, all - 1, all, all + 5, static_cast<int32_t>(between(1, all))}),
            one_of({1.0F, 1.0F, 1.5F, 0.95F, 0.5F, 0.1F, 1e-6F, 0.0F, 0.9999F, 0.99999994F}),
            one_of({0.0F, 0.0F, 1e-13F, 1e-6F, 0.05F, 0.5F, 1.0F}),
            static_cast<uint64_t>(random_()) << 32 | random_(),
            between(0, 1) == 0 ? between(0, 1000) : between(-5, int64_t{1} << 62)};
  }
  std::vector<SampleParameters> any_parameters(int64_t rows, int64_t vocabulary) {
    std::vector<SampleParameters> all;
    for (int64_t i = 0; i < rows; ++i) all.push_back(any_parameters(vocabulary));
    return all;
  }

  /// A row like those that serving meets, or that are hard.
  void make_hard(HostRows& x, int64_t row) {
    const int64_t kind = between(0, 9), only = between(0, x.columns - 1);
    for (int64_t j = 0; j < x.columns; ++j) {
      const double before = x.get(row, j);
      if (kind == 0) x.set(row, j, std::rint(before));  // equals
      if (kind == 1) x.set(row, j, 0.5);
      if (kind == 2 && between(0, 2) > 0) x.set(row, j, -kInfinite);
      if (kind == 3 && between(0, 2) > 0)
        x.set(row, j, x.elements.type == WAVESMITH_KERNELS_F16 ? -6e4 : -3e38);
      if (kind == 4) x.set(row, j, between(0, 1) == 0 ? -0.0 : 0.0);
      if (kind == 5) x.set(row, j, before * tiny_of(x.elements.type) * 8);  // subnormal
      if (kind == 7 && j != only) x.set(row, j, -kInfinite);
    }
    if (kind == 6) x.set(row, only, 60000);
  }

  void check(const Case& one) {
    const OnGpu on_x(one.x.elements, one.offset);
    check(one, one.x.on(on_x));
  }
  void check(const Case& one, const wavesmith_kernels_rows& logits) {
    std::vector<float> temperatures, top_p, min_p;
    std::vector<int32_t> top_k;
    std::vector<uint64_t> seeds;
    std::vector<int64_t> offsets;
    for (const SampleParameters& row : one.rows) {
      temperatures.push_back(row.temperature), top_k.push_back(row.top_k);
      top_p.push_back(row.top_p), min_p.push_back(row.min_p);
      seeds.push_back(row.seed), offsets.push_back(row.offset);
    }
    const size_t rows = one.rows.size();
    const Array<float> on_temperatures(temperatures), on_top_p(top_p), on_min_p(min_p);
    const Array<int32_t> on_top_k(top_k);
    const Array<uint64_t> on_seeds(seeds);
    const Array<int64_t> on_offsets(offsets);
    Array<int32_t> tokens(std::vector<int32_t>(rows, kPoison));
    Array<float> logs(std::vector<float>(rows, 12345));
    HostRows p(one.x.rows, one.x.columns, 3, WAVESMITH_KERNELS_F32);
    const OnGpu on_p(p.elements, 1);
    Description d{};
    d.rows = one.x.rows, d.vocabulary = one.x.columns, d.logits = logits;
    d.temperatures = on_temperatures.data(), d.top_k = on_top_k.data();
    d.top_p = on_top_p.data(), d.min_p = on_min_p.data();
    d.seeds = on_seeds.data(), d.offsets = on_offsets.data(), d.tokens = tokens.data();
    d.log_probabilities = one.without_log ? nullptr : logs.data();
    if (!one.without_probabilities) d.probabilities = p.on(on_p);
    const SampleWorkspace needed{one.x.rows, one.parts, true};
    const OnGpu workspace(Elements(WAVESMITH_KERNELS_I8, static_cast<size_t>(needed.bytes())));  // of ones
    d.workspace = one.parts > 1 ? workspace.data() : nullptr;
    d.workspace_bytes = static_cast<size_t>(needed.bytes());
    ASSERT_EQ(one.parts > 0 ? sample_in_parts(d, one.parts, nullptr) : wavesmith_kernels_sample(&d, nullptr),
              WAVESMITH_KERNELS_SUCCESS)
        << wavesmith_kernels_message();
    ASSERT_EQ(hipDeviceSynchronize(), 0);
    std::vector<SampledRow> expected;
    const std::vector<int32_t> got = tokens.read();
    for (size_t i = 0; i < rows; ++i) {
      const SampleParameters& given = one.rows[i];
      expected.emplace_back(one.x, static_cast<int64_t>(i), given);
      ASSERT_EQ(got[i], expected[i].token)
          << "row " << i << " of " << one.x.columns << " in " << one.parts << " parts at temperature "
          << given.temperature << ", top_k " << given.top_k << ", top_p " << given.top_p << ", min_p "
          << given.min_p;
    }
    if (!one.without_log) compare_logs(expected, got, logs.read());
    if (!one.without_probabilities && !HasFatalFailure()) compare_probabilities(expected, one, p, on_p);
  }

  /// Rows that a workgroup has alone, and that a few or many share.
  void check_in_parts(Case one) {
    for (const int64_t parts : {0, 2, 5, kMostSampleParts}) {
      one.parts = parts;
      check(one);
      if (HasFatalFailure()) return;
    }
  }

  static void compare_logs(const std::vector<SampledRow>& expected, const std::vector<int32_t>& tokens,
                           const std::vector<float>& logs) {
    ErrorNote note;
    for (size_t i = 0; i < logs.size(); ++i) {
      if (tokens[i] < 0) {
        ASSERT_TRUE(std::isnan(logs[i]));
        continue;
      }
      const double want = expected[i].log_probability(tokens[i]);
      if (std::isinf(want)) {
        ASSERT_EQ(logs[i], want);
        continue;
      }
      const double allowed = 0x1p-16 + 0x1p-21 * std::abs(want);
      note.add(std::abs(logs[i] - want), allowed);
      ASSERT_NEAR(logs[i], want, allowed) << "row " << i;
    }
  }

  /// The tokens that stay exactly, their probabilities by double precision.
  static void compare_probabilities(const std::vector<SampledRow>& expected, const Case& one, HostRows& p,
                                    const OnGpu& on_p) {
    std::vector<double> sums;
    const auto power = [&](size_t i, size_t j) {
      const SampledRow& row = expected[i];
      if (row.kept[j] == 0) return 0.0;
      const double temperature = one.rows[i].temperature, x = row.x[j], largest = row.largest;
      return temperature < 1e-5F || x == largest ? 1.0 : std::exp((x - largest) / temperature);
    };
    for (size_t i = 0; i < expected.size(); ++i) {
      double sum = 0;
      for (size_t j = 0; j < expected[i].x.size(); ++j) sum += power(i, j);
      sums.push_back(sum);
    }
    const auto want = [&](int64_t row, int64_t j) {
      const auto i = static_cast<size_t>(row);
      return expected[i].is_valid ? power(i, static_cast<size_t>(j)) / sums[i] : kNan;
    };
    expect_rows(p, on_p, want, [&](int64_t i, int64_t j) {
      const double exact = want(i, j);
      return exact == 0 ? 0 : 0x1p-16 * exact + 0x1p-39;
    });
  }

  static constexpr int32_t kPoison = 0x5a5a5a5a;
};

TEST_P(Sampling, EqualsAReferenceThatSorts) {
  for (int round = 0; round < 60; ++round) {
    const int64_t vocabulary =
        one_of<int64_t>({1, 2, 3, 4, 63, 255, 1023, 1024, 1025, 4097, between(1, 9000), between(1, 9000)});
    Case one{random_rows(between(1, 4), vocabulary, one_of<int64_t>({0, 1, 4, 5}), any_type(),
                         one_of({0.1, 1.0, 3.0, 30.0}))};
    for (int64_t i = 0; i < one.x.rows; ++i) make_hard(one.x, i);
    one.rows = any_parameters(one.x.rows, vocabulary);
    one.offset = static_cast<size_t>(one_of<int64_t>({0, 0, 1, 3}));
    one.without_log = between(0, 3) == 0, one.without_probabilities = between(0, 3) == 0;
    one.parts = round < 20 ? 0 : round < 40 ? between(2, kMostSampleParts) : one_of<int64_t>({2, 3, 16});
    check(one);
    if (HasFatalFailure()) return;
  }
}

TEST_P(Sampling, OfAVocabularyOfLlama) {
  Case one{random_rows(3, 128256, 0, WAVESMITH_KERNELS_BF16, 2.5)};
  one.rows = {{0.8F, 40, 0.95F, 0, 11, 0}, {1, 0, 0.9F, 0, 12, 1}, {1.3F, 0, 1, 0.02F, 13, 2}};
  check_in_parts(one);
}

TEST_P(Sampling, OfTheLargestTokensInAnyOrder) {
  Case one{random_rows(4, 262145, 0, WAVESMITH_KERNELS_F32)};
  for (int64_t j = 0; j < one.x.columns; ++j) {
    one.x.set(1, j, static_cast<double>(j) * 1e-4);
    one.x.set(2, j, static_cast<double>(-j) * 1e-4);
  }
  one.rows = {{1, 1000, 1, 0, 5, 0}, {1, 0, 0.5F, 0, 6, 0}, {1, 300, 0.99F, 0, 7, 0}, {1, 0, 1, 0, 8, 0}};
  check_in_parts(one);
}

TEST_P(Sampling, OfMoreLogitsCloseTogetherThanAreListed) {
  Case one{random_rows(3, 20001, 0, WAVESMITH_KERNELS_F32, 1e-3)};
  for (int64_t i = 0; i < 3; ++i) one.x.set(i, 77 * i, 9);
  one.rows = {{1, 9000, 1, 0, 1, 0}, {1, 0, 0.9F, 0, 2, 0}, {2, 10000, 0.6F, 0, 3, 0}};
  check_in_parts(one);
}

TEST_P(Sampling, OfWhatIsNoNumberIsNoToken) {
  Case one{random_rows(8, 300, 0, WAVESMITH_KERNELS_F32)};
  one.rows = any_parameters(8, 300);
  for (SampleParameters& row : one.rows) row.temperature = 1;
  one.x.set(0, 299, kNan);
  for (int64_t j = 0; j < 300; ++j) one.x.set(1, j, -kInfinite);
  one.x.set(2, 5, kInfinite), one.x.set(2, 250, kInfinite);
  one.rows[3].temperature = -1, one.rows[4].temperature = kNan, one.rows[5].top_p = kNan;
  one.rows[6].min_p = 1.5F;
  one.x.set(7, 5, kInfinite), one.rows[7].temperature = 0;
  check_in_parts(one);
}

TEST_P(Sampling, WithAWorkspaceOfAnySize) {
  const HostRows x = random_rows(2, 40001, 0, WAVESMITH_KERNELS_BF16, 3);
  const OnGpu on_x(x.elements);
  const Array<uint64_t> seeds({3, 4});
  const Array<int32_t> top_k({50, 0});
  Description d{};
  d.rows = 2, d.vocabulary = x.columns, d.logits = x.on(on_x), d.seeds = seeds.data(), d.top_k = top_k.data();
  Array<int32_t> tokens({0, 0});
  d.tokens = tokens.data();
  size_t bytes = 0;
  ASSERT_EQ(wavesmith_kernels_sample_workspace(&d, &bytes), WAVESMITH_KERNELS_SUCCESS);
  ASSERT_EQ(bytes, static_cast<size_t>(SampleWorkspace{2, 9, true}.bytes())) << "as 40001 logits are";
  const OnGpu workspace(Elements(WAVESMITH_KERNELS_I8, bytes));
  for (const size_t size : {size_t{0}, size_t{100}, bytes / 2, bytes - 1, bytes}) {
    d.workspace = workspace.data(), d.workspace_bytes = size;
    ASSERT_EQ(wavesmith_kernels_sample(&d, nullptr), WAVESMITH_KERNELS_SUCCESS);
    ASSERT_EQ(hipDeviceSynchronize(), 0);
    const std::vector<int32_t> got = tokens.read();
    for (int64_t i = 0; i < 2; ++i) {
      const SampledRow expected(x, i, {.top_k = i == 0 ? 50 : 0, .seed = static_cast<uint64_t>(3 + i)});
      EXPECT_EQ(got[static_cast<size_t>(i)], expected.token) << "with " << size << " bytes";
    }
  }
}

TEST_P(Sampling, WithoutParametersAndOfProbabilitiesAlone) {
  const HostRows x = random_rows(3, 1000, 0, WAVESMITH_KERNELS_F16);
  const OnGpu on_x(x.elements);
  const Array<uint64_t> seeds({3, 4, 5});
  Array<int32_t> tokens(std::vector<int32_t>(3, kPoison));
  HostRows p(3, 1000, 0, WAVESMITH_KERNELS_F32);
  const OnGpu on_p(p.elements);
  Description d{};
  d.rows = 3, d.vocabulary = 1000, d.logits = x.on(on_x), d.seeds = seeds.data(), d.tokens = tokens.data();
  ASSERT_EQ(wavesmith_kernels_sample(&d, nullptr), WAVESMITH_KERNELS_SUCCESS);
  d.tokens = nullptr, d.seeds = nullptr, d.probabilities = p.on(on_p);
  ASSERT_EQ(wavesmith_kernels_sample(&d, nullptr), WAVESMITH_KERNELS_SUCCESS);
  ASSERT_EQ(hipDeviceSynchronize(), 0);
  const std::vector<int32_t> got = tokens.read();
  std::vector<SampledRow> expected;
  for (int64_t i = 0; i < 3; ++i) {
    expected.emplace_back(x, i, SampleParameters{.seed = static_cast<uint64_t>(3 + i)});
    EXPECT_EQ(got[static_cast<size_t>(i)], expected.back().token);
  }
  compare_probabilities(expected, Case{x, std::vector<SampleParameters>(3)}, p, on_p);
}

INSTANTIATE_TEST_SUITE_P(On, Sampling, testing::Range(0, kGpuCount), gpu_name);

TEST(SampleWeights, AreThoseOfDoublePrecision) {
  EXPECT_EQ(weight_of(3, 3, 1), kFullWeight);
  EXPECT_EQ(weight_of(kInfinite, kInfinite, 1), kFullWeight);
  EXPECT_EQ(weight_of(1, kInfinite, 1), 0);
  EXPECT_EQ(weight_of(-kInfinite, 1, 0), 0);
  EXPECT_EQ(weight_of(-41.5F, 0, 1), 0);
  for (int i = 1; i < 42 * 4096; ++i) {
    const float x = static_cast<float>(-i) / 4096;
    const double exact = std::exp2(40 + static_cast<double>(x));
    ASSERT_NEAR(static_cast<double>(weight_of(x, 0, 1)), exact, 1 + 0x1p-22 * exact) << x;
  }
}

TEST(SampleWeights, AreSharedExactly) {
  std::mt19937_64 random(test_seed());
  for (int i = 0; i < 1000; ++i) {
    const uint64_t all = random() >> random() % 60, bits = random();
    const auto want = static_cast<uint64_t>(static_cast<unsigned __int128>(all) * bits >> 64);
    ASSERT_EQ(share_of(all, static_cast<unsigned>(bits), static_cast<unsigned>(bits >> 32)), want);
  }
}

TEST(SamplingRefuses, WhatBreaksARuleAndSaysWhich) {
  ASSERT_EQ(hipSetDevice(1), 0);
  const OnGpu memory(Elements(WAVESMITH_KERNELS_F32, 256));
  const auto at = [&](size_t number) { return static_cast<float*>(memory.data()) + number; };
  Description right{};
  right.rows = right.vocabulary = 8, right.logits = {at(0), WAVESMITH_KERNELS_F32, 8};
  right.temperatures = at(64), right.seeds = reinterpret_cast<const uint64_t*>(at(72));
  right.tokens = reinterpret_cast<int32_t*>(at(88)), right.log_probabilities = at(96);
  right.probabilities = {at(104), WAVESMITH_KERNELS_F32, 8};
  EXPECT_EQ(wavesmith_kernels_sample(&right, nullptr), WAVESMITH_KERNELS_SUCCESS)
      << wavesmith_kernels_message();
  constexpr auto kWrong = WAVESMITH_KERNELS_INVALID_ARGUMENT, kNot = WAVESMITH_KERNELS_NOT_SUPPORTED;
  expect_refusals<Description>(
      &wavesmith_kernels_sample, right,
      {{[](Description& d) { d.rows = -1; }, kWrong, "sample: rows is negative"},
       {[](Description& d) { d.vocabulary = 0; }, kWrong, "vocabulary is 0, not in [1, 2^22]"},
       {[](Description& d) { d.vocabulary = d.logits.row_stride = 1 << 23, d.probabilities.data = nullptr; },
        kWrong, "vocabulary is 8388608"},
       {[](Description& d) { d.logits.data = nullptr; }, kWrong, "logits.data is null"},
       {[](Description& d) { d.logits.type = WAVESMITH_KERNELS_I8; }, kNot, "logits is of i8"},
       {[](Description& d) { d.probabilities.type = WAVESMITH_KERNELS_F16; }, kNot,
        "probabilities is of f16"},
       {[](Description& d) { d.probabilities = d.logits; }, kWrong, "probabilities overlaps logits"},
       {[](Description& d) { d.seeds = nullptr; }, kWrong, "seeds is null"},
       {[](Description& d) { d.seeds = reinterpret_cast<const uint64_t*>(d.temperatures + 1); }, kWrong,
        "seeds is not aligned"},
       {[](Description& d) { d.tokens = nullptr; }, kWrong, "log_probabilities are wanted without tokens"},
       {[](Description& d) { d.tokens = nullptr, d.probabilities.data = nullptr; }, kWrong,
        "neither tokens nor probabilities are wanted"},
       {[](Description& d) { d.log_probabilities = reinterpret_cast<float*>(d.tokens); }, kWrong,
        "log_probabilities overlaps tokens"},
       {[](Description& d) { d.workspace = d.tokens + 1, d.workspace_bytes = 4; }, kWrong,
        "workspace is not aligned"},
       {[](Description& d) { d.workspace = d.probabilities.data, d.workspace_bytes = 64; }, kWrong,
        "workspace overlaps probabilities"}});
  Description none = right;
  none.rows = 0, none.logits.data = nullptr;
  EXPECT_EQ(wavesmith_kernels_sample(&none, nullptr), WAVESMITH_KERNELS_SUCCESS);
  ASSERT_EQ(hipDeviceSynchronize(), 0);
}

}  // namespace
}  // namespace wavesmith::kernels
