// Mixtures of experts among the published kernels: AITER's tuned fused_moe, by stage.
#include "model/moe.h"

#include <fmt/format.h>

#include <algorithm>

#include "validate/families/family.h"
#include "validate/families/published.h"

namespace wavesmith::validate {
namespace {

using model::NumberType;

NumberType type_in(std::string_view dtype, std::string_view name) {
  const size_t at = dtype.find(name);
  const std::string_view type = at == dtype.npos ? std::string_view() : dtype.substr(at + name.size());
  if (type.starts_with("float8") || type.starts_with("fp8")) return NumberType::F8;
  if (type.starts_with("float4") || type.starts_with("int4")) return NumberType::F4;
  if (type.starts_with("int8")) return NumberType::I8;
  return NumberType::BF16;
}

std::optional<PredictedRow> ask(const PublishedRow& row, const gpus::Gpu& gpu, std::string& why) {
  const auto tokens = number_in(row.shape, "tokens"), experts = number_in(row.shape, "E");
  const auto topk = number_in(row.shape, "topk"), model_size = number_in(row.shape, "model_dim");
  const auto inner = number_in(row.shape, "inter_dim");
  if (!tokens || !experts || !topk || !model_size || !inner) {
    why = "the shape does not say tokens, experts and sizes";
    return std::nullopt;
  }
  model::MoeProblem problem{.tokens = *tokens,
                            .experts = *experts,
                            .chosen = *topk,
                            .model_size = *model_size,
                            .inner_size = *inner};
  // Two files hold times of one token count for several: AITER's get_padded_M of that version makes 16 of 1
  // to 16 and 1,024 of more than that, and the rows of such tokens are equal to the last digit.
  const bool padded =
      row.source.ends_with("configs/tuned_fmoe.csv") ||
      (row.source.ends_with("a8w8_blockscale_tuned_fmoe_ds_v3.csv") && !row.gpu.starts_with("MI300X"));
  const double block = number_in(row.shape, "block_m").value_or(0);
  const bool small_too = row.source.ends_with("configs/tuned_fmoe.csv") || block > 16;
  if (padded) problem.tokens = std::clamp(problem.tokens, small_too ? 16.0 : 1.0, 1024.0);
  problem.gated = number_in(row.shape, "g1u1").value_or(1) == 1;
  if (row.dtype.find("a=") != row.dtype.npos) {
    problem.activations = type_in(row.dtype, "a=");
    problem.weights = type_in(row.dtype, "w=");
  } else {
    problem.activations = problem.weights = row.dtype.starts_with("fp8") ? NumberType::F8 : NumberType::BF16;
  }
  if (row.dtype.find("per_1x32") != row.dtype.npos) problem.block_scale = 32;
  if (row.dtype.find("per_1x128") != row.dtype.npos || row.dtype.find("128x128") != row.dtype.npos)
    problem.block_scale = 128;
  problem.block = std::max(0.0, number_in(row.shape, "block_m").value_or(0));
  if (problem.block == 0 && number_in(row.shape, "block_m")) problem.block = 32;
  problem.one_kernel = number_in(row.shape, "run_1stage").value_or(0) == 1;
  // AITER's fmoe is one kernel, whose name ends with its rows and columns: "..._32x256E".
  if (row.library == "AITER fmoe (origin)") problem.one_kernel = true;
  if (const size_t x = row.library.rfind('x'); problem.one_kernel && x != row.library.npos)
    problem.tile = number<double>(row.library.substr(x + 1, row.library.find('E', x) - x - 1)).value_or(0);
  problem.composable_kernel = row.library.find("ck2stages") != row.library.npos;
  if (row.op == "fused_moe_stage1") problem.stage = model::MoeStage::First;
  if (row.op == "fused_moe_stage2") problem.stage = model::MoeStage::Second;
  Result<model::MoePrediction> got = model::predict_moe(gpu, problem);
  if (!got) return PredictedRow{tl::unexpected(got.error())};
  // Faster than the matrix instructions allow at the peak clock: no measurement of this problem.
  const NumberType wider =
      bits_of(problem.activations) >= bits_of(problem.weights) ? problem.activations : problem.weights;
  const double peak =
      static_cast<double>(matrix_flops(gpu, wider)) * gpu.compute_units * gpu.engine_mhz * 1e6;
  if (row.unit == "us" && peak > 0 && got->flops / (row.value * 1e-6) > peak) {
    why = "the time is shorter than the matrix instructions' peak allows";
    return std::nullopt;
  }
  PredictedRow predicted{model::Prediction(*got)};
  predicted.method_seconds = method_of(row);
  predicted.flops = got->flops;
  predicted.bytes = got->bytes;
  return predicted;
}

}  // namespace

Result<FamilyReport> judge_moe(Data& data) {
  FamilyReport report;
  Result<FamilyReport> got = judge_published(
      data,
      {.name = "moe",
       .summary = "moe_median",
       .method =
           "AITER's tuned mixtures of experts, both stages and each, from tokens, experts, sizes, "
           "types and the "
           "rows of a block. Rows of two files are predicted with the token count they were measured with.",
       .takes =
           [](const PublishedRow& row) {
             return row.op.starts_with("fused_moe") || row.op == "MoE_unfused" || row.op.starts_with("moe_");
           },
       .ask = ask,
       .doubts =
           {"The source of the rows 'gfx942 80CU likely' does not name its GPU; its fmoe is AITER's one "
            "kernel, and "
            "its test times the sorting with it. From 1,024 tokens on they take 0.75 to 0.85 of what is "
            "predicted and reach half of an MI308X's peak, which none of AITER's tables for that chip does."},
       .constants = {"moe."}});
  if (got)
    got->notes.emplace_back(
        "tuned_fmoe.csv and a8w8_blockscale_tuned_fmoe_ds_v3.csv repeat one time for 1 to 16 tokens and for "
        "1,024 and "
        "more (AITER's get_padded_M when they were made); they are predicted with 16 and 1,024");
  return got;
}

}  // namespace wavesmith::validate
