// For tests of decode on a GPU of each target: results against double precision.
#pragma once

#include <algorithm>
#include <limits>
#include <numeric>

#include "kernels/attention/result_testing.h"
#include "kernels/decode/configuration.h"
#include "kernels/decode/testing.h"

namespace wavesmith::kernels {

inline constexpr double kInfinity = std::numeric_limits<double>::infinity();

/// Runs problems and compares what comes of them.
class DecodeOnEachGpu : public OnEachGpu {
 protected:
  void check(const DecodeCase& one) {
    DecodeProblem made(one, random_);
    check(made);
  }

  /// Runs it and compares o and lse, padding included, with the bound of wavesmith_attention.h.
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

  /// The same of contexts that are split, twice: sums do not depend on what was in the workspace.
  void check_split(const DecodeCase& one) {
    DecodeProblem made(one, random_);
    check(made);
    if (HasFatalFailure()) return;
    EXPECT_GT(made.workspace_bytes, 0U);
    const Elements first = made.o.elements;
    made.run();
    EXPECT_EQ(made.o.elements.bytes, first.bytes);
  }

  /// The rows of the table for this GPU's target, of latent attention or of the others.
  static std::vector<DecodeConfiguration> configurations(bool latent) {
    std::vector<DecodeConfiguration> rows;
    for (const DecodeConfiguration& row : decode_configurations())
      if (row.target == kTargets[GetParam()] && row.has_latents() == latent) rows.push_back(row);
    return rows;
  }
  static Type e4m3() {
    return configurations(false)[0].has_cache_of("e4m3fnuz") ? WAVESMITH_KERNELS_E4M3_FNUZ
                                                             : WAVESMITH_KERNELS_E4M3;
  }
  static bool has_e4m3() { return configurations(false)[0].has_cache_of(word_of(e4m3())); }
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
    const double slope = made.slope(batch, head);
    const double* const row = &q[made.q.at(batch, i, head, 0)];
    const int64_t begin = one.left < 0 ? 0 : std::max<int64_t>(0, position - one.left);
    std::vector<double> weights;
    double greatest = -kInfinity, error = 0;
    bool nan = false;
    for (int64_t j = begin; j <= position; ++j) {
      const double* const key = &k[made.key(made.k, batch, j, head_kv)];
      const double scale = static_cast<double>(one.scale) * made.k_scale(batch, j, head_kv);
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
    const auto size_v = static_cast<size_t>(one.size_v());
    std::vector<double> expected(size_v, 0), magnitude(size_v, 0), values(size_v, 0);
    for (int64_t j = begin; j <= position && !none; ++j) {
      const double* const value = &v[made.key(made.v, batch, j, head_kv)];
      const double weight = weights[static_cast<size_t>(j - begin)] / sum;
      const double scale_v = made.v_scale(batch, j, head_kv);
      for (size_t d = 0; d < size_v; ++d) {
        const double number = as_operand(value[d], one.type) * scale_v;
        expected[d] += weight * number, magnitude[d] += weight * std::abs(number),
            values[d] += std::abs(number);
      }
    }
    const std::string where = one.text() + " [" + std::to_string(batch) + "][" + std::to_string(i) + "][" +
                              std::to_string(head) + "] of context " + std::to_string(length);
    for (size_t d = 0; d < size_v; ++d) {
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

}  // namespace wavesmith::kernels
