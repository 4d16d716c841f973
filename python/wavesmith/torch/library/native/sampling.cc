#include <wavesmith_sampling.h>

#include <optional>

#include "operators.h"

namespace wavesmith::operators {
namespace {

template <class T>
T* row_vector(const Call& call, const char* name, const OptionalTensor& tensor, const Shape& shape,
              ScalarType type) {
  return tensor ? static_cast<T*>(call.vector(name, *tensor, shape, type)) : nullptr;
}

// Filters of rows of logits.
struct Sampled {
  Shape rows;
  wavesmith_sample_description description;
};

Sampled sampled(const Call& call, const Tensor& logits, const OptionalTensor& temperature,
                const OptionalTensor& top_k, const OptionalTensor& top_p, const OptionalTensor& min_p) {
  const Rows on = call.rows("logits", logits);
  Sampled result{shape_of(logits), {}};
  result.rows.pop_back();
  auto& d = result.description;
  d.rows = on.rows;
  d.vocabulary = on.columns;
  d.logits = on.described;
  d.temperatures = row_vector<float>(call, "temperature", temperature, result.rows, ScalarType::Float);
  d.top_k = row_vector<int32_t>(call, "top_k", top_k, result.rows, ScalarType::Int);
  d.top_p = row_vector<float>(call, "top_p", top_p, result.rows, ScalarType::Float);
  d.min_p = row_vector<float>(call, "min_p", min_p, result.rows, ScalarType::Float);
  return result;
}

Tensor sampled_tokens(const Call& call, Sampled& from, const Tensor& seeds, const OptionalTensor& offsets) {
  auto& d = from.description;
  d.seeds = static_cast<const uint64_t*>(call.vector("seeds", seeds, from.rows, ScalarType::Long));
  d.offsets = row_vector<int64_t>(call, "offsets", offsets, from.rows, ScalarType::Long);
  const Tensor tokens = call.result(Result::Out, from.rows, ScalarType::Int);
  d.tokens = static_cast<int32_t*>(data_of(tokens));
  return tokens;
}

// With memory by which workgroups share rows, where these are few.
void launch(const Call& call, wavesmith_sample_description& sample) {
  call.done(wavesmith_kernels_sample_workspace(&sample, &sample.workspace_bytes));
  std::optional<Tensor> workspace;
  if (sample.workspace_bytes > 0) {
    workspace = call.workspace(sample.workspace_bytes);
    sample.workspace = data_of(*workspace);
  }
  call.done(wavesmith_kernels_sample(&sample, call.stream()));
}

// A batch of drafts: what both ways of verification have.
struct Verified {
  Tensor tokens, accepted;
  wavesmith_verify_description description;
};

Verified verified(const Call& call, const Tensor& draft_tokens, const OptionalTensor& draft_counts,
                  const OptionalTensor& bonus_tokens) {
  call.has_dimensions("draft_tokens", draft_tokens, 2, "(batch, drafts)");
  const int64_t batch = draft_tokens.size(0), drafts = draft_tokens.size(1);
  wavesmith_verify_description d{};
  d.batch = batch;
  d.drafts = drafts;
  d.draft_tokens = static_cast<const int32_t*>(
      call.vector("draft_tokens", draft_tokens, {batch, drafts}, ScalarType::Int));
  d.counts = row_vector<int32_t>(call, "draft_counts", draft_counts, {batch}, ScalarType::Int);
  d.bonus = row_vector<int32_t>(call, "bonus_tokens", bonus_tokens, {batch}, ScalarType::Int);
  return {call.result(Result::Out, {batch, drafts + 1}, ScalarType::Int),
          call.result(Result::Accepted, {batch}, ScalarType::Int), d};
}

Pair done(const Call& call, Verified& from) {
  from.description.tokens = static_cast<int32_t*>(data_of(from.tokens));
  from.description.accepted = static_cast<int32_t*>(data_of(from.accepted));
  call.done(wavesmith_kernels_verify(&from.description, call.stream()));
  return {from.tokens, from.accepted};
}

}  // namespace

Tensor sample(const Tensor& logits, const Tensor& seeds, const OptionalTensor& offsets,
              const OptionalTensor& temperature, const OptionalTensor& top_k, const OptionalTensor& top_p,
              const OptionalTensor& min_p) {
  const Call call("sample", logits);
  Sampled from = sampled(call, logits, temperature, top_k, top_p, min_p);
  const Tensor tokens = sampled_tokens(call, from, seeds, offsets);
  launch(call, from.description);
  return tokens;
}

Pair sample_log_probabilities(const Tensor& logits, const Tensor& seeds, const OptionalTensor& offsets,
                              const OptionalTensor& temperature, const OptionalTensor& top_k,
                              const OptionalTensor& top_p, const OptionalTensor& min_p) {
  const Call call("sample_log_probabilities", logits);
  Sampled from = sampled(call, logits, temperature, top_k, top_p, min_p);
  const Tensor tokens = sampled_tokens(call, from, seeds, offsets);
  const Tensor logs = call.result(Result::LogProbabilities, from.rows, ScalarType::Float);
  from.description.log_probabilities = static_cast<float*>(data_of(logs));
  launch(call, from.description);
  return {tokens, logs};
}

Tensor sampling_probabilities(const Tensor& logits, const OptionalTensor& temperature,
                              const OptionalTensor& top_k, const OptionalTensor& top_p,
                              const OptionalTensor& min_p) {
  const Call call("sampling_probabilities", logits);
  Sampled from = sampled(call, logits, temperature, top_k, top_p, min_p);
  const Tensor probabilities = call.result(Result::Out, shape_of(logits), ScalarType::Float);
  from.description.probabilities = call.rows("out", probabilities).described;
  launch(call, from.description);
  return probabilities;
}

Pair verify_drafts(const Tensor& draft_tokens, const Tensor& target_probabilities, const Tensor& seeds,
                   const OptionalTensor& offsets, const OptionalTensor& draft_probabilities,
                   const OptionalTensor& draft_counts, const OptionalTensor& bonus_tokens) {
  const Call call("verify_drafts", draft_tokens);
  Verified from = verified(call, draft_tokens, draft_counts, bonus_tokens);
  auto& d = from.description;
  call.has_dimensions("target_probabilities", target_probabilities, 3, "(batch, drafts + 1, vocabulary)");
  d.vocabulary = target_probabilities.size(2);
  call.has_type("target_probabilities", target_probabilities, ScalarType::Float);
  call.has_shape("target_probabilities", target_probabilities, {d.batch, d.drafts + 1, d.vocabulary});
  d.target = call.rows("target_probabilities", target_probabilities).described;
  if (draft_probabilities) {
    call.has_type("draft_probabilities", *draft_probabilities, ScalarType::Float);
    call.has_shape("draft_probabilities", *draft_probabilities, {d.batch, d.drafts, d.vocabulary});
    d.draft = call.rows("draft_probabilities", *draft_probabilities).described;
  }
  d.seeds = static_cast<const uint64_t*>(call.vector("seeds", seeds, {d.batch}, ScalarType::Long));
  d.offsets = row_vector<int64_t>(call, "offsets", offsets, {d.batch}, ScalarType::Long);
  return done(call, from);
}

Pair verify_drafts_greedily(const Tensor& draft_tokens, const Tensor& target_tokens,
                            const OptionalTensor& draft_counts, const OptionalTensor& bonus_tokens) {
  const Call call("verify_drafts_greedily", draft_tokens);
  Verified from = verified(call, draft_tokens, draft_counts, bonus_tokens);
  auto& d = from.description;
  d.target_tokens = static_cast<const int32_t*>(
      call.vector("target_tokens", target_tokens, {d.batch, d.drafts + 1}, ScalarType::Int));
  return done(call, from);
}

}  // namespace wavesmith::operators
