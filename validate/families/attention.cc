// Attention among the published kernels: AITER's, HipKittens', Composable Kernel's, Triton's and PyTorch's,
// forward and backward, paged decoding, multi-head latent attention.
#include "model/attention.h"

#include <fmt/format.h>

#include "validate/families/family.h"
#include "validate/families/published.h"

namespace wavesmith::validate {
namespace {

using model::AttentionKernel;
using model::NumberType;

AttentionKernel kernel_of(const PublishedRow& row) {
  const auto has = [&](std::string_view part) { return row.library.find(part) != row.library.npos; };
  if (has("HipKittens")) return AttentionKernel::HipKittens;
  if (has("opus")) return AttentionKernel::Opus;
  if (has("CK")) return AttentionKernel::CompositeKernel;
  if (has("TileLang")) return AttentionKernel::TileLang;
  if (has("triton") || has("Triton") || has("attn_fwd")) return AttentionKernel::Triton;
  if (has("torch") || has("scaled_dot_product")) return AttentionKernel::Torch;
  return AttentionKernel::Aiter;
}

std::optional<double> first_of(std::string_view shape, std::initializer_list<std::string_view> names) {
  for (const std::string_view name : names)
    if (const std::optional<double> value = number_in(shape, name)) return value;
  return std::nullopt;
}

/// "b8_h32_s2048_d128_causal"
std::optional<double> joined(std::string_view shape, char letter) {
  for (size_t i = 0; i < shape.size(); ++i)
    if (shape[i] == letter && (i == 0 || shape[i - 1] == '_'))
      if (i + 1 < shape.size() && shape[i + 1] >= '0' && shape[i + 1] <= '9')
        return number<double>(
            shape.substr(i + 1, shape.find('_', i) == shape.npos ? shape.npos : shape.find('_', i) - i - 1));
  return std::nullopt;
}

std::optional<PredictedRow> ask_full(const PublishedRow& row, const gpus::Gpu& gpu, std::string& why) {
  const bool short_form = row.shape.starts_with("b") && row.shape.find("_h") != row.shape.npos;
  const auto size = [&](char letter, std::initializer_list<std::string_view> names) {
    return short_form ? joined(row.shape, letter) : first_of(row.shape, names);
  };
  const auto heads = size('h', {"HQ", "H_Q", "H"}), queries = size('s', {"SQ", "N_Q", "N", "S"});
  const auto head = size('d', {"d_h_qk", "D"});
  if (!heads || !queries || !head) {
    why = "no heads, length or head size in the shape";
    return std::nullopt;
  }
  model::AttentionProblem problem;
  problem.batch = size('b', {"B"}).value_or(1);
  problem.heads = *heads;
  problem.kv_heads = short_form ? *heads : first_of(row.shape, {"HK", "H_KV"}).value_or(*heads);
  problem.queries = *queries;
  problem.keys = short_form ? *queries : first_of(row.shape, {"SK", "N_KV"}).value_or(*queries);
  problem.head_size = *head;
  problem.value_size = short_form ? *head : first_of(row.shape, {"d_h_v"}).value_or(*head);
  const auto says = [&](std::string_view part) { return row.shape.find(part) != row.shape.npos; };
  problem.causal = says("causal=1") || says("'causal':True") ||
                   (says("causal") && !says("non_causal") && !says("causal=") && !says("'causal'"));
  problem.backward = row.op.starts_with("attention_bwd");
  problem.kernel = kernel_of(row);
  // HipKittens and the atomic16 rows sum dQ in 16 bits.
  problem.atomic_f32 =
      row.op.find("atomic16") == row.op.npos && problem.kernel != AttentionKernel::HipKittens;
  if (row.dtype.find("fp8") != row.dtype.npos && row.dtype.find("|") == row.dtype.npos)
    problem.type = NumberType::F8;
  Result<model::AttentionPrediction> got = model::predict_attention(gpu, problem);
  if (!got) return PredictedRow{tl::unexpected(got.error())};
  PredictedRow predicted{model::Prediction(*got)};
  predicted.flops = model::attention_flops(problem);
  return predicted;
}

std::optional<PredictedRow> ask_decode(const PublishedRow& row, const gpus::Gpu& gpu, std::string& why) {
  const auto batch = first_of(row.shape, {"batch", "B", "b"}), context = number_in(row.shape, "ctx");
  if (!batch || !context) {
    why = "no batch or context in the shape";
    return std::nullopt;
  }
  model::DecodeProblem problem;
  problem.batch = *batch, problem.context = *context;
  problem.splits = number_in(row.shape, "splits").value_or(0);
  if (row.op.starts_with("mla")) {
    problem.latent = true;
    problem.sums = row.op.find("no reduce") == row.op.npos;
    problem.tuned = row.library.find("gluon") != row.library.npos;
    problem.kv_heads = 1, problem.head_size = 576, problem.value_size = 512;
    problem.heads = number_in(row.shape, "H").value_or(128);
    problem.queries = number_in(row.shape, "mtp").value_or(1);
    if (row.dtype.starts_with("fp8")) problem.type = NumberType::F8;
  } else {
    // The source says grouped-query attention and no more: 64 heads of Q, 8 of K and V, of 128, is assumed.
    problem.heads = 64, problem.kv_heads = 8;
    problem.tuned = row.library.find("TLX") != row.library.npos;
  }
  Result<model::AttentionPrediction> got = model::predict_decode(gpu, problem, {.cold = false});
  if (!got) return PredictedRow{tl::unexpected(got.error())};
  PredictedRow predicted{model::Prediction(*got)};
  predicted.flops = got->flops;
  predicted.bytes = got->bytes;
  predicted.model = "decode";
  return predicted;
}

}  // namespace

Result<FamilyReport> judge_attention(Data& data) {
  return judge_published(
      data,
      {.name = "attention",
       .summary = "attention_median",
       .method = "Softmax attention, forward, backward, decoding, from its shape and the name of the "
                 "library. Rates count "
                 "half of the FLOP when causal, as each of these sources does (their own times and rates "
                 "agree with that).",
       .takes =
           [](const PublishedRow& row) {
             return row.op.starts_with("attention_") || row.op == "SDPA_fwd" ||
                    row.op.starts_with("mla_decode") || row.op.starts_with("paged_attention");
           },
       .ask = [](const PublishedRow& row, const gpus::Gpu& gpu,
                 std::string& why) -> std::optional<PredictedRow> {
         std::optional<PredictedRow> predicted = row.op.starts_with("mla") || row.op.starts_with("paged")
                                                     ? ask_decode(row, gpu, why)
                                                     : ask_full(row, gpu, why);
         if (predicted) predicted->method_seconds = method_of(row);
         return predicted;
       },
       .doubts = {"RX 9070 XT: no row of its attention was there to fit anything on, and no clock under "
                  "matrix load was published. Attention is given the share of the matrix instructions "
                  "that PyTorch's multiplications reach there (half A), and no cost of moving P from "
                  "results to operands."},
       .constants = {"attention.", "decode."}});
}

}  // namespace wavesmith::validate
