// For tests of routers: what a token's experts and weights are, in double precision.
#pragma once

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "kernels/rows/testing.h"
#include "kernels/wavesmith_router.h"

namespace wavesmith::kernels {

inline constexpr double kInfinite = std::numeric_limits<double>::infinity();
inline constexpr double kNan = std::numeric_limits<double>::quiet_NaN();

/// What kind of weights.
struct ScoreKind {
  wavesmith_router_scores scores = WAVESMITH_ROUTER_SOFTMAX;
  bool renormalised = true;
  float factor = 1;

  [[nodiscard]] bool is_softmax() const { return scores == WAVESMITH_ROUTER_SOFTMAX; }
};

/// Which may be chosen.
struct GroupKind {
  int64_t groups = 0, groups_kept = 0;
  wavesmith_router_worth worth = WAVESMITH_ROUTER_LARGEST;
};

/// A number that may be off by so much.
struct Uncertain {
  double value = 0, error = 0;
};
/// Whether one is less, NaN being the largest.
inline bool is_less(double a, double b) { return std::isnan(b) ? !std::isnan(a) : a < b; }
inline bool is_surely_less(const Uncertain& a, const Uncertain& b) {
  if (!std::isfinite(a.value) || !std::isfinite(b.value)) return is_less(a.value, b.value);
  return a.value + a.error + b.error < b.value;
}

/// The places of numbers in descending order, of equal ones in that of places.
inline std::vector<size_t> descending(const std::vector<Uncertain>& numbers) {
  std::vector<size_t> order(numbers.size());
  for (size_t i = 0; i < order.size(); ++i) order[i] = i;
  std::sort(order.begin(), order.end(), [&](size_t a, size_t b) {
    if (is_less(numbers[b].value, numbers[a].value)) return true;
    return !is_less(numbers[a].value, numbers[b].value) && a < b;
  });
  return order;
}

/// A token's logits and their scores.
struct ScoredToken {
  std::vector<double> x, scores;
  double most = -kInfinite;
  bool is_softmax;

  ScoredToken(const HostRows& logits, int64_t row, bool is_softmax_) : is_softmax(is_softmax_) {
    for (int64_t j = 0; j < logits.columns; ++j) x.push_back(logits.get(row, j));
    for (const double one : x) most = std::fmax(most, one);
    double sum = 0;
    for (const double one : x) sum += std::exp(one - most);
    for (const double one : x)
      scores.push_back(is_softmax ? std::exp(one - most) / sum : 1 / (1 + std::exp(-one)));
  }
  /// The distance of a logit to one that is larger, as errors grow with it.
  [[nodiscard]] double distance(size_t expert, double larger) const {
    return is_softmax && std::isfinite(x[expert]) && std::isfinite(larger) ? larger - x[expert] : 0;
  }
  [[nodiscard]] static double relative(double distance) { return 0x1p-18 + 0x1p-21 * distance; }
};

/// What is chosen for a token.
struct RoutedToken : ScoredToken {
  std::vector<Uncertain> values, worths;  ///< by which experts and groups are compared
  int64_t groups = 1, groups_kept = 1;

  RoutedToken(const HostRows& logits, int64_t row, const ScoreKind& kind, const GroupKind& grouping,
              const std::vector<float>& bias)
      : ScoredToken(logits, row, kind.is_softmax()) {
    std::vector<Uncertain> by_score;
    for (size_t j = 0; j < x.size(); ++j) {
      const double added = bias.empty() ? 0 : static_cast<double>(bias[j]);
      by_score.push_back({scores[j] + added, relative(distance(j, most)) * scores[j] + 0x1p-126 +
                                                 0x1p-24 * (scores[j] + std::abs(added))});
      values.push_back(bias.empty() ? Uncertain{x[j], 0} : by_score[j]);
    }
    if (grouping.groups <= 1) return;
    groups = grouping.groups, groups_kept = grouping.groups_kept;
    const bool is_sum = grouping.worth == WAVESMITH_ROUTER_TWO_LARGEST;
    const auto& compared = is_sum ? by_score : values;
    const size_t in_group = x.size() / static_cast<size_t>(groups);
    for (auto first = compared.begin(); first != compared.end(); first += static_cast<long>(in_group)) {
      const std::vector<Uncertain> all(first, first + static_cast<long>(in_group));
      const std::vector<size_t> order = descending(all);
      Uncertain worth = all[order[0]];
      if (is_sum && in_group > 1) {
        const Uncertain& second = all[order[1]];
        worth = {worth.value + second.value, worth.error + second.error};
        worth.error += 0x1p-24 * std::abs(worth.value);
      }
      worths.push_back(worth);
    }
  }

  [[nodiscard]] size_t group_of(size_t expert) const {
    return expert * static_cast<size_t>(groups) / x.size();
  }
  /// The experts, if nothing is rounded.
  [[nodiscard]] std::vector<int> chosen(int64_t count) const {
    std::vector<bool> kept(static_cast<size_t>(groups), groups == 1);
    if (groups > 1) {
      const std::vector<size_t> order = descending(worths);
      for (size_t i = 0; i < static_cast<size_t>(groups_kept); ++i) kept[order[i]] = true;
    }
    std::vector<int> made;
    for (const size_t expert : descending(values))
      if (kept[group_of(expert)] && std::ssize(made) < count) made.push_back(static_cast<int>(expert));
    return made;
  }
  /// Whether these could be chosen with what is rounded: no group and no expert was passed over that is
  /// surely better.
  [[nodiscard]] bool may_be(const std::vector<int>& ids) const {
    std::vector<bool> has_part(static_cast<size_t>(groups), groups == 1);
    for (const int id : ids) has_part[group_of(static_cast<size_t>(id))] = true;
    for (size_t group = 0; group < worths.size(); ++group) {
      int64_t better = 0, perhaps_better = 0;
      for (size_t other = 0; other < worths.size(); ++other) {
        if (is_surely_less(worths[group], worths[other])) ++better;
        if (other != group && !is_surely_less(worths[other], worths[group])) ++perhaps_better;
      }
      if (has_part[group] && better >= groups_kept) return false;
      if (perhaps_better < groups_kept) has_part[group] = true;
    }
    std::vector<bool> taken(x.size(), false);
    for (const int id : ids) {
      const auto expert = static_cast<size_t>(id);
      for (size_t other = 0; other < x.size(); ++other)
        if (!taken[other] && has_part[group_of(other)] && is_surely_less(values[expert], values[other]))
          return false;
      taken[expert] = true;
    }
    return true;
  }
};

/// Changes a row of logits to one that is hard.
class HardRows : public RowsOnEachGpu {
 protected:
  void make_hard(HostRows& x, int64_t row) {
    const int64_t kind = between(0, 10), only = between(0, x.columns - 1);
    for (int64_t j = 0; j < x.columns; ++j) {
      const double before = x.get(row, j);
      if (kind == 0) x.set(row, j, std::rint(before));  // equals
      if (kind == 1) x.set(row, j, 0.5);
      if (kind == 2 && between(0, 2) > 0) x.set(row, j, -kInfinite);
      if (kind == 3 && between(0, 9) == 0) x.set(row, j, kNan);
      if (kind == 4) x.set(row, j, between(0, 1) == 0 ? -0.0 : 0.0);
      if (kind == 5) x.set(row, j, before * tiny_of(x.elements.type) * 8);  // subnormal
      if (kind == 6) x.set(row, j, -kInfinite);
      if (kind == 7) x.set(row, j, before * 50);
    }
    if (kind == 8) x.set(row, only, kInfinite);
    if (kind == 9) x.set(row, only, kNan);
  }
};

}  // namespace wavesmith::kernels
