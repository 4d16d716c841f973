// For tests of attention's gradients: what double precision says of them, and how far a result may be from
// it.
#pragma once

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "kernels/attention/problem_testing.h"

namespace wavesmith::kernels {

/// Of each element of a tensor of heads the sum, and what the error may be before the sum is rounded.
struct ExpectedHeads {
  std::vector<double> value, error, magnitude;  ///< magnitude: the sum of the products' magnitudes
  std::vector<double> products;                 ///< that are summed
  explicit ExpectedHeads(const HostHeads& like)
      : value(like.elements.count(), 0), error(value), magnitude(value), products(value) {}
  /// `weight`, within `error_of_weight`, times `element`.
  void add(size_t at, double weight, double error_of_weight, double element) {
    value[at] += weight * element;
    error[at] += error_of_weight * std::abs(element);
    magnitude[at] += std::abs(weight * element);
    products[at] += 1;
  }
  [[nodiscard]] double bound(size_t at, double scale, Type type) const {
    return std::abs(scale) * (error[at] + (products[at] + 8) * 0x1p-24 * magnitude[at]) +
           epsilon_of(type) * std::abs(scale * value[at]) + tiny_of(type);
  }
};

/// The gradients, by the formulas and with the bounds of wavesmith_attention.h.
class ExpectedGradients {
 public:
  ExpectedHeads dq, dk, dv;

  /// `element`: the tensors' elements as matrix products take them; of d_o and o also as they are.
  template <class AsOperand>
  ExpectedGradients(const AttentionProblem& made, const HostHeads& d_o, bool on_cdna2, AsOperand as_operand)
      : dq(made.q), dk(made.k), dv(made.v), made_(made), d_o_(d_o), on_cdna2_(on_cdna2) {
    const auto operand = [&](const HostHeads& heads) {
      std::vector<double> all = numbers(heads.elements);
      for (double& number : all) number = as_operand(number);
      return all;
    };
    q_ = operand(made.q), k_ = operand(made.k), v_ = operand(made.v), as_operand_ = operand(d_o);
    o_ = numbers(made.o.elements), plain_ = numbers(d_o.elements);
    for (int64_t batch = 0; batch < made.one.batches; ++batch)
      for (int64_t head = 0; head < made.one.heads_q; ++head)
        for (int64_t i = 0; i < made.sequence_q(batch).second; ++i) add_row(batch, head, i);
  }

 private:
  const AttentionProblem& made_;
  const HostHeads& d_o_;
  bool on_cdna2_;
  std::vector<double> q_, k_, v_, as_operand_, o_, plain_;

  void add_row(int64_t batch, int64_t head, int64_t i) {
    const AttentionCase& one = made_.one;
    const auto [first_q, length_q] = made_.sequence_q(batch);
    const auto [first_k, length_k] = made_.sequence_k(batch);
    const int64_t batch_q = one.packed_q ? 0 : batch, batch_k = one.packed_k ? 0 : batch;
    const int64_t head_kv = head / (one.heads_q / one.heads_kv), at = i + length_k - length_q;
    const auto size = static_cast<size_t>(one.head_size), size_v = static_cast<size_t>(one.size_v());
    const size_t row = made_.q.at(batch_q, first_q + i, head, 0),
                 of_d_o = d_o_.at(batch_q, first_q + i, head, 0),
                 of_o = made_.o.at(batch_q, first_q + i, head, 0);
    double delta = 0, delta_magnitude = 0;
    for (size_t d = 0; d < size_v; ++d)
      delta += plain_[of_d_o + d] * o_[of_o + d],
          delta_magnitude += std::abs(plain_[of_d_o + d] * o_[of_o + d]);
    const double lse =
        made_.lse.get(static_cast<size_t>((batch_q * one.heads_q + head) * made_.rows_q() + first_q + i));
    const double slope =
        one.alibi ? made_.slopes[static_cast<size_t>((one.alibi_per_batch ? batch * one.heads_q : 0) + head)]
                  : 0;
    const int64_t right = one.causal ? 0 : one.right;
    const int64_t begin = one.left < 0 ? 0 : std::max<int64_t>(0, at - one.left);
    const int64_t end = right < 0 ? length_k : std::min(length_k, at + right + 1);
    const double unit = epsilon_of(one.type), f16 = one.type == WAVESMITH_KERNELS_F16;
    const double least_weight = !f16        ? 0x1p-118
                                : on_cdna2_ ? 0x1p-27
                                            : 0x1p-37,
                 least_gradient = !f16        ? 0x1p-118
                                  : on_cdna2_ ? 0x1p-14
                                              : 0x1p-25;
    const double rounding = (static_cast<double>(size) + 8) * 0x1p-24,
                 rounding_v = (static_cast<double>(size_v) + 8) * 0x1p-24;
    const std::vector<double> factors = dropout_factors(one, batch, head, i, length_k);
    for (int64_t j = begin; j < end; ++j) {
      const size_t key = made_.k.at(batch_k, first_k + j, head_kv, 0),
                   value = made_.v.at(batch_k, first_k + j, head_kv, 0);
      double score = 0, magnitude = 0, gradient = 0, gradient_magnitude = 0;
      for (size_t d = 0; d < size; ++d) {
        score += q_[row + d] * k_[key + d], magnitude += std::abs(q_[row + d] * k_[key + d]);
      }
      for (size_t d = 0; d < size_v; ++d) {
        gradient += as_operand_[of_d_o + d] * v_[value + d];
        gradient_magnitude += std::abs(as_operand_[of_d_o + d] * v_[value + d]);
      }
      const double factor = factors[static_cast<size_t>(j)];
      gradient *= factor, gradient_magnitude *= factor;
      score *= one.scale;
      const double part = one.softcap != 0 ? std::tanh(score / one.softcap) : 0;
      if (one.softcap != 0) score = one.softcap * part;
      const double bias = slope * static_cast<double>(std::abs(at - j));
      score -= bias;
      const double error = rounding * std::abs(one.scale) * magnitude +
                           0x1p-20 * (1 + std::abs(score) + one.softcap) + 0x1p-22 * bias;
      const double of_weight = 2 * (error + 0x1p-21 * (1 + std::abs(lse)));
      const double weight = std::exp(score - lse), grown = 1 - part * part;
      const double of_score = weight * (gradient - delta) * grown;
      double of_score_error = (unit + of_weight) * std::abs(of_score) +
                              weight * rounding_v * (gradient_magnitude + delta_magnitude) + least_gradient;
      if (one.softcap != 0)
        of_score_error += (0x1p-19 + 2 * error / one.softcap) * weight * std::abs(gradient - delta);
      for (size_t d = 0; d < size_v; ++d)
        dv.add(value + d, factor * weight, factor * ((unit + of_weight) * weight + least_weight),
               as_operand_[of_d_o + d]);
      for (size_t d = 0; d < size; ++d) {
        dq.add(row + d, of_score, of_score_error, k_[key + d]);
        dk.add(key + d, of_score, of_score_error, q_[row + d]);
      }
    }
  }
};

}  // namespace wavesmith::kernels
