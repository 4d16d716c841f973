// Convolutions among the published kernels: PyTorch's on MIOpen, with the transposes that channels-first
// images need.
#include "model/convolution.h"

#include <algorithm>

#include "validate/families/family.h"
#include "validate/families/published.h"

namespace wavesmith::validate {
namespace {

std::optional<PredictedRow> ask(const PublishedRow& row, const gpus::Gpu& gpu, std::string& why) {
  const std::vector<double> input = tuple_behind(row.shape, "'input_shape'"),
                            filter = tuple_behind(row.shape, "'filter_shape'"),
                            stride = tuple_behind(row.shape, "'stride'"),
                            padding = tuple_behind(row.shape, "'padding'");
  if (input.size() < 4 || filter.size() != input.size() || stride.empty() || padding.empty()) {
    why = "no input or filter in the shape";
    return std::nullopt;
  }
  const bool deep = input.size() == 5;
  const size_t from = deep ? 3 : 2;
  model::ConvolutionProblem problem{.batch = input[0],
                                    .channels = input[1],
                                    .filters = filter[0],
                                    .depth = deep ? input[2] : 1,
                                    .height = input[from],
                                    .width = input[from + 1],
                                    .filter_depth = deep ? filter[2] : 1,
                                    .filter_height = filter[from],
                                    .filter_width = filter[from + 1],
                                    .stride = stride.back(),
                                    .padding = padding.back(),
                                    .groups = number_in(row.shape, "groups").value_or(1),
                                    .depth_stride = deep ? stride.front() : 1,
                                    .depth_padding = deep ? padding.front() : 0};
  const std::vector<double> bytes = type_bytes(row.dtype);
  if (!bytes.empty() && bytes.front() == 4) problem.type = model::NumberType::F32;
  problem.channels_last = row.library.find("transpose") == row.library.npos;
  problem.helpers = static_cast<double>(std::count(row.library.begin(), row.library.end(), '+'));
  problem.backward = row.op == "CONV_bwd";
  const Result<model::Prediction> got = model::predict_convolution(gpu, problem);
  if (!got) return PredictedRow{tl::unexpected(got.error())};
  PredictedRow predicted{*got};
  predicted.flops = got->flops;
  return predicted;
}

}  // namespace

Result<FamilyReport> judge_convolution(Data& data) {
  return judge_published(
      data, {.name = "convolution",
             .summary = "convolution_median",
             .method = "PyTorch's convolutions as matrix multiplications with the transposes that the "
                       "kernels' names show.",
             .takes = [](const PublishedRow& row) { return row.op == "CONV_fwd" || row.op == "CONV_bwd"; },
             .ask = ask,
             .constants = {"convolution."}});
}

}  // namespace wavesmith::validate
