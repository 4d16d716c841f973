// All-reduce over the links of a node among the published kernels.
#include "model/collectives.h"

#include "validate/family.h"
#include "validate/published.h"

namespace wavesmith::validate {
namespace {

std::optional<Asked> ask(const PublishedRow& row, const gpus::Gpu& gpu, std::string& why) {
  const auto bytes = number_in(row.shape, "bytes");
  auto ranks = number_in(row.shape, "ranks");
  if (!ranks) ranks = number_in(row.shape, "TP");
  if (!bytes || !ranks) {
    why = "no bytes or ranks in the shape";
    return std::nullopt;
  }
  const Result<model::Prediction> got = model::predict_collective(gpu, {.ranks = *ranks, .bytes = *bytes});
  if (!got) return Asked{tl::unexpected(got.error())};
  Asked asked{*got};
  asked.bytes = *bytes * 2 * (*ranks - 1) / *ranks;  // bus bandwidth
  asked.method_seconds = method_of(row);
  return asked;
}

}  // namespace

Result<FamilyReport> judge_collectives(Data& data) {
  return judge_published(
      data, {
                .name = "collectives",
                .summary = "collectives_median",
                .method = "All-reduce in one node, from the buffer's bytes and the number of GPUs.",
                .takes = [](const PublishedRow& row) { return row.op == "all_reduce"; },
                .ask = ask,
                .constants = {"collective.", "link."}
  });
}

}  // namespace wavesmith::validate
