// Decode of the kernel library on a GPU of each target, against double precision.
#include <algorithm>
#include <limits>
#include <numeric>

#include "kernels/attention/result_testing.h"
#include "kernels/decode/configuration.h"
#include "kernels/decode/testing.h"

namespace wavesmith::kernels {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

class Decode : public OnEachGpu {
 protected:
  void check(const DecodeCase& one) {
    DecodeProblem made(one, random_);
    check(made);
  }

  /// Runs it and compares o and lse, padding included, with the bound of wavesmith_kernels.h.
  void check(DecodeProblem& made) {
    const DecodeCase& one = made.one;
    const Elements before = made.o.elements;
    made.run();
    if (HasFatalFailure()) return;
    const std::vector<double> q = numbers(made.q.elements), k = numbers(made.k.elements),
                              v = numbers(made.v.elements);
    ErrorNote note;
    std::vector<char> written(made.o.elements.count(), 0);
    for (int64_t batch = 0; batch < one.batches; ++batch)
      for (int64_t i = 0; i < one.length_q; ++i)
        for (int64_t head = 0; head < one.heads_q; ++head) {
          check_row(made, q, k, v, batch, i, head, written, note);
          if (HasFatalFailure()) return;
        }
    for (size_t i = 0; i < written.size(); ++i)
      if (!written[i])
        ASSERT_EQ(std::memcmp(&made.o.elements.bytes[i * 2], &before.bytes[i * 2], 2), 0)
            << one.text() << " wrote beyond the rows, at element " << i;
  }

  /// Everything but the contexts at random.
  DecodeCase random_case(int64_t longest) {
    DecodeCase one{.batches = between(1, 3), .longest = longest};
    one.head_size = any_head_size();
    one.heads_kv = between(1, 2);
    one.heads_q = one.heads_kv * one_of<int64_t>({1, 3, 8, between(1, 20)});
    one.length_q = one_of<int64_t>({1, 1, 2, between(1, 6)});
    one.type = one_of({WAVESMITH_KERNELS_F16, WAVESMITH_KERNELS_BF16});
    one.cache = any_cache(one.type);
    one.paged = between(0, 3) != 0;
    one.page_size = one_of<int64_t>({8, 16, 16, 32, 64, 128});
    one.left = one_of<int64_t>({-1, -1, 0, between(0, 100)});
    one.scale = one_of({0.125F, 0.125F, 1.0F, 0.01F, -0.2F, 0.0F});
    one.softcap = one_of({0.0F, 0.0F, 5.0F, 30.0F});
    one.alibi = between(0, 2) == 0;
    one.alibi_per_batch = between(0, 1) == 1;
    one.sinks = between(0, 2) == 0;
    one.scales = one_of({0, 1, 2});
    one.lse = between(0, 3) != 0;
    one.heads_outside = between(0, 1) == 1;
    one.padding = one_of<int64_t>({0, 0, 16});
    return one;
  }

  /// The rows of the table for this GPU's target.
  static std::vector<DecodeConfiguration> configurations() {
    static constexpr const char* kTargets[] = {"gfx90a", "gfx942", "gfx950", "gfx1100", "gfx1151", "gfx1201"};
    std::vector<DecodeConfiguration> rows;
    for (const DecodeConfiguration& row : decode_configurations())
      if (row.target == kTargets[GetParam()]) rows.push_back(row);
    return rows;
  }
  int64_t any_head_size() {
    const auto rows = configurations();
    return rows[static_cast<size_t>(between(0, static_cast<int64_t>(rows.size()) - 1))].head_size;
  }
  static Type e4m3() {
    return configurations()[0].has_cache_of("e4m3fnuz") ? WAVESMITH_KERNELS_E4M3_FNUZ
                                                        : WAVESMITH_KERNELS_E4M3;
  }
  static bool has_e4m3() { return configurations()[0].has_cache_of(word_of(e4m3())); }
  Type any_cache(Type type) { return has_e4m3() && between(0, 1) == 0 ? e4m3() : type; }

 private:
  /// What CDNA2 takes an element for: subnormal numbers are 0.
  static double as_operand(double element, Type type) {
    const bool flushes = GetParam() == 0;
    return flushes && std::abs(element) < (type == WAVESMITH_KERNELS_F16 ? 0x1p-14 : 0x1p-126) ? 0 : element;
  }

  static void check_row(const DecodeProblem& made, const std::vector<double>& q, const std::vector<double>& k,
                        const std::vector<double>& v, int64_t batch, int64_t i, int64_t head,
                        std::vector<char>& written, ErrorNote& note) {
    const DecodeCase& one = made.one;
    const auto size = static_cast<size_t>(one.head_size);
    const int64_t head_kv = head / (one.heads_q / one.heads_kv), length = made.length(batch);
    const int64_t position = length - one.length_q + i;
    const double slope = made.slope(batch, head), scale_v = made.v_scale(head_kv);
    const double scale = static_cast<double>(one.scale) * made.k_scale(head_kv);
    const double* const row = &q[made.q.at(batch, i, head, 0)];
    const int64_t begin = one.left < 0 ? 0 : std::max<int64_t>(0, position - one.left);
    std::vector<double> weights;
    double greatest = -kInfinity, error = 0;
    bool nan = false;
    for (int64_t j = begin; j <= position; ++j) {
      const double* const key = &k[made.key(made.k, batch, j, head_kv)];
      double score = 0, magnitude = 0;
      for (size_t d = 0; d < size; ++d) {
        const double product = as_operand(row[d], one.type) * as_operand(key[d], one.type);
        score += product, magnitude += std::abs(product);
      }
      score *= scale;
      if (one.softcap != 0) score = one.softcap * std::tanh(score / one.softcap);
      const double bias = slope * static_cast<double>(position - j);
      score -= bias;
      nan |= std::isnan(score) || score == kInfinity;
      error = std::max(error, (static_cast<double>(size) + 8) * 0x1p-24 * std::abs(scale) * magnitude +
                                  0x1p-20 * (1 + std::abs(score) + one.softcap) + 0x1p-22 * bias);
      weights.push_back(score);
      greatest = std::max(greatest, score);
    }
    const double sink = one.sinks ? made.sinks[static_cast<size_t>(head)] : -kInfinity;
    const bool none = greatest == -kInfinity && !nan;
    greatest = std::max(greatest, sink);
    double sum = greatest == -kInfinity ? 0 : std::exp(sink - greatest);
    for (double& weight : weights) sum += weight = none ? 0 : std::exp(weight - greatest);
    std::vector<double> expected(size, 0), magnitude(size, 0), values(size, 0);
    for (int64_t j = begin; j <= position && !none; ++j) {
      const double* const value = &v[made.key(made.v, batch, j, head_kv)];
      const double weight = weights[static_cast<size_t>(j - begin)] / sum;
      for (size_t d = 0; d < size; ++d) {
        const double number = as_operand(value[d], one.type) * scale_v;
        expected[d] += weight * number, magnitude[d] += weight * std::abs(number),
            values[d] += std::abs(number);
      }
    }
    const std::string where = one.text() + " [" + std::to_string(batch) + "][" + std::to_string(i) + "][" +
                              std::to_string(head) + "] of context " + std::to_string(length);
    for (size_t d = 0; d < size; ++d) {
      const size_t at = made.o.at(batch, i, head, static_cast<int64_t>(d));
      written[at] = 1;
      const double got = made.o.elements.get(at);
      ASSERT_TRUE(keeps_bound(got, {expected[d], magnitude[d], values[d], nan}, one.type, error,
                              weights.size(), GetParam() == 0, note))
          << where << "[" << d << "]";
    }
    if (!one.lse) return;
    const double got = made.lse.get(static_cast<size_t>((batch * one.heads_q + head) * one.length_q + i));
    if (nan)
      ASSERT_TRUE(std::isnan(got)) << where;
    else if (greatest == -kInfinity)
      ASSERT_EQ(got, -kInfinity) << where;
    else
      ASSERT_LE(std::abs(got - (std::isinf(sum) ? sink : greatest + std::log(sum))),
                2 * error + 0x1p-22 * std::abs(greatest) + 0x1p-20)
          << where;
  }
};

TEST_P(Decode, EveryKernelEqualsDoublePrecision) {
  for (const DecodeConfiguration& row : configurations())
    for (const Type type : {WAVESMITH_KERNELS_BF16, WAVESMITH_KERNELS_F16})
      for (const bool small : {false, true}) {
        if (small && !has_e4m3()) continue;
        check({.batches = 2,
               .heads_q = 8,
               .heads_kv = 2,
               .head_size = row.head_size,
               .longest = 200,
               .type = type,
               .cache = small ? e4m3() : type,
               .scales = small});
        if (HasFatalFailure()) return;
      }
}

TEST_P(Decode, SmallOnesOfAllKindsEqualDoublePrecision) {
  for (int round = 0; round < 40; ++round) {
    check(random_case(one_of<int64_t>({0, 1, 2, between(0, 200)})));
    if (HasFatalFailure()) return;
  }
}

TEST_P(Decode, ContextsAroundPagesAndTilesEqualDoublePrecision) {
  for (const int64_t page : {16, 64})
    for (const int64_t around : {page, int64_t{128}, int64_t{256}}) {
      DecodeCase one = random_case(around + 1);
      one.batches = 5, one.page_size = page, one.paged = true, one.left = -1;
      one.lengths = {0, 1, around - 1, around, around + 1};
      check(one);
      if (HasFatalFailure()) return;
    }
}

TEST_P(Decode, LongContextsAreSplit) {
  for (int round = 0; round < 4; ++round) {
    DecodeCase one = random_case(one_of<int64_t>({1499, 2048, 2049, 4099}));
    one.batches = 2, one.heads_kv = 1, one.heads_q = one_of<int64_t>({1, 5, 8}), one.length_q = between(1, 2);
    one.left = one_of<int64_t>({-1, 1200});
    one.lengths = {one.longest, one_of<int64_t>({0, 1, 700, between(0, one.longest)})};
    DecodeProblem made(one, random_);
    check(made);
    if (HasFatalFailure()) return;
    EXPECT_GT(made.workspace_bytes, 0U);
    // The same in each run, whatever was in the workspace.
    const Elements first = made.o.elements;
    made.run();
    EXPECT_EQ(made.o.elements.bytes, first.bytes);
  }
}

TEST_P(Decode, GreatScoresDoNotOverflow) {
  DecodeCase one = random_case(1300);
  one.scale = 1, one.size = 30, one.softcap = 0, one.left = -1;
  check(one);
}

TEST_P(Decode, NanSpoilsTheRowsThatSeeItAndNoOthers) {
  for (const int64_t longest : {90, 1500}) {
    DecodeCase one{.batches = 2, .heads_q = 4, .heads_kv = 2, .length_q = 3, .longest = longest};
    one.type = one_of({WAVESMITH_KERNELS_F16, WAVESMITH_KERNELS_BF16}), one.cache = one.type;
    one.lengths = {longest, longest - 9};
    DecodeProblem made(one, random_);
    constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
    made.k.elements.set(made.key(made.k, 0, longest - 2, 1) + 5, kNan);  // which the first query does not see
    made.v.elements.set(made.key(made.v, 1, 7, 0) + 9, kNan);
    made.k.elements.set(made.key(made.k, 1, 11, 1) + 3, kInfinity);
    check(made);
    if (HasFatalFailure()) return;
  }
}

INSTANTIATE_TEST_SUITE_P(On, Decode, testing::Range(0, kGpuCount), gpu_name);

}  // namespace
}  // namespace wavesmith::kernels
