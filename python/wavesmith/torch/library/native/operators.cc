// The operators under their names, for GPUs of AMD in PyTorch for ROCm and for the device `wavesmith`.
#include "operators.h"

#include <torch/csrc/stable/library.h>

#include "results.h"

namespace wavesmith::operators {
namespace {

using Library = torch::stable::detail::StableLibrary;

// The results of overloads `.out`.
constexpr const char* kOut = "Tensor(a!) out";
constexpr const char* kOutLse = "Tensor(a!) out, Tensor(b!) lse";
constexpr const char* kOutSum = "Tensor(a!) out, Tensor(b!) sum";
constexpr const char* kOutScales = "Tensor(a!) out, Tensor(b!) scales";
constexpr const char* kOutLogs = "Tensor(a!) out, Tensor(b!) log_probabilities";
constexpr const char* kOutAccepted = "Tensor(a!) out, Tensor(b!) accepted";
constexpr const char* kOutSumScales = "Tensor(a!) out, Tensor(b!) sum, Tensor(c!) scales";

// The operator, and its overload `.out`, which writes into tensors that are given.
void define_both(Library& library, const std::string& schema, const std::string& results) {
  const auto name = schema.find('(');
  const auto end = schema.rfind(") -> ");
  const char* const before = schema.find("*, ") == std::string::npos ? ", *, " : ", ";
  library.def(schema.c_str());
  library.def(
      (schema.substr(0, name) + ".out" + schema.substr(name, end - name) + before + results + ") -> ()")
          .c_str());
}

void define(Library& library) {
  define_both(
      library,
      "gemm(Tensor a, Tensor b, Tensor? bias=None, Tensor? residual=None, Tensor? scale_a=None, Tensor? "
      "scale_b=None, Tensor? scale_d=None, Tensor? block_scale_a=None, Tensor? block_scale_b=None, "
      "Tensor? zero_point_b=None, Tensor? group_offsets=None, *, float alpha=1.0, float beta=1.0, str "
      "activation='none', bool gated=False, bool bias_per_row=False, bool groups_along_k=False, ScalarType? "
      "dtype=None) -> Tensor",
      kOut);
  define_both(
      library,
      "attention(Tensor q, Tensor k, Tensor v, Tensor? alibi_slopes=None, Tensor? sinks=None, Tensor? "
      "cu_seqlens_q=None, Tensor? cu_seqlens_k=None, *, float? softmax_scale=None, bool causal=False, "
      "int window_left=-1, int window_right=-1, float softcap=0.0, SymInt? max_seqlen_q=None, SymInt? "
      "max_seqlen_k=None) -> (Tensor, Tensor)",
      kOutLse);
  define_both(
      library,
      "paged_attention(Tensor q, Tensor k_cache, Tensor v_cache, Tensor context_lengths, Tensor? "
      "block_table=None, Tensor? k_scale=None, Tensor? v_scale=None, Tensor? alibi_slopes=None, Tensor? "
      "sinks=None, *, float? softmax_scale=None, int window_left=-1, float softcap=0.0, SymInt? "
      "max_context=None) -> (Tensor, Tensor)",
      kOutLse);
  define_both(
      library,
      "latent_attention(Tensor q, Tensor latents, Tensor context_lengths, Tensor? block_table=None, Tensor? "
      "scale=None, Tensor? sinks=None, *, float softmax_scale, int value_size=512, int window_left=-1, "
      "SymInt? max_context=None) -> (Tensor, Tensor)",
      kOutLse);
  library.def(
      "cache_write(Tensor k, Tensor v, Tensor(a!) k_cache, Tensor(b!) v_cache, Tensor slots, "
      "Tensor(c!)? k_scale=None, Tensor(d!)? v_scale=None) -> ()");
  define_both(library,
              "rms_norm(Tensor x, Tensor? weight=None, Tensor? bias=None, Tensor? scale=None, *, float "
              "epsilon=1e-5, float weight_offset=0.0, ScalarType? dtype=None) -> Tensor",
              kOut);
  define_both(library,
              "layer_norm(Tensor x, Tensor? weight=None, Tensor? bias=None, Tensor? scale=None, *, float "
              "epsilon=1e-5, float weight_offset=0.0, ScalarType? dtype=None) -> Tensor",
              kOut);
  define_both(
      library,
      "add_rms_norm(Tensor x, Tensor residual, Tensor? weight=None, Tensor? bias=None, Tensor? "
      "scale=None, *, float epsilon=1e-5, float weight_offset=0.0, ScalarType? dtype=None) -> (Tensor, "
      "Tensor)",
      kOutSum);
  define_both(
      library,
      "add_layer_norm(Tensor x, Tensor residual, Tensor? weight=None, Tensor? bias=None, Tensor? "
      "scale=None, *, float epsilon=1e-5, float weight_offset=0.0, ScalarType? dtype=None) -> (Tensor, "
      "Tensor)",
      kOutSum);
  define_both(
      library,
      "rms_norm_quantise(Tensor x, Tensor? weight=None, Tensor? bias=None, *, float epsilon=1e-5, float "
      "weight_offset=0.0, ScalarType dtype, str scaling='row', int block=128) -> (Tensor, Tensor)",
      kOutScales);
  define_both(
      library,
      "layer_norm_quantise(Tensor x, Tensor? weight=None, Tensor? bias=None, *, float epsilon=1e-5, "
      "float weight_offset=0.0, ScalarType dtype, str scaling='row', int block=128) -> (Tensor, Tensor)",
      kOutScales);
  define_both(
      library,
      "add_rms_norm_quantise(Tensor x, Tensor residual, Tensor? weight=None, Tensor? bias=None, *, float "
      "epsilon=1e-5, float weight_offset=0.0, ScalarType dtype, str scaling='row', int block=128) -> "
      "(Tensor, Tensor, Tensor)",
      kOutSumScales);
  define_both(
      library,
      "add_layer_norm_quantise(Tensor x, Tensor residual, Tensor? weight=None, Tensor? bias=None, *, "
      "float epsilon=1e-5, float weight_offset=0.0, ScalarType dtype, str scaling='row', int block=128) "
      "-> (Tensor, Tensor, Tensor)",
      kOutSumScales);
  define_both(library,
              "softmax(Tensor x, *, float scale=1.0, bool logarithm=False, ScalarType? dtype=None) -> Tensor",
              kOut);
  define_both(
      library,
      "rope(Tensor x, Tensor cosines, Tensor sines, Tensor? positions=None, *, SymInt first_position=0, "
      "bool interleaved=False, ScalarType? dtype=None) -> Tensor",
      kOut);
  define_both(library,
              "gated(Tensor gate, Tensor? up=None, Tensor? scale=None, *, str activation='silu', ScalarType? "
              "dtype=None) -> Tensor",
              kOut);
  define_both(library,
              "gated_quantise(Tensor gate, Tensor? up=None, *, str activation='silu', ScalarType dtype, str "
              "scaling='row', int block=128) -> (Tensor, Tensor)",
              kOutScales);
  define_both(library,
              "quantise(Tensor x, *, ScalarType dtype, str scaling='row', int block=128) -> (Tensor, Tensor)",
              kOutScales);
  define_both(library, "quantise_with(Tensor x, Tensor? scale=None, *, ScalarType dtype) -> Tensor", kOut);
  define_both(library,
              "dequantise(Tensor q, Tensor? scales=None, *, int block=128, SymInt? columns=None, ScalarType "
              "dtype) -> Tensor",
              kOut);
  define_both(library,
              "elementwise(Tensor x, Tensor? z=None, *, str operation, float alpha=1.0, float beta=1.0, "
              "ScalarType? dtype=None) -> Tensor",
              kOut);
  define_both(library,
              "reduce(Tensor x, *, str reduction='sum', int? dim=-1, ScalarType? dtype=None) -> Tensor",
              kOut);
  define_both(library, "transpose(Tensor x, *, ScalarType? dtype=None) -> Tensor", kOut);
  define_both(library, "copy(Tensor x, *, ScalarType? dtype=None) -> Tensor", kOut);
}

// What the gradients call, where no second gradient is asked for; see _gradients.py.
void define_gradients(Library& library) {
  library.def(
      "_attention_backward(Tensor grad_out, Tensor out, Tensor lse, Tensor q, Tensor k, Tensor v, Tensor? "
      "alibi_slopes=None, Tensor? sinks=None, Tensor? cu_seqlens_q=None, Tensor? cu_seqlens_k=None, *, "
      "float? softmax_scale=None, bool causal=False, int window_left=-1, int window_right=-1, float "
      "softcap=0.0, SymInt? max_seqlen_q=None, SymInt? max_seqlen_k=None) -> (Tensor, Tensor, Tensor)");
  library.def(
      "_norm_backward(Tensor grad_out, Tensor x, Tensor? weight=None, Tensor? bias=None, Tensor? added=None, "
      "*, float epsilon=1e-5, float weight_offset=0.0, bool centred=False, ScalarType? dtype=None) -> "
      "(Tensor, Tensor, Tensor)");
  library.def(
      "_softmax_backward(Tensor grad_out, Tensor y, *, float scale=1.0, bool logarithm=False, ScalarType? "
      "dtype=None) -> Tensor");
  library.def(
      "_gated_backward(Tensor grad_out, Tensor gate, Tensor? up=None, *, str activation='silu') -> (Tensor, "
      "Tensor)");
}

void define_sampling(Library& library) {
  const std::string filters =
      "Tensor? temperature=None, Tensor? top_k=None, Tensor? top_p=None, Tensor? min_p=None";
  const std::string sampled = "(Tensor logits, Tensor seeds, Tensor? offsets=None, " + filters + ") -> ";
  define_both(library, "sample" + sampled + "Tensor", kOut);
  define_both(library, "sample_log_probabilities" + sampled + "(Tensor, Tensor)", kOutLogs);
  define_both(library, "sampling_probabilities(Tensor logits, " + filters + ") -> Tensor", kOut);
  define_both(library,
              "verify_drafts(Tensor draft_tokens, Tensor target_probabilities, Tensor seeds, Tensor? "
              "offsets=None, Tensor? draft_probabilities=None, Tensor? draft_counts=None, Tensor? "
              "bonus_tokens=None) -> (Tensor, Tensor)",
              kOutAccepted);
  define_both(library,
              "verify_drafts_greedily(Tensor draft_tokens, Tensor target_tokens, Tensor? "
              "draft_counts=None, Tensor? bonus_tokens=None) -> (Tensor, Tensor)",
              kOutAccepted);
}

template <auto* function, Result... results>
void implement_both(Library& library, const std::string& name) {
  library.impl(name.c_str(), TORCH_BOX(function));
  library.impl((name + ".out").c_str(), &boxed_into<function, results...>);
}

void implement(Library& library) {
  implement_both<&gemm, Result::Out>(library, "gemm");
  implement_both<&attention, Result::Out, Result::Lse>(library, "attention");
  implement_both<&paged_attention, Result::Out, Result::Lse>(library, "paged_attention");
  implement_both<&latent_attention, Result::Out, Result::Lse>(library, "latent_attention");
  library.impl("cache_write", TORCH_BOX(&cache_write));
  implement_both<&rms_norm, Result::Out>(library, "rms_norm");
  implement_both<&layer_norm, Result::Out>(library, "layer_norm");
  implement_both<&add_rms_norm, Result::Out, Result::Sum>(library, "add_rms_norm");
  implement_both<&add_layer_norm, Result::Out, Result::Sum>(library, "add_layer_norm");
  implement_both<&rms_norm_quantise, Result::Out, Result::Scales>(library, "rms_norm_quantise");
  implement_both<&layer_norm_quantise, Result::Out, Result::Scales>(library, "layer_norm_quantise");
  implement_both<&add_rms_norm_quantise, Result::Out, Result::Sum, Result::Scales>(library,
                                                                                   "add_rms_norm_quantise");
  implement_both<&add_layer_norm_quantise, Result::Out, Result::Sum, Result::Scales>(
      library, "add_layer_norm_quantise");
  implement_both<&softmax, Result::Out>(library, "softmax");
  implement_both<&rope, Result::Out>(library, "rope");
  implement_both<&gated, Result::Out>(library, "gated");
  implement_both<&gated_quantise, Result::Out, Result::Scales>(library, "gated_quantise");
  implement_both<&quantise, Result::Out, Result::Scales>(library, "quantise");
  implement_both<&quantise_with, Result::Out>(library, "quantise_with");
  implement_both<&dequantise, Result::Out>(library, "dequantise");
  implement_both<&elementwise, Result::Out>(library, "elementwise");
  implement_both<&reduce, Result::Out>(library, "reduce");
  implement_both<&transpose, Result::Out>(library, "transpose");
  implement_both<&copy, Result::Out>(library, "copy");
  library.impl("_attention_backward", TORCH_BOX(&attention_backward));
  library.impl("_norm_backward", TORCH_BOX(&norm_backward));
  library.impl("_softmax_backward", TORCH_BOX(&softmax_backward));
  library.impl("_gated_backward", TORCH_BOX(&gated_backward));
  implement_both<&sample, Result::Out>(library, "sample");
  implement_both<&sample_log_probabilities, Result::Out, Result::LogProbabilities>(
      library, "sample_log_probabilities");
  implement_both<&sampling_probabilities, Result::Out>(library, "sampling_probabilities");
  implement_both<&verify_drafts, Result::Out, Result::Accepted>(library, "verify_drafts");
  implement_both<&verify_drafts_greedily, Result::Out, Result::Accepted>(library, "verify_drafts_greedily");
}

STABLE_TORCH_LIBRARY(wavesmith, library) {
  define(library);
  define_gradients(library);
  define_sampling(library);
}
STABLE_TORCH_LIBRARY_IMPL(wavesmith, CUDA, library) { implement(library); }
STABLE_TORCH_LIBRARY_IMPL(wavesmith, PrivateUse1, library) { implement(library); }

}  // namespace
}  // namespace wavesmith::operators
