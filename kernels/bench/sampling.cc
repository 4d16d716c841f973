// Times the end of a step of serving: the next token of rows of logits, and the verification of drafts.
#include <cmath>
#include <cstdint>
#include <random>

#include "kernels/bench/bench.h"
#include "kernels/wavesmith_sampling.h"

namespace wavesmith::kernels::bench {
namespace {

template <class T>
const T* in_each(int64_t rows, T value) {
  return on_gpu(std::vector<T>(static_cast<size_t>(rows), value));
}

std::vector<uint64_t> seeds_of(int64_t rows) {
  std::vector<uint64_t> seeds;
  for (int64_t i = 0; i < rows; ++i) seeds.push_back(static_cast<uint64_t>(i));
  return seeds;
}

}  // namespace

/// The next token of each row of logits, which are normally distributed with a deviation of 3.
int sample(const Words& words) {
  const int64_t rows = number(words, 0), vocabulary = number(words, 1);
  static constexpr const char* kFilters[] = {"plain", "greedy", "topk", "topp", "both"};
  const int filter = index_of(word(words, 2, "plain"), kFilters, "filter");
  constexpr float kTemperature = 0.7F, kTopP = 0.95F, kDeviation = 3;
  constexpr int32_t kTopK = 50;
  std::mt19937_64 random(1);
  std::normal_distribution<float> logit(0, kDeviation);
  std::vector<float> logits(static_cast<size_t>(rows * vocabulary));
  for (float& each : logits) each = logit(random);
  wavesmith_sample_description d{};
  d.rows = rows, d.vocabulary = vocabulary;
  d.logits = {on_gpu(logits), WAVESMITH_KERNELS_F32, vocabulary};
  d.temperatures = in_each(rows, filter == 1 ? 0 : kTemperature);
  if (filter == 2 || filter == 4) d.top_k = in_each(rows, kTopK);
  if (filter == 3 || filter == 4) d.top_p = in_each(rows, kTopP);
  d.seeds = on_gpu(seeds_of(rows));
  d.tokens = static_cast<int32_t*>(memory(rows * 4));
  wavesmith_kernels_sample_workspace(&d, &d.workspace_bytes);
  d.workspace = memory(static_cast<int64_t>(d.workspace_bytes));
  const float best = milliseconds_of([&] { return wavesmith_kernels_sample(&d, nullptr); });
  return report("sample", rows, vocabulary, best, rows * vocabulary * 4);
}

/// Drafts that were certain, against a model's probabilities: alike for all tokens, so that most are refused.
int verify(const Words& words) {
  const int64_t batch = number(words, 0), vocabulary = number(words, 1), drafts = number(words, 2, 4);
  const int64_t rows = batch * (drafts + 1);
  wavesmith_verify_description d{};
  d.batch = batch, d.drafts = drafts, d.vocabulary = vocabulary;
  d.draft_tokens = static_cast<const int32_t*>(memory(batch * drafts * 4));
  d.target = {
      on_gpu(std::vector<float>(static_cast<size_t>(rows * vocabulary), 1 / static_cast<float>(vocabulary))),
      WAVESMITH_KERNELS_F32, vocabulary};
  d.seeds = on_gpu(seeds_of(batch));
  d.tokens = static_cast<int32_t*>(memory(rows * 4));
  const float best = milliseconds_of([&] { return wavesmith_kernels_verify(&d, nullptr); });
  return report("verify", batch, vocabulary, best, batch * vocabulary * 4);
}

}  // namespace wavesmith::kernels::bench
