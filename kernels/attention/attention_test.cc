// Attention of the kernel library on a GPU of each target, against double precision.
#include <algorithm>
#include <array>
#include <limits>

#include "kernels/attention/configuration.h"
#include "kernels/attention/problem_testing.h"
#include "kernels/attention/result_testing.h"

namespace wavesmith::kernels {
namespace {

using Case = AttentionCase;
using Problem = AttentionProblem;

class Attention : public AttentionProblems {
 protected:
  void check(const Case& one) {
    Problem made = problem(one);
    check(made);
  }

  /// Runs it and compares all of o's and lse's memory, padding included, with the bound of
  /// wavesmith_attention.h.
  void check(Problem& made) {
    const Case& one = made.one;
    const Elements before = made.o.elements;
    run(made);
    if (HasFatalFailure()) return;
    std::vector<double> q = numbers(made.q.elements), k = numbers(made.k.elements),
                        v = numbers(made.v.elements);
    for (auto* all : {&q, &k, &v})
      for (double& number : *all) number = as_operand(number, one.type);
    ErrorNote note;
    std::vector<char> written(made.o.elements.count(), 0);
    const auto size = static_cast<size_t>(one.head_size), size_v = static_cast<size_t>(one.size_v());
    for (int64_t batch = 0; batch < one.batches; ++batch) {
      const auto [first_q, length_q] = made.sequence_q(batch);
      const auto [first_k, length_k] = made.sequence_k(batch);
      const int64_t batch_q = one.packed_q ? 0 : batch, batch_k = one.packed_k ? 0 : batch;
      const int64_t shift = length_k - length_q;
      for (int64_t head = 0; head < one.heads_q; ++head) {
        const int64_t head_kv = head / (one.heads_q / one.heads_kv);
        const double slope =
            one.alibi
                ? made.slopes[static_cast<size_t>((one.alibi_per_batch ? batch * one.heads_q : 0) + head)]
                : 0;
        for (int64_t i = 0; i < length_q; ++i) {
          const double* const row = &q[made.q.at(batch_q, first_q + i, head, 0)];
          const int64_t right = one.causal ? 0 : one.right;
          const int64_t begin = one.left < 0 ? 0 : std::max<int64_t>(0, i + shift - one.left);
          const int64_t end = right < 0 ? length_k : std::min(length_k, i + shift + right + 1);
          std::vector<double> weights;
          double greatest = -kInfinity, error = 0;
          bool nan = false;
          for (int64_t j = begin; j < end; ++j) {
            const double* const key = &k[made.k.at(batch_k, first_k + j, head_kv, 0)];
            double score = 0, magnitude = 0;
            for (size_t d = 0; d < size; ++d)
              score += row[d] * key[d], magnitude += std::abs(row[d] * key[d]);
            score *= one.scale;
            if (one.softcap != 0) score = one.softcap * std::tanh(score / one.softcap);
            const double bias = slope * static_cast<double>(std::abs(i + shift - j));
            score -= bias;
            nan |= std::isnan(score) || score == kInfinity;
            error =
                std::max(error, (static_cast<double>(size) + 8) * 0x1p-24 * std::abs(one.scale) * magnitude +
                                    0x1p-20 * (1 + std::abs(score) + one.softcap) + 0x1p-22 * bias);
            weights.push_back(score);
            greatest = std::max(greatest, score);
          }
          const bool none = greatest == -kInfinity && !nan;
          double sum = 0;
          for (double& weight : weights) sum += weight = none ? 0 : std::exp(weight - greatest);
          const double sink = one.sinks ? made.sinks[static_cast<size_t>(head)] : -kInfinity;
          if (!none) sum += std::exp(sink - greatest);
          std::vector<double> expected(size_v, 0), magnitude(size_v, 0), values(size_v, 0);
          const std::vector<double> factors = dropout_factors(one, batch, head, i, length_k);
          for (int64_t j = begin; j < end && !none; ++j) {
            const double* const value = &v[made.v.at(batch_k, first_k + j, head_kv, 0)];
            const double factor = factors[static_cast<size_t>(j)];
            const double weight = factor * weights[static_cast<size_t>(j - begin)] / sum;
            for (size_t d = 0; d < size_v; ++d)
              expected[d] += weight * value[d], magnitude[d] += weight * std::abs(value[d]),
                  values[d] += factor * std::abs(value[d]);
          }
          const std::string where = one.text() + " [" + std::to_string(batch) + "][" + std::to_string(head) +
                                    "][" + std::to_string(i) + "]";
          for (size_t d = 0; d < size_v; ++d) {
            const size_t at = made.o.at(batch_q, first_q + i, head, static_cast<int64_t>(d));
            written[at] = 1;
            const double got = made.o.elements.get(at);
            ASSERT_TRUE(keeps_bound(got, {expected[d], magnitude[d], values[d], nan}, one.type, error,
                                    weights.size(), GetParam() == 0, note))
                << where << "[" << d << "]";
          }
          if (!one.lse) continue;
          const double got =
              made.lse.get(static_cast<size_t>((batch_q * one.heads_q + head) * made.rows_q() + first_q + i));
          if (nan)
            ASSERT_TRUE(std::isnan(got)) << where;
          else if (none)
            ASSERT_TRUE(got == sink || std::abs(got - sink) <= 0x1p-20 * (1 + std::abs(sink))) << where;
          else  // a sink may be so much greater than all scores that their ratio has no double
            ASSERT_LE(std::abs(got - (std::isinf(sum) ? sink : greatest + std::log(sum))),
                      2 * error +
                          0x1p-22 * (std::abs(greatest) + (one.sinks ? std::abs(std::max(sink, -1e3)) : 0)) +
                          0x1p-20)
                << where << ": " << got;
        }
      }
    }
    for (size_t i = 0; i < written.size(); ++i)
      if (!written[i])
        ASSERT_EQ(std::memcmp(&made.o.elements.bytes[i * 2], &before.bytes[i * 2], 2), 0)
            << one.text() << " wrote beyond the rows, at element " << i;
  }
};

TEST_P(Attention, EqualsDoublePrecision) {
  check({.batches = 1, .length_q = 128, .length_k = 128});
  check({.batches = 2, .heads_q = 4, .heads_kv = 2, .length_q = 130, .length_k = 200});
}

TEST_P(Attention, SmallOnesOfAllKindsEqualDoublePrecision) {
  for (int round = 0; round < 60; ++round) {
    check(random_case(between(1, 70), between(0, 90)));
    if (HasFatalFailure()) return;
  }
}

TEST_P(Attention, LengthsAroundTheTilesEqualDoublePrecision) {
  for (int round = 0; round < 12; ++round) {
    Case one = random_case(one_of<int64_t>({1, 127, 128, 129, 255, 257}),
                           one_of<int64_t>({1, 31, 32, 33, 63, 64, 65, 127, 129, 300, 509}));
    one.batches = between(1, 2);
    check(one);
    if (HasFatalFailure()) return;
  }
}

TEST_P(Attention, EveryKernelEqualsDoublePrecision) {
  const char* const kTargets[] = {"gfx90a", "gfx942", "gfx950", "gfx1100", "gfx1151", "gfx1201"};
  int kernels = 0;
  for (const AttentionConfiguration& row : attention_configurations())
    for (const Type type : {WAVESMITH_KERNELS_F16, WAVESMITH_KERNELS_BF16})
      for (const float softcap : {0.0F, 20.0F}) {
        if (row.target != kTargets[GetParam()]) continue;
        check({.heads_q = 2,
               .length_q = row.rows + between(-1, 1),
               .length_k = between(3, 7) * row.keys + between(-1, 1),
               .head_size = row.head_size,
               .head_size_v = row.head_size_v,
               .type = type,
               .causal = softcap != 0,
               .softcap = softcap});
        if (HasFatalFailure()) return;
        ++kernels;
      }
  EXPECT_GE(kernels, 4);
}

TEST_P(Attention, HeadsOfValuesMayBeShorterOrLonger) {
  for (int round = 0; round < 12; ++round) {
    Case one = random_case(between(1, 140), between(0, 90));
    one.head_size = round % 2 == 0 ? 192 : 8 * between(1, 32);
    one.head_size_v = round % 2 == 0 ? 128 : 8 * between(1, 32);
    check(one);
    if (HasFatalFailure()) return;
  }
}

TEST_P(Attention, MasksEndAtTheRightKeyWhereverTilesDo) {
  for (int64_t window = 0; window < 66; ++window) {
    check({.length_q = 33, .length_k = 130, .head_size = 64, .right = window});
    check({.length_q = 33, .length_k = 130, .head_size = 64, .left = window});
    // So wide that the first tile begins with the first key.
    check({.length_q = 33, .length_k = 130, .head_size = 64, .left = 97 + window});
    if (HasFatalFailure()) return;
  }
}

TEST_P(Attention, ScoresFarApartKeepTheBound) {
  // The greatest score of a row grows from tile to tile, or falls, by more than the exponents of floats hold.
  for (const double size : {8.0, 40.0})
    for (const Type type : {WAVESMITH_KERNELS_F16, WAVESMITH_KERNELS_BF16}) {
      check({.length_q = 40, .length_k = 400, .type = type, .scale = 0.3F, .size = size});
      if (HasFatalFailure()) return;
    }
}

TEST_P(Attention, NanAndInfinityReachTheRowsThatSeeThem) {
  Problem made = problem({.length_q = 100, .length_k = 100, .causal = true});
  constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
  made.q.elements.set(made.q.at(0, 7, 0, 5), kNan);
  made.k.elements.set(made.k.at(0, 90, 0, 9), kNan);  // rows from 90 on
  made.k.elements.set(made.k.at(0, 95, 0, 9), kInfinity);
  check(made);
  if (HasFatalFailure()) return;
  // A value's infinity reaches its column of all that give it weight.
  Problem values = problem({.length_q = 50, .length_k = 80});
  values.v.elements.set(values.v.at(0, 11, 0, 3), kNan);
  values.v.elements.set(values.v.at(0, 12, 0, 4), kNan);
  check(values);
}

TEST_P(Attention, WhatLiesBehindASequenceDoesNotMatter) {
  // Rows behind the last of each sequence are NaN in all three.
  Problem made = problem({.batches = 2, .length_q = 70, .length_k = 70, .packed_q = true, .packed_k = true});
  made.starts_q = {0, 40, 75}, made.starts_k = {0, 33, 65};
  const Case as_many{.batches = 1, .length_q = 75, .length_k = 65};
  Problem other = problem(as_many);
  made.q = other.q, made.k = other.k, made.v = other.v, made.o = other.o;
  made.lse = other.lse;
  for (int64_t row = 33; row < 65; ++row) {
    for (int64_t i = 0; i < 128; ++i) {
      made.k.elements.set(made.k.at(0, row, 0, i), std::numeric_limits<double>::quiet_NaN());
      made.v.elements.set(made.v.at(0, row, 0, i), std::numeric_limits<double>::quiet_NaN());
    }
  }
  run(made);
  for (int64_t row = 0; row < 75; ++row)
    EXPECT_EQ(std::isnan(made.o.elements.get(made.o.at(0, row, 0, 0))), row >= 40) << row;
}

TEST_P(Attention, ResultsAreTheSameInEachRun) {
  Problem made = problem({.heads_q = 2, .length_q = 200, .length_k = 300, .causal = true});
  Problem again = made;
  run(made);
  run(again);
  EXPECT_EQ(made.o.elements.bytes, again.o.elements.bytes);
  EXPECT_EQ(made.lse.bytes, again.lse.bytes);
}

TEST_P(Attention, EveryKernelWithDropoutEqualsDoublePrecision) {
  for (const AttentionConfiguration& row : attention_configurations())
    for (const Type type : {WAVESMITH_KERNELS_F16, WAVESMITH_KERNELS_BF16})
      for (const bool shaped : {false, true}) {
        if (row.target != kTargets[GetParam()] || row.head_size > 128) continue;
        check(dropout_case(row.rows, row.head_size, type, shaped));
        if (HasFatalFailure()) return;
      }
}

TEST_P(Attention, DropoutOfAllKindsEqualsDoublePrecision) {
  for (int round = 0; round < 24; ++round) {
    check(random_dropout_case(between(1, 140), between(0, 170)));
    if (HasFatalFailure()) return;
  }
}

TEST_P(Attention, PackedSequencesDropTheSameWeights) {
  Case one{.batches = 2, .heads_q = 2, .length_q = 50, .length_k = 90, .dropout = 0.5F, .seed = 3};
  Problem made = problem(one);
  run(made);
  one.packed_q = one.packed_k = true;
  Problem packed = problem(one);
  packed.starts_q = {0, 50, 100}, packed.starts_k = {0, 90, 180};
  packed.q = made.q, packed.k = made.k, packed.v = made.v;
  packed.o = made.o, packed.lse = Elements(WAVESMITH_KERNELS_F32, 200);
  std::fill(packed.o.elements.bytes.begin(), packed.o.elements.bytes.end(), 0xff);
  run(packed);
  EXPECT_EQ(packed.o.elements.bytes, made.o.elements.bytes);
}

TEST_P(Attention, NoDropoutIsNoneToTheBit) {
  Problem made = problem({.heads_q = 2, .length_q = 70, .length_k = 100, .causal = true});
  Problem with = made;
  with.one.seed = 99, with.one.offset = 4;
  run(made);
  run(with);
  EXPECT_EQ(made.o.elements.bytes, with.o.elements.bytes);
  EXPECT_EQ(made.lse.bytes, with.lse.bytes);
}

INSTANTIATE_TEST_SUITE_P(On, Attention, testing::Range(0, kGpuCount), gpu_name);

}  // namespace
}  // namespace wavesmith::kernels
