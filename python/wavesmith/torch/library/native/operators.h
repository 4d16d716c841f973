// The operators, as operators.cc names them to PyTorch. Shapes, types and results are those of the schemas
// there and of wavesmith.ops.
#pragma once

#include <string>
#include <tuple>

#include "call.h"

namespace wavesmith::operators {

using Pair = std::tuple<Tensor, Tensor>;
using Triple = std::tuple<Tensor, Tensor, Tensor>;

// gemm.cc
Tensor gemm(const Tensor& a, const Tensor& b, const OptionalTensor& bias, const OptionalTensor& residual,
            const OptionalTensor& scale_a, const OptionalTensor& scale_b, const OptionalTensor& scale_d,
            const OptionalTensor& block_scale_a, const OptionalTensor& block_scale_b,
            const OptionalTensor& zero_point_b, const OptionalTensor& group_offsets, double alpha,
            double beta, const std::string& activation, bool gated, bool bias_per_row, bool groups_along_k,
            OptionalType dtype);

// attention.cc
Pair attention(const Tensor& q, const Tensor& k, const Tensor& v, const OptionalTensor& alibi_slopes,
               const OptionalTensor& sinks, const OptionalTensor& cu_seqlens_q,
               const OptionalTensor& cu_seqlens_k, std::optional<double> softmax_scale, bool causal,
               int64_t window_left, int64_t window_right, double softcap, OptionalInt max_seqlen_q,
               OptionalInt max_seqlen_k);

// paged.cc
Pair paged_attention(const Tensor& q, const Tensor& k_cache, const Tensor& v_cache,
                     const Tensor& context_lengths, const OptionalTensor& block_table,
                     const OptionalTensor& k_scale, const OptionalTensor& v_scale,
                     const OptionalTensor& alibi_slopes, const OptionalTensor& sinks,
                     std::optional<double> softmax_scale, int64_t window_left, double softcap,
                     OptionalInt max_context);
Pair latent_attention(const Tensor& q, const Tensor& latents, const Tensor& context_lengths,
                      const OptionalTensor& block_table, const OptionalTensor& scale,
                      const OptionalTensor& sinks, double softmax_scale, int64_t value_size,
                      int64_t window_left, OptionalInt max_context);
void cache_write(const Tensor& k, const Tensor& v, const Tensor& k_cache, const Tensor& v_cache,
                 const Tensor& slots, const OptionalTensor& k_scale, const OptionalTensor& v_scale);

// norm.cc
Tensor rms_norm(const Tensor& x, const OptionalTensor& weight, const OptionalTensor& bias,
                const OptionalTensor& scale, double epsilon, double weight_offset, OptionalType dtype);
Tensor layer_norm(const Tensor& x, const OptionalTensor& weight, const OptionalTensor& bias,
                  const OptionalTensor& scale, double epsilon, double weight_offset, OptionalType dtype);
Pair add_rms_norm(const Tensor& x, const Tensor& residual, const OptionalTensor& weight,
                  const OptionalTensor& bias, const OptionalTensor& scale, double epsilon,
                  double weight_offset, OptionalType dtype);
Pair add_layer_norm(const Tensor& x, const Tensor& residual, const OptionalTensor& weight,
                    const OptionalTensor& bias, const OptionalTensor& scale, double epsilon,
                    double weight_offset, OptionalType dtype);
Pair rms_norm_quantise(const Tensor& x, const OptionalTensor& weight, const OptionalTensor& bias,
                       double epsilon, double weight_offset, ScalarType dtype, const std::string& scaling,
                       int64_t block);
Pair layer_norm_quantise(const Tensor& x, const OptionalTensor& weight, const OptionalTensor& bias,
                         double epsilon, double weight_offset, ScalarType dtype, const std::string& scaling,
                         int64_t block);
Triple add_rms_norm_quantise(const Tensor& x, const Tensor& residual, const OptionalTensor& weight,
                             const OptionalTensor& bias, double epsilon, double weight_offset,
                             ScalarType dtype, const std::string& scaling, int64_t block);
Triple add_layer_norm_quantise(const Tensor& x, const Tensor& residual, const OptionalTensor& weight,
                               const OptionalTensor& bias, double epsilon, double weight_offset,
                               ScalarType dtype, const std::string& scaling, int64_t block);

// rows.cc
Tensor softmax(const Tensor& x, double scale, bool logarithm, OptionalType dtype);
Tensor rope(const Tensor& x, const Tensor& cosines, const Tensor& sines, const OptionalTensor& positions,
            int64_t first_position, bool interleaved, OptionalType dtype);
Tensor gated(const Tensor& gate, const OptionalTensor& up, const OptionalTensor& scale,
             const std::string& activation, OptionalType dtype);
Pair gated_quantise(const Tensor& gate, const OptionalTensor& up, const std::string& activation,
                    ScalarType dtype, const std::string& scaling, int64_t block);

// quantise.cc
Pair quantise(const Tensor& x, ScalarType dtype, const std::string& scaling, int64_t block);
Tensor quantise_with(const Tensor& x, const OptionalTensor& scale, ScalarType dtype);
Tensor dequantise(const Tensor& q, const OptionalTensor& scales, int64_t block, OptionalInt columns,
                  ScalarType dtype);

// matrices.cc
Tensor elementwise(const Tensor& x, const OptionalTensor& z, const std::string& operation, double alpha,
                   double beta, OptionalType dtype);
Tensor reduce(const Tensor& x, const std::string& reduction, OptionalInt dim, OptionalType dtype);
Tensor transpose(const Tensor& x, OptionalType dtype);
Tensor copy(const Tensor& x, OptionalType dtype);

// gradients.cc
Triple attention_backward(const Tensor& grad_out, const Tensor& out, const Tensor& lse, const Tensor& q,
                          const Tensor& k, const Tensor& v, const OptionalTensor& alibi_slopes,
                          const OptionalTensor& sinks, const OptionalTensor& cu_seqlens_q,
                          const OptionalTensor& cu_seqlens_k, std::optional<double> softmax_scale,
                          bool causal, int64_t window_left, int64_t window_right, double softcap,
                          OptionalInt max_seqlen_q, OptionalInt max_seqlen_k);
Triple norm_backward(const Tensor& grad_out, const Tensor& x, const OptionalTensor& weight,
                     const OptionalTensor& bias, const OptionalTensor& added, double epsilon,
                     double weight_offset, bool centred, OptionalType dtype);
Tensor softmax_backward(const Tensor& grad_out, const Tensor& y, double scale, bool logarithm,
                        OptionalType dtype);
Pair gated_backward(const Tensor& grad_out, const Tensor& gate, const OptionalTensor& up,
                    const std::string& activation);

// sampling.cc
Tensor sample(const Tensor& logits, const Tensor& seeds, const OptionalTensor& offsets,
              const OptionalTensor& temperature, const OptionalTensor& top_k, const OptionalTensor& top_p,
              const OptionalTensor& min_p);
Pair sample_log_probabilities(const Tensor& logits, const Tensor& seeds, const OptionalTensor& offsets,
                              const OptionalTensor& temperature, const OptionalTensor& top_k,
                              const OptionalTensor& top_p, const OptionalTensor& min_p);
Tensor sampling_probabilities(const Tensor& logits, const OptionalTensor& temperature,
                              const OptionalTensor& top_k, const OptionalTensor& top_p,
                              const OptionalTensor& min_p);
Pair verify_drafts(const Tensor& draft_tokens, const Tensor& target_probabilities, const Tensor& seeds,
                   const OptionalTensor& offsets, const OptionalTensor& draft_probabilities,
                   const OptionalTensor& draft_counts, const OptionalTensor& bonus_tokens);
Pair verify_drafts_greedily(const Tensor& draft_tokens, const Tensor& target_tokens,
                            const OptionalTensor& draft_counts, const OptionalTensor& bonus_tokens);

}  // namespace wavesmith::operators
