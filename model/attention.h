// The time of attention in closed form: softmax(Q K^T) V forward and backward, decoding one token a sequence
// against a cache (paged or not, split along the context), and multi-head latent attention (MLA).
#pragma once

#include <optional>
#include <string_view>

#include "base/result.h"
#include "gpus/gpu.h"
#include "model/number_type.h"
#include "model/prediction.h"

namespace wavesmith::model {

/// The library of the kernel, which decides how well matrix and vector instructions overlap.
enum class AttentionKernel : uint8_t { Aiter, HipKittens, Opus, CompositeKernel, Triton, Torch, TileLang };
std::optional<AttentionKernel> attention_kernel(std::string_view name);
std::string_view name_of(AttentionKernel kernel);

struct AttentionProblem {
  double batch = 1, heads = 1, kv_heads = 1;
  double queries = 0, keys = 0;  ///< tokens of a sequence
  double head_size = 128;        ///< of Q and K
  double value_size = 128;       ///< of V
  bool causal = false;
  bool backward = false;
  bool atomic_f32 = false;  ///< backward: dQ is summed up in f32 by atomics; false: in 16 bits
  NumberType type = NumberType::BF16;
  AttentionKernel kernel = AttentionKernel::Aiter;
};

struct AttentionPrediction : Prediction {
  double tile = 0;        ///< rows of a workgroup's tile
  double workgroups = 0;  ///< in all
  double rounds = 0;      ///< of workgroups over the compute units
};

/// FLOP as publications count them: 4 times queries x keys x head size (10 times backward), half when causal.
double attention_flops(const AttentionProblem& problem);

Result<AttentionPrediction> predict_attention(const gpus::Gpu& gpu, const AttentionProblem& problem,
                                              const Conditions& conditions = {});

struct DecodeProblem {
  double batch = 1, heads = 64, kv_heads = 8;
  double context = 0;       ///< tokens in the cache of each sequence
  double queries = 1;       ///< new tokens per sequence
  double head_size = 128;   ///< of a K row; MLA: latent and rotary part, 576
  double value_size = 128;  ///< of a V row; MLA: the latent part, 512, which stands in the K row
  bool latent = false;      ///< MLA: all heads share one cache row, and V is part of K
  double page = 16;         ///< tokens per page of the cache
  double splits = 0;        ///< parts of the context; 0: chosen
  bool sums = true;         ///< a second kernel adds the parts
  NumberType type = NumberType::BF16;
  bool tuned =
      true;  ///< split along the context until the GPU is full; false: a workgroup per sequence and KV head
};

/// facts as in AttentionPrediction; `workgroups` counts the splits.
Result<AttentionPrediction> predict_decode(const gpus::Gpu& gpu, const DecodeProblem& problem,
                                           const Conditions& conditions = {});

/// A recurrent state instead of a cache (gated delta rule): each step reads and writes batch x heads x key x
/// value.
struct RecurrentProblem {
  double batch = 1, heads = 1, key_heads = 1, key_size = 128, value_size = 128;
  double tokens = 1;  ///< steps per sequence
  NumberType type = NumberType::BF16, state = NumberType::F32;
};
Result<Prediction> predict_recurrent(const gpus::Gpu& gpu, const RecurrentProblem& problem,
                                     const Conditions& conditions = {});

}  // namespace wavesmith::model
