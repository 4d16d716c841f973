// All-reduce over the links of a node among the published kernels.
#include "model/library/collectives.h"

#include "validate/families/family.h"
#include "validate/families/published.h"

namespace wavesmith::validate {
namespace {

std::optional<PredictedRow> ask(const PublishedRow& row, const gpus::Gpu& gpu, std::string& why) {
  const auto bytes = number_in(row.shape, "bytes");
  auto ranks = number_in(row.shape, "ranks");
  if (!ranks) ranks = number_in(row.shape, "TP");
  if (!bytes || !ranks) {
    why = "no bytes or ranks in the shape";
    return std::nullopt;
  }
  const Result<model::Prediction> got = model::predict_collective(
      gpu, {.ranks = *ranks,
            .bytes = *bytes,
            .kernel = row.library.find("quick") != row.library.npos ? model::CollectiveKernel::TwoShot
                                                                    : model::CollectiveKernel::Auto,
            .flagged = row.library.find("RCCL") != row.library.npos});
  if (!got) return PredictedRow{tl::unexpected(got.error())};
  PredictedRow predicted{*got};
  predicted.bytes = *bytes * 2 * (*ranks - 1) / *ranks;  // bus bandwidth
  predicted.method_seconds = method_of(row);
  return predicted;
}

}  // namespace

Result<FamilyReport> judge_collectives(Data& data) {
  return judge_published(
      data, {.name = "collectives",
             .summary = "collectives_median",
             .method = "All-reduce in one node, from the buffer's bytes and the number of GPUs.",
             .takes = [](const PublishedRow& row) { return row.op == "all_reduce"; },
             .ask = ask,
             .doubts = {"Both rows of 8 MI355X are one problem, 768 KiB, which vLLM's two-step kernel "
                        "took in 16.0 us and AITER's in 9.6: one prediction for both is wrong by 20 % "
                        "on average at best. What tells the kernels apart beside the number of their "
                        "workgroups, we do not know.",
                        "RCCL out of a graph took 16 us for 8 and 16 bytes on 8 MI300X and 6.4 for 32 "
                        "to 512: the first launches of its table were not warm, we think."},
             .constants = {"collective.", "link."}});
}

}  // namespace wavesmith::validate
