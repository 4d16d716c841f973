// Attention of the kernel library on a GPU of each target, against double precision.
#include <algorithm>
#include <array>
#include <limits>

#include "kernels/attention/configuration.h"
#include "kernels/attention/result_testing.h"

namespace wavesmith::kernels {
namespace {

using Description = wavesmith_kernels_attention_description;
constexpr double kInfinity = std::numeric_limits<double>::infinity();

/// What a case varies.
struct Case {
  int64_t batches = 1, heads_q = 1, heads_kv = 1, length_q = 1, length_k = 1, head_size = 128;
  Type type = WAVESMITH_KERNELS_BF16;
  bool causal = false;
  int64_t left = -1, right = -1;
  float scale = 0.125F, softcap = 0;
  bool alibi = false, alibi_per_batch = false, packed_q = false, packed_k = false, lse = true;
  bool heads_outside = false;  ///< of a batch positions follow each other, not heads
  int64_t padding = 0;         ///< elements that rows are apart beyond what they hold
  double size = 1;             ///< of the elements of q and k
  bool sinks = false;

  [[nodiscard]] std::string text() const {
    return "batches " + std::to_string(batches) + " heads " + std::to_string(heads_q) + "/" +
           std::to_string(heads_kv) + " lengths " + std::to_string(length_q) + " " +
           std::to_string(length_k) + " head size " + std::to_string(head_size) + " type " +
           std::to_string(type) + " causal " + std::to_string(causal) + " window " + std::to_string(left) +
           " " + std::to_string(right) + " scale " + std::to_string(scale) + " softcap " +
           std::to_string(softcap) + " alibi " + std::to_string(alibi) + std::to_string(alibi_per_batch) +
           " packed " + std::to_string(packed_q) + std::to_string(packed_k) + " heads outside " +
           std::to_string(heads_outside) + " padding " + std::to_string(padding) + " size " +
           std::to_string(size) + " sinks " + std::to_string(sinks);
  }
};

/// A tensor of heads in host memory.
struct HostHeads {
  int64_t head_size = 0, batch_stride = 0, row_stride = 0, head_stride = 0;
  Elements elements;

  HostHeads() = default;
  HostHeads(const Case& one, int64_t batches, int64_t rows, int64_t heads) : head_size(one.head_size) {
    const int64_t apart = head_size + one.padding;
    row_stride = one.heads_outside ? apart : heads * apart;
    head_stride = one.heads_outside ? rows * apart : apart;
    batch_stride = rows * heads * apart;
    elements = Elements(one.type, static_cast<size_t>(batches * batch_stride));
  }
  [[nodiscard]] size_t at(int64_t batch, int64_t row, int64_t head, int64_t i) const {
    return static_cast<size_t>(batch * batch_stride + row * row_stride + head * head_stride + i);
  }
  [[nodiscard]] wavesmith_kernels_heads on(const OnGpu& gpu) const {
    return {gpu.data(), batch_stride, row_stride, head_stride};
  }
};

/// The inputs and results of a case in host memory.
struct Problem {
  Case one;
  std::vector<int32_t> starts_q, starts_k;  ///< empty: not packed
  std::vector<float> slopes, sinks;
  HostHeads q, k, v, o;
  Elements lse;  ///< heads by positions, per batch

  [[nodiscard]] int64_t rows_q() const { return one.packed_q ? starts_q.back() : one.length_q; }
  [[nodiscard]] int64_t rows_k() const { return one.packed_k ? starts_k.back() : one.length_k; }
  /// Of a batch: where its sequence begins in its tensor, and its length.
  [[nodiscard]] std::pair<int64_t, int64_t> sequence_q(int64_t batch) const {
    if (!one.packed_q) return {0, one.length_q};
    const auto b = static_cast<size_t>(batch);
    return {starts_q[b], starts_q[b + 1] - starts_q[b]};
  }
  [[nodiscard]] std::pair<int64_t, int64_t> sequence_k(int64_t batch) const {
    if (!one.packed_k) return {0, one.length_k};
    const auto b = static_cast<size_t>(batch);
    return {starts_k[b], starts_k[b + 1] - starts_k[b]};
  }
};

/// The elements as numbers.
std::vector<double> numbers(const Elements& elements) {
  std::vector<double> all(elements.count());
  for (size_t i = 0; i < all.size(); ++i) all[i] = elements.get(i);
  return all;
}

class Attention : public OnEachGpu {
 protected:
  void fill(HostHeads& heads, int64_t batches, int64_t rows, int64_t count, double size) {
    for (int64_t b = 0; b < batches; ++b)
      for (int64_t row = 0; row < rows; ++row)
        for (int64_t head = 0; head < count; ++head)
          for (int64_t i = 0; i < heads.head_size; ++i)
            heads.elements.set(heads.at(b, row, head, i), normal() * size);
  }

  /// Random elements; what is padding stays NaN.
  Problem problem(const Case& one) {
    Problem made{.one = one};
    const auto starts = [&](std::vector<int32_t>& all, int64_t longest) {
      all = {0};
      for (int64_t b = 0; b < one.batches; ++b)
        all.push_back(all.back() + static_cast<int32_t>(between(0, 3) == 0   ? 0
                                                        : between(0, 2) == 0 ? longest
                                                                             : between(0, longest)));
    };
    if (one.packed_q) starts(made.starts_q, one.length_q);
    if (one.packed_k) starts(made.starts_k, one.length_k);
    const int64_t batches_q = one.packed_q ? 1 : one.batches, batches_k = one.packed_k ? 1 : one.batches;
    made.q = made.o = HostHeads(one, batches_q, made.rows_q(), one.heads_q);
    made.k = made.v = HostHeads(one, batches_k, made.rows_k(), one.heads_kv);
    fill(made.q, batches_q, made.rows_q(), one.heads_q, one.size);
    fill(made.k, batches_k, made.rows_k(), one.heads_kv, one.size);
    fill(made.v, batches_k, made.rows_k(), one.heads_kv, 1);
    made.lse = Elements(WAVESMITH_KERNELS_F32, static_cast<size_t>(batches_q * one.heads_q * made.rows_q()));
    const int64_t slopes = !one.alibi ? 0 : one.alibi_per_batch ? one.heads_q * one.batches : one.heads_q;
    for (int64_t i = 0; i < slopes; ++i) made.slopes.push_back(std::exp2(-static_cast<float>(between(0, 8))));
    for (int64_t i = 0; one.sinks && i < one.heads_q; ++i)
      made.sinks.push_back(one_of({0.0F, -3.0F, 2.5F, 30.0F, 500.0F, -static_cast<float>(kInfinity)}));
    return made;
  }

  /// Computes it, into its o and lse.
  static void run(Problem& made) {
    const Case& one = made.one;
    const auto words = [](const auto& all) {
      Elements elements(WAVESMITH_KERNELS_F32, all.size());
      if (!all.empty()) std::memcpy(elements.bytes.data(), all.data(), elements.bytes.size());
      return elements;
    };
    const OnGpu q(made.q.elements), k(made.k.elements), v(made.v.elements), o(made.o.elements);
    const OnGpu lse(made.lse), slopes(words(made.slopes)), sinks(words(made.sinks));
    const OnGpu starts_q(words(made.starts_q)), starts_k(words(made.starts_k));
    const Description attention{
        .batches = one.batches,
        .heads_q = one.heads_q,
        .heads_kv = one.heads_kv,
        .length_q = one.length_q,
        .length_k = one.length_k,
        .head_size = one.head_size,
        .type = one.type,
        .q = made.q.on(q),
        .k = made.k.on(k),
        .v = made.v.on(v),
        .o = made.o.on(o),
        .scale = one.scale,
        .causal = one.causal,
        .window_left = one.left,
        .window_right = one.right,
        .softcap = one.softcap,
        .alibi_slopes = one.alibi ? static_cast<const float*>(slopes.data()) : nullptr,
        .alibi_batch_stride = one.alibi_per_batch ? one.heads_q : 0,
        .cu_seqlens_q = one.packed_q ? static_cast<const int32_t*>(starts_q.data()) : nullptr,
        .cu_seqlens_k = one.packed_k ? static_cast<const int32_t*>(starts_k.data()) : nullptr,
        .total_q = made.rows_q(),
        .total_k = made.rows_k(),
        .lse = one.lse ? static_cast<float*>(lse.data()) : nullptr,
        .lse_batch_stride = one.heads_q * made.rows_q(),
        .lse_head_stride = made.rows_q(),
        .sinks = one.sinks ? static_cast<const float*>(sinks.data()) : nullptr};
    ASSERT_EQ(wavesmith_kernels_attention(&attention, nullptr), WAVESMITH_KERNELS_SUCCESS)
        << wavesmith_kernels_message();
    ASSERT_EQ(hipDeviceSynchronize(), 0);
    o.copy_to(made.o.elements);
    lse.copy_to(made.lse);
  }

  /// What CDNA2 takes an element for: subnormal numbers are 0.
  [[nodiscard]] double as_operand(double element, Type type) const {
    const bool flushes = GetParam() == 0;
    return flushes && std::abs(element) < (type == WAVESMITH_KERNELS_F16 ? 0x1p-14 : 0x1p-126) ? 0 : element;
  }

  void check(const Case& one) {
    Problem made = problem(one);
    check(made);
  }

  /// Runs it and compares all of o's and lse's memory, padding included, with the bound of
  /// wavesmith_kernels.h.
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
    const auto size = static_cast<size_t>(one.head_size);
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
          std::vector<double> expected(size, 0), magnitude(size, 0), values(size, 0);
          for (int64_t j = begin; j < end && !none; ++j) {
            const double* const value = &v[made.v.at(batch_k, first_k + j, head_kv, 0)];
            const double weight = weights[static_cast<size_t>(j - begin)] / sum;
            for (size_t d = 0; d < size; ++d)
              expected[d] += weight * value[d], magnitude[d] += weight * std::abs(value[d]),
                  values[d] += std::abs(value[d]);
          }
          const std::string where = one.text() + " [" + std::to_string(batch) + "][" + std::to_string(head) +
                                    "][" + std::to_string(i) + "]";
          for (size_t d = 0; d < size; ++d) {
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

  /// Everything but the lengths at random.
  Case random_case(int64_t length_q, int64_t length_k) {
    Case one{.batches = between(1, 3), .length_q = length_q, .length_k = length_k};
    one.heads_kv = between(1, 2);
    one.heads_q = one.heads_kv * between(1, 3);
    one.head_size = one_of<int64_t>({64, 128, 8 * between(1, 16), 8 * between(17, 32)});
    one.type = one_of({WAVESMITH_KERNELS_F16, WAVESMITH_KERNELS_BF16});
    one.causal = between(0, 1) == 1;
    one.left = one_of<int64_t>({-1, -1, 0, between(0, 100)});
    one.right = one_of<int64_t>({-1, -1, 0, between(0, 100)});
    one.scale = one_of({0.125F, 0.125F, 1.0F, 0.01F, -0.2F, 0.0F});
    one.softcap = one_of({0.0F, 0.0F, 5.0F, 30.0F});
    one.alibi = between(0, 2) == 0;
    one.alibi_per_batch = between(0, 1) == 1;
    one.packed_q = between(0, 2) == 0;
    one.packed_k = between(0, 2) == 0;
    one.lse = between(0, 3) != 0;
    one.heads_outside = between(0, 1) == 1;
    one.padding = one_of<int64_t>({0, 0, 2, 8, 18});
    one.sinks = between(0, 3) == 0;
    return one;
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
               .type = type,
               .causal = softcap != 0,
               .softcap = softcap});
        if (HasFatalFailure()) return;
        ++kernels;
      }
  EXPECT_GE(kernels, 4);
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

INSTANTIATE_TEST_SUITE_P(On, Attention, testing::Range(0, kGpuCount), gpu_name);

}  // namespace
}  // namespace wavesmith::kernels
