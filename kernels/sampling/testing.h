// For tests of sampling: arrays on the GPU, and references that sort.
#pragma once

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <limits>
#include <optional>
#include <vector>

#include "kernels/rows/testing.h"
#include "kernels/sampling/weights.h"

namespace wavesmith::kernels {

inline constexpr float kInfinite = std::numeric_limits<float>::infinity();
inline constexpr float kNan = std::numeric_limits<float>::quiet_NaN();

/// Numbers of any type, on the host and the GPU; without any, null.
template <class T>
class Array {
 public:
  explicit Array(const std::vector<T>& numbers) : bytes_(WAVESMITH_KERNELS_I8, numbers.size() * sizeof(T)) {
    if (numbers.empty()) return;
    std::memcpy(bytes_.bytes.data(), numbers.data(), bytes_.bytes.size());
    memory_.emplace(bytes_);
  }
  [[nodiscard]] T* data() const { return memory_ ? static_cast<T*>(memory_->data()) : nullptr; }
  [[nodiscard]] std::vector<T> read() {
    std::vector<T> numbers(bytes_.bytes.size() / sizeof(T));
    if (numbers.empty()) return numbers;
    memory_->copy_to(bytes_);
    std::memcpy(numbers.data(), bytes_.bytes.data(), bytes_.bytes.size());
    return numbers;
  }

 private:
  Elements bytes_;
  std::optional<OnGpu> memory_;
};

/// The first token up to which weights are more than so much of all; -1 if all are 0.
inline int drawn(const std::vector<uint64_t>& weights, uint32_t low, uint32_t high) {
  unsigned __int128 all = 0;
  for (const uint64_t weight : weights) all += weight;
  if (all == 0) return -1;
  uint64_t rest = static_cast<uint64_t>(all * (static_cast<uint64_t>(high) << 32 | low) >> 64);
  for (size_t j = 0; j < weights.size(); ++j) {
    if (rest < weights[j]) return static_cast<int>(j);
    rest -= weights[j];
  }
  ADD_FAILURE() << "nothing is drawn";
  return -1;
}

struct SampleParameters {
  float temperature = 1;
  int32_t top_k = 0;
  float top_p = 1, min_p = 0;
  uint64_t seed = 0;
  int64_t offset = 0;
};

/// What a row's sample is to be.
struct SampledRow {
  std::vector<float> x;
  float largest = -kInfinite;
  bool is_valid = true;
  std::vector<uint64_t> kept;  ///< weights; of a greedy row the token's alone
  int token = -1;

  SampledRow(const HostRows& logits, int64_t row, const SampleParameters& given) {
    for (int64_t j = 0; j < logits.columns; ++j) x.push_back(static_cast<float>(logits.get(row, j)));
    for (const float one : x) is_valid = is_valid && !std::isnan(one);
    if (is_valid) largest = *std::max_element(x.begin(), x.end());
    is_valid = is_valid && largest > -kInfinite && given.temperature >= 0 && given.top_p >= 0 &&
               given.min_p >= 0 && given.min_p <= 1;
    kept.assign(x.size(), 0);
    if (!is_valid) return;
    if (given.temperature < 1e-5F) {
      token = static_cast<int>(std::max_element(x.begin(), x.end()) - x.begin());
      kept[static_cast<size_t>(token)] = 1;
      return;
    }
    filter(given);
    const PhiloxBlock block = philox(given.seed, static_cast<uint64_t>(given.offset), 0);
    token = drawn(kept, block.words[0], block.words[1]);
  }

  /// The logarithm of a token's probability among all, without temperature.
  [[nodiscard]] double log_probability(int of) const {
    double sum = 0;
    for (const float one : x)
      sum += one == largest ? 1 : std::exp(static_cast<double>(one) - static_cast<double>(largest));
    const double at = x[static_cast<size_t>(of)], most = largest;
    return (at == most ? 0 : at - most) - std::log(sum);
  }

 private:
  void filter(const SampleParameters& given) {
    const float scale = scale_of(given.temperature);
    std::vector<size_t> order;
    for (size_t j = 0; j < x.size(); ++j) {
      kept[j] = weight_of(x[j], largest, scale);
      if (static_cast<double>(kept[j]) < std::ceil(given.min_p * 0x1p40)) kept[j] = 0;
      if (kept[j] > 0) order.push_back(j);
    }
    std::sort(order.begin(), order.end(), [&](size_t a, size_t b) { return x[a] > x[b]; });
    size_t count = order.size();
    if (given.top_k > 0 && count > static_cast<size_t>(given.top_k))
      count = with_equals(order, static_cast<size_t>(given.top_k));
    if (given.top_p < 1) {
      uint64_t all = 0, above = 0;
      for (size_t i = 0; i < count; ++i) all += kept[order[i]];
      size_t some = 0;
      while (some == 0 || static_cast<double>(above) <
                              std::ceil(static_cast<double>(given.top_p) * static_cast<double>(all)))
        above += kept[order[some++]];
      count = with_equals(order, some);
    }
    for (size_t i = count; i < order.size(); ++i) kept[order[i]] = 0;
  }
  /// How many there are if equals of the last one stay.
  [[nodiscard]] size_t with_equals(const std::vector<size_t>& order, size_t count) const {
    while (count < order.size() && x[order[count]] == x[order[count - 1]]) ++count;
    return count;
  }
};

}  // namespace wavesmith::kernels
