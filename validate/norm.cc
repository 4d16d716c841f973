// Normalisation and softmax among the published kernels.
#include "model/norm.h"

#include <fmt/format.h>

#include <algorithm>

#include "model/elementwise.h"
#include "validate/family.h"
#include "validate/published.h"

namespace wavesmith::validate {
namespace {

using model::NumberType;
using model::RowOperation;

NumberType type_of(std::string_view dtype) {
  const std::vector<double> bytes = type_bytes(dtype);
  return !bytes.empty() && bytes.front() == 2 ? NumberType::BF16 : NumberType::F32;
}

std::optional<Asked> ask(const PublishedRow& row, const gpus::Gpu& gpu, std::string& why) {
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
  double passes = 1;  // kernels one after the other that each go over the data
  if (const auto rows = number_in(row.shape, "rowsxcols")) {
    problem.rows = *rows;
    problem.columns = 0;
    const size_t x = row.shape.rfind('x');
    problem.columns = number<double>(row.shape.substr(x + 1)).value_or(0);
    conditions.cold = false;
    // FlyDSL's tests (tests/kernels/benchmark_common.py) divide the time between two events by the launches
    // between them, all on the same buffers.
    if (row.source.find("FlyDSL") != row.source.npos)
      conditions.timing = model::Conditions::Timing::BackToBack;
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
    // Eager PyTorch: dropout, addition and normalisation go over the data one by one; compiled, in two
    // kernels.
    passes = library("eager") ? 3.1 : library("compile") ? 1.5 : 1;
    problem.tuned = true;
  } else if (const auto m = number_in(row.shape, "M"), n = number_in(row.shape, "N"); m && n) {
    problem.rows = *m, problem.columns = *n;
  } else if (const auto b = number_in(row.shape, "B"), h = number_in(row.shape, "H"); b && h) {
    problem.rows = *b, problem.columns = *h;
    if (library("SoftMaxForwardSmem")) problem.kernel = model::RowKernel::BlockInLds;
    if (library("cunn_SoftMaxForward<")) problem.kernel = model::RowKernel::ThreePasses;
  } else {
    return std::nullopt;
  }
  Result<model::Prediction> got = model::predict_rows(gpu, problem, conditions);
  if (got && row.shape.find("dims=") != row.shape.npos) {
    // In a model's run half of the data are in the caches, as for element-wise kernels.
    const Result<model::Prediction> cold = model::predict_rows(gpu, problem, {.cold = true});
    if (cold) got->seconds = (got->seconds + cold->seconds) / 2;
  }
  if (!got) return Asked{tl::unexpected(got.error())};
  Asked asked{*got};
  asked.prediction->seconds *= passes;
  asked.bytes = got->bytes;
  asked.elements = problem.rows * problem.columns;
  asked.method_seconds = method_of(row);
  return asked;
}

}  // namespace

Result<FamilyReport> judge_norm(Data& data) {
  return judge_published(
      data,
      {
          .name = "norm",
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
          .doubts = {"FlyDSL's softmax backward on MI350-class chips: loops of tiny kernels (32x128) take "
                     "5.5 us a launch of FlyDSL and 10.7 of PyTorch's two kernels, which is Python's "
                     "launching, no property of the GPU; 8192x4096 moves 7.0 TB/s, so that the "
                     "Infinity Cache must keep what is written too, which MI300X's does not.", "HipKittens' dropout, addition and layer norm on an MI355X moves 3.9 to 4.3 TB/s "
                     "of four arrays where FlyDSL's softmax backward moves 5.7 of three and a state "
                     "updated in place 6.0: the model says 5.2, a quarter less time than measured, "
                     "and knows no reason."},
          .constants = {"rows.", "kernel.", "stream."}
  });
}

}  // namespace wavesmith::validate
