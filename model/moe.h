// A mixture of experts: tokens are sorted by expert into blocks, and two grouped matrix multiplications go
// over the blocks: up and gate with the activation, then down with the weighted sum of each token's experts.
#pragma once

#include <optional>
#include <string_view>

#include "base/result.h"
#include "gpus/gpu.h"
#include "model/number_type.h"
#include "model/prediction.h"

namespace wavesmith::model {

enum class MoeStage : uint8_t { Both, First, Second };

struct MoeProblem {
  double tokens = 0, experts = 0, chosen = 1;  ///< chosen: experts per token
  double model_size = 0, inner_size = 0;       ///< of a token, and between the two multiplications
  bool gated = true;                           ///< up and gate: twice the columns
  NumberType activations = NumberType::BF16, weights = NumberType::BF16;
  uint32_t block_scale = 0;  ///< one scale for so many numbers (32, 128); 0: by tensor or token
  double block = 0;          ///< rows of a sorted block; 0: chosen
  bool one_kernel = false;   ///< both stages in one kernel
  double tile = 0;           ///< columns of the inner size that a workgroup of one kernel takes; 0: chosen
  bool composable_kernel = false;  ///< Composable Kernel's; false: assembly's or FlyDSL's
  MoeStage stage = MoeStage::Both;
};

struct MoePrediction : Prediction {
  double active = 0;  ///< experts that have a token, on average of random choices
  double blocks = 0;  ///< of sorted tokens, padding included
  double block = 0;   ///< rows of one
  double useful = 0;  ///< share of the blocks' rows that are no padding
};

/// Blocks of `block` rows when `tokens` choose `chosen` of `experts` at random: experts x E[ceil(binomial /
/// block)].
double expected_blocks(double tokens, double experts, double chosen, double block);

/// Predicts the time of the matrix kernels; sorting and quantising take kernels of their own before them (see
/// the notes).
Result<MoePrediction> predict_moe(const gpus::Gpu& gpu, const MoeProblem& problem,
                                  const Conditions& conditions = {});

}  // namespace wavesmith::model
