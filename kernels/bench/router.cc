// Times the router of a mixture of experts, and its gradient.
#include <cstdint>
#include <random>

#include "kernels/bench/bench.h"
#include "kernels/wavesmith_router.h"

namespace wavesmith::kernels::bench {
namespace {

/// Logits that are normally distributed, in the first half of so many bytes where the type has 2.
wavesmith_kernels_rows logits_of(int64_t tokens, int64_t experts, wavesmith_kernels_type type) {
  std::mt19937 random(1);
  std::normal_distribution<float> normal;
  const auto count = static_cast<size_t>(tokens * experts);
  if (type == WAVESMITH_KERNELS_F32) {
    std::vector<float> logits(count);
    for (float& each : logits) each = normal(random);
    return {on_gpu(logits), type, experts};
  }
  std::vector<uint16_t> logits(count);
  for (uint16_t& each : logits) {
    const float x = normal(random);
    each = type == WAVESMITH_KERNELS_F16 ? __builtin_bit_cast(uint16_t, static_cast<_Float16>(x))
                                         : static_cast<uint16_t>(__builtin_bit_cast(uint32_t, x) >> 16);
  }
  return {on_gpu(logits), type, experts};
}

/// What the words say for both: tokens, experts, chosen, scores and the type.
template <class Description>
Description described(const Words& words) {
  static constexpr const char* kScores[] = {"softmax", "sigmoid"};
  Description d{};
  d.tokens = number(words, 0), d.experts = number(words, 1), d.chosen = number(words, 2, 8);
  d.scores = static_cast<wavesmith_router_scores>(index_of(word(words, 3, "softmax"), kScores, "score"));
  d.renormalised = 1, d.factor = 1;
  d.logits = logits_of(d.tokens, d.experts, type_of(word(words, 4, "f32")));
  return d;
}

/// What both move: logits once, and a weight and an id of each of the chosen.
template <class Description>
int64_t bytes_of(const Description& d) {
  return d.tokens * (d.experts * size_of(d.logits.type) + d.chosen * 8);
}

}  // namespace

/// The experts of tokens: sigmoids have a bias, and groups are worth the sum of their two largest, as in
/// DeepSeek-V3.
int router(const Words& words) {
  auto d = described<wavesmith_router_description>(words);
  if (d.scores == WAVESMITH_ROUTER_SIGMOID) d.bias = static_cast<const float*>(memory(d.experts * 4));
  d.groups = number(words, 5), d.groups_kept = number(words, 6, d.groups);
  d.worth = WAVESMITH_ROUTER_TWO_LARGEST;
  d.weights = static_cast<float*>(memory(d.tokens * d.chosen * 4));
  d.ids = static_cast<int32_t*>(memory(d.tokens * d.chosen * 4));
  const float best = milliseconds_of([&] { return wavesmith_kernels_router(&d, nullptr); });
  return report("router", d.tokens, d.experts, best, bytes_of(d));
}

/// The gradient where the first experts were chosen.
int router_backward(const Words& words) {
  auto d = described<wavesmith_router_backward_description>(words);
  std::vector<int32_t> ids;
  for (int64_t i = 0; i < d.tokens * d.chosen; ++i) ids.push_back(static_cast<int32_t>(i % d.chosen));
  d.ids = on_gpu(ids);
  d.dweights = static_cast<const float*>(memory(d.tokens * d.chosen * 4));
  const int64_t bytes = size_of(d.logits.type);
  d.dlogits = {memory(d.tokens * d.experts * bytes), d.logits.type, d.experts};
  const float best = milliseconds_of([&] { return wavesmith_kernels_router_backward(&d, nullptr); });
  return report("router_backward", d.tokens, d.experts, best, bytes_of(d) + d.tokens * d.experts * bytes);
}

}  // namespace wavesmith::kernels::bench
