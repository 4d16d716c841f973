// Normalisation and softmax among the published kernels.
#include "model/norm.h"

#include <fmt/format.h>

#include <algorithm>

#include "model/constants.h"
#include "model/elementwise.h"
#include "model/traffic.h"
#include "validate/families/family.h"
#include "validate/families/published.h"

namespace wavesmith::validate {
namespace {

using model::NumberType;
using model::RowOperation;

NumberType type_of(std::string_view dtype) {
  const std::vector<double> bytes = type_bytes(dtype);
  return !bytes.empty() && bytes.front() == 2 ? NumberType::BF16 : NumberType::F32;
}

using model::Conditions;

/// HipKittens' loops (analysis/layernorm) wait for each launch. Eager PyTorch passes over the data four
/// times: dropout with its mask, addition, the conversion to the weights' f32, layer norm in f32.
Result<model::Prediction> dropout_and_norm(const gpus::Gpu& gpu, model::RowProblem problem, bool eager,
                                           bool compiled) {
  const Conditions waited{.cold = false, .timing = Conditions::Timing::Events};
  const double start = model::kernel_seconds(gpu, waited.timing);
  if (!eager) {
    Result<model::Prediction> got = model::predict_rows(gpu, problem, waited);
    // Compiled, the result is f32 and the mask is kept: 11 bytes instead of 8.
    if (got && compiled) got->seconds = start + (got->seconds - start) * 11 / 8;
    return got;
  }
  const double n = problem.rows * problem.columns;
  problem.residual = false;
  problem.type = NumberType::F32;
  Result<model::Prediction> sum = model::predict_rows(gpu, problem, waited);
  for (const model::ElementwiseProblem& part :
       {model::ElementwiseProblem{.elements = n, .read = 2 * n, .written = 3 * n},
        model::elementwise(n, 2, NumberType::BF16, model::ElementwiseFunction::Add),
        model::ElementwiseProblem{.elements = n, .read = 2 * n, .written = 4 * n}}) {
    const Result<model::Prediction> got = model::predict_elementwise(gpu, part, waited);
    if (!sum || !got) return got;
    sum->seconds += got->seconds - model::constant::kEventsSeconds;
  }
  return sum;
}

std::optional<PredictedRow> ask(const PublishedRow& row, const gpus::Gpu& gpu, std::string& why) {
  const auto library = [&](std::string_view part) { return row.library.find(part) != row.library.npos; };
  model::RowProblem problem;
  problem.type = type_of(row.dtype);
  problem.backward = row.op.ends_with("bwd");
  problem.tuned = !library("aten::") && !library("PyTorch|") && row.library != "PyTorch" &&
                  row.library != "aten" && !library("PyTorch eager") && !library("torch.compile");
  if (library("MIOpen") || library("miopen")) problem.tuned = true;
  problem.operation = row.op.find("softmax") != row.op.npos           ? RowOperation::Softmax
                      : row.op == "RMSNorm" || library("rms")         ? RowOperation::RmsNorm
                      : library("group")                              ? RowOperation::GroupNorm
                      : library("batch_norm") || library("BatchNorm") ? RowOperation::BatchNorm
                                                                      : RowOperation::LayerNorm;
  model::Conditions conditions;
  bool dropout = false;
  if (const auto rows = number_in(row.shape, "rowsxcols")) {
    problem.rows = *rows;
    problem.columns = 0;
    const size_t x = row.shape.rfind('x');
    problem.columns = number<double>(row.shape.substr(x + 1)).value_or(0);
    conditions.cold = false;
    // FlyDSL's tests (tests/kernels/benchmark_common.py) divide the time between two events by the launches
    // between them, all on the same buffers.
    // The forward one waits for each launch (tests/kernels/test_softmax.py).
    if (row.source.find("FlyDSL") != row.source.npos)
      conditions.timing = problem.backward ? Conditions::Timing::BackToBack : Conditions::Timing::Events;
  } else if (row.shape.find("dims=") != row.shape.npos) {
    conditions.cold = false;  // the model before has just written them
    const auto tuples = tuples_in(row.shape);
    if (tuples.empty()) return std::nullopt;
    const std::vector<double>& first = tuples.front();
    const double all = product(first);
    if (problem.operation == RowOperation::GroupNorm) {
      // PyTorch's convention: 32 groups where nothing else is said (a diffusion model's).
      problem.rows = first[0] * std::min(32.0, first.size() > 1 ? first[1] : 1.0);
    } else if (problem.operation == RowOperation::BatchNorm) {
      problem.rows = first.size() > 1 ? first[1] : 1;
    } else {
      double normalised = first.back();
      if (tuples.size() > 1 && tuples[1].size() > 1 && product(tuples[1]) < all)
        normalised = product(tuples[1]);
      problem.rows = all / normalised;
    }
    problem.columns = all / problem.rows;
    problem.residual = library("add_rmsnorm") && tuples.size() > 3;
    if (row.unit != "us") {
      why = "a rate whose bytes the source does not say";
      return std::nullopt;
    }
  } else if (row.op.starts_with("fused dropout")) {
    const auto b = number_in(row.shape, "B"), n = number_in(row.shape, "N"), d = number_in(row.shape, "D");
    if (!b || !n || !d) return std::nullopt;
    problem.rows = *b * *n, problem.columns = *d, problem.residual = true;
    problem.tuned = dropout = true;
  } else if (const auto m = number_in(row.shape, "M"), n = number_in(row.shape, "N"); m && n) {
    problem.rows = *m, problem.columns = *n;
  } else if (const auto b = number_in(row.shape, "B"), h = number_in(row.shape, "H"); b && h) {
    problem.rows = *b, problem.columns = *h;
    if (library("SoftMaxForwardSmem")) problem.kernel = model::RowKernel::BlockInLds;
    if (library("cunn_SoftMaxForward<")) problem.kernel = model::RowKernel::ThreePasses;
  } else {
    return std::nullopt;
  }
  Result<model::Prediction> got = dropout
                                      ? dropout_and_norm(gpu, problem, library("eager"), library("compile"))
                                      : model::predict_rows(gpu, problem, conditions);
  if (got && row.shape.find("dims=") != row.shape.npos) {
    // In a model's run half of the data are in the caches, as for element-wise kernels.
    const Result<model::Prediction> cold = model::predict_rows(gpu, problem, {.cold = true});
    if (cold) got->seconds = (got->seconds + cold->seconds) / 2;
  }
  if (!got) return PredictedRow{tl::unexpected(got.error())};
  PredictedRow predicted{*got};
  predicted.bytes = dropout ? problem.rows * problem.columns * 8 : got->bytes;  // as the source counts them
  predicted.elements = problem.rows * problem.columns;
  predicted.method_seconds = method_of(row);
  // PyTorch's backward softmax is two kernels (model/norm.cc).
  predicted.least_seconds = least_of(row) * (problem.backward && !problem.tuned ? 2 : 1);
  return predicted;
}

}  // namespace

Result<FamilyReport> judge_norm(Data& data) {
  return judge_published(
      data,
      {.name = "norm",
       .summary = "norm_median",
       .method = "Layer, RMS, group and batch normalisation and softmax, from rows, columns, type "
                 "and whose kernel "
                 "it is. What a source's profiler adds is a number of the source.",
       .takes =
           [](const PublishedRow& row) {
             return row.op == "ln" || row.op.starts_with("NORM_") || row.op == "RMSNorm" ||
                    row.op.starts_with("layernorm") || row.op.starts_with("softmax") ||
                    row.op.starts_with("fused dropout");
           },
       .ask = ask,
       .doubts = {"Softmax backward of 8192x4096 on MI350-class chips moves 7.0 TB/s, so that the "
                  "Infinity Cache must keep what is written too, which MI300X's does not; PyTorch's two "
                  "kernels took it in 0.7 times what is predicted."},
       .constants = {"rows.", "kernel.", "stream."}});
}

}  // namespace wavesmith::validate
