#include "model/norm.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "model/constants.h"
#include "model/elementwise.h"
#include "model/judged.h"
#include "model/traffic.h"

namespace wavesmith::model {
namespace {

constexpr std::pair<std::string_view, RowOperation> kOperations[] = {
    {"layer", RowOperation::LayerNorm}, {"rms", RowOperation::RmsNorm},
    {"group", RowOperation::GroupNorm}, {"batch", RowOperation::BatchNorm},
    {"softmax", RowOperation::Softmax},
};

struct Shape {
  double threads = 256;            ///< of a row's workgroup
  double start = 0, per_trip = 0;  ///< clocks of a row, and of each element that a thread of it takes
  double reads = 1;                ///< passes over the data at the memory
};

Shape shape_of(RowKernel kernel, const RowProblem& problem, const gpus::Gpu& gpu) {
  if (problem.tuned && kernel != RowKernel::Wave)
    return {problem.columns * bytes_of(problem.type) > 32768 ? 1024.0 : 256.0, constant::kTunedStart,
            constant::kTunedLoad * bytes_of(problem.type) / 16, 1};
  switch (kernel) {
    case RowKernel::Wave:
      return {64, constant::kWaveRowCycles, constant::kWaveElementCycles, 1};
    case RowKernel::Block:
      return {problem.operation == RowOperation::BatchNorm || problem.operation == RowOperation::GroupNorm
                  ? 512.0
                  : 256.0,
              constant::kBlockRowCycles, constant::kBlockElementCycles * bytes_of(problem.type) / 4, 1};
    case RowKernel::BlockInLds:
      // Fitted where LDS reads 128 bytes a clock.
      return {1024, constant::kLdsRowCycles,
              constant::kLdsElementCycles * bytes_of(problem.type) / 4 * 128 / gpu.lds_read_bytes_per_clock,
              1};
    case RowKernel::ThreePasses:
      return {1024, constant::kThreePassRowCycles,
              constant::kThreePassElementCycles * std::max(0.75, bytes_of(problem.type) / 4), 1};
  }
  return {};
}

/// Rows in rounds over the compute units.
struct RowRounds {
  double clocks = 0;  ///< of one row
  double rounds = 0, workgroups = 0;
};

/// Whether a row is worked on twice, once for its sums and once for its results, and may not fit between.
bool in_two_passes(RowOperation operation) {
  return operation == RowOperation::GroupNorm || operation == RowOperation::BatchNorm;
}
/// PyTorch's own batch norm goes over each channel for the sums, and again; no other row hides its waits.
bool waits_alone(const RowProblem& problem) {
  return problem.operation == RowOperation::BatchNorm && !problem.tuned;
}

RowRounds rounds_of(const gpus::Gpu& gpu, const RowProblem& problem, RowKernel kernel, const Shape& shape) {
  const double threads_a_unit =
      static_cast<double>(gpu.simds_per_unit) * gpu.waves_per_simd * gpu.warp_size();
  double a_row = 0, rounds = 0, workgroups = problem.rows;
  if (kernel == RowKernel::Wave) {
    // Short rows share a wave; rows are padded to a power of two, and two are worked on at a time.
    const double padded = std::exp2(std::ceil(std::log2(std::max(2.0, problem.columns))));
    const double lanes = std::min<double>(padded, gpu.warp_size()), at_once = padded <= 128 ? 2 : 1;
    const double waves = std::ceil(problem.rows / at_once * lanes / gpu.warp_size());
    a_row = shape.start + shape.per_trip * padded / lanes * at_once;
    rounds = waves / (gpu.compute_units * threads_a_unit / gpu.warp_size() / 2);
    workgroups = problem.tuned ? waves : waves / 2;
  } else {
    a_row = shape.start + shape.per_trip * problem.columns / shape.threads;
    // Of few rows each is split among workgroups by tuned kernels.
    double rows = problem.rows;
    if (in_two_passes(problem.operation) && problem.tuned) {
      const double split = std::clamp(gpu.compute_units * 2.0 / rows, 1.0, problem.columns / 4096.0 + 1);
      a_row = shape.start * (split > 1 ? 2 : 1) + shape.per_trip * problem.columns / shape.threads / split;
      rows *= split;
    }
    rounds = rows / (gpu.compute_units * std::max(1.0, std::floor(threads_a_unit / shape.threads)));
  }
  if (waits_alone(problem))
    a_row *= constant::kBatchNormPasses * (problem.backward ? 1.0 : 2.0 / 3);
  else if (problem.backward && !problem.tuned)
    // Softmax backward goes over its row for the sum and for the result; forward, for the maximum before.
    a_row *= problem.operation == RowOperation::Softmax ? 2.0 / 3 : constant::kBackwardRows.value();
  return {a_row, rounds, workgroups};
}

/// Adds the kernel that PyTorch launches before softmax backward: it multiplies gradient and result (aten,
/// SoftMax.cu, softmax_backward_cuda_out) and hands on the product.
Result<void> add_product(Prediction& result, const gpus::Gpu& gpu, const RowProblem& problem,
                         const Conditions& conditions) {
  const double elements = problem.rows * problem.columns;
  const Result<Prediction> product =
      predict_elementwise(gpu, elementwise(elements, 2, problem.type, ElementwiseFunction::Add), conditions);
  if (!product) return tl::unexpected(product.error());
  result.seconds += product->seconds;
  result.bytes += product->bytes;
  result.flops += elements;
  result.parts.push_back({"product before", product->seconds, product->seconds});
  result.notes.emplace_back("PyTorch's two kernels: the product of gradient and result, then the rows");
  return {};
}

}  // namespace

std::optional<RowOperation> row_operation(std::string_view name) {
  for (const auto& [known, operation] : kOperations)
    if (known == name) return operation;
  return std::nullopt;
}
std::string_view name_of(RowOperation operation) { return kOperations[static_cast<size_t>(operation)].first; }
std::string_view name_of(RowKernel kernel) {
  switch (kernel) {
    case RowKernel::Wave:
      return "a wave a row";
    case RowKernel::Block:
      return "a workgroup a row";
    case RowKernel::BlockInLds:
      return "a workgroup a row, kept in LDS";
    case RowKernel::ThreePasses:
      return "a workgroup a row, read three times";
  }
  return "";
}

// PyTorch: softmax of up to 1,024 numbers takes a wave, longer rows a workgroup of 1,024, in LDS when a row's
// bytes are a multiple of 16 (aten/src/ATen/native/cuda/SoftMax.cu).
RowKernel row_kernel(const RowProblem& problem) {
  if (problem.kernel) return *problem.kernel;
  if (problem.operation == RowOperation::Softmax) {
    if (problem.columns <= 1024) return RowKernel::Wave;
    const bool aligned = std::fmod(problem.columns * bytes_of(problem.type), 16) == 0;
    return problem.tuned || aligned ? RowKernel::BlockInLds : RowKernel::ThreePasses;
  }
  return problem.tuned && problem.columns <= 1024 ? RowKernel::Wave : RowKernel::Block;
}

Result<Prediction> predict_rows(const gpus::Gpu& gpu, const RowProblem& problem,
                                const Conditions& conditions) {
  if (!(problem.rows >= 1) || !(problem.columns >= 1))
    return fail(ErrorKind::BadInput, "a matrix with no rows or columns", {},
                "rows and columns are at least 1");
  const RowKernel kernel = row_kernel(problem);
  const Shape shape = shape_of(kernel, problem, gpu);
  Prediction result;
  result.clock_mhz = conditions.clock_mhz.value_or(gpu.engine_mhz);
  const double hertz = result.clock_mhz * 1e6;
  const double elements = problem.rows * problem.columns;
  const double array = elements * bytes_of(problem.type);

  Traffic traffic{.read = array,
                  .written = array,
                  .warm = !conditions.cold,
                  .after_idle = conditions.timing == Conditions::Timing::Events};
  if (problem.residual) traffic.read += array, traffic.written += array, traffic.streams += 2;
  if (problem.backward) traffic.read += array, ++traffic.streams;
  result.bytes = traffic.read + traffic.written;
  // A few groups of many megabytes do not fit on chip between the sums and the writing.
  if (in_two_passes(problem.operation) && array >= static_cast<double>(gpu.l2_bytes) * gpu.xcds) {
    traffic.read += array;
    result.notes.emplace_back("the groups do not fit on the chip: the data are read twice");
  }
  const TrafficTime memory = traffic_time(gpu, traffic, hertz);

  const auto [a_row, rounds, workgroups] = rounds_of(gpu, problem, kernel, shape);
  const bool alone = waits_alone(problem);
  const double latency = std::max(alone ? 1.0 : constant::kFewRows.value(), rounds) * a_row / hertz;
  const double dispatch = dispatch_seconds(gpu, workgroups, hertz);
  const double start = kernel_seconds(gpu, conditions.timing) +
                       (problem.operation == RowOperation::GroupNorm ? constant::kGroupSeconds.value() : 0.0);
  // Tuned kernels load a whole row, wait for its sums and write it: when all rows are there at once, one
  // after the other.
  const double work = std::max(kernel == RowKernel::Wave      ? latency + memory.bandwidth
                               : problem.tuned && rounds <= 1 ? latency + memory.seconds
                                                              : std::hypot(latency, memory.seconds),
                               dispatch);
  result.seconds = start + work;
  result.flops = elements * (problem.operation == RowOperation::Softmax ? 5 : 6);
  result.levels = memory.levels;
  result.bound = start > work                 ? "launch"
                 : dispatch >= work           ? "workgroup launch"
                 : latency > memory.bandwidth ? "latency"
                                              : memory.level;
  result.parts = {{"memory", memory.seconds, std::max(0.0, work - std::min(work, latency))},
                  {"rows in rounds", latency, std::min(work, latency)},
                  {"workgroup launch", dispatch, 0},
                  {"launch", start, start}};
  result.confidence = memory.unknown ? Confidence::Low : Confidence::Medium;
  mark_doubt(result, problem.tuned ? "rows.tuned" : "rows.torch");
  if (alone)
    mark_doubt(result, "rows.batch_norm");
  else if (problem.backward && !problem.tuned && problem.operation != RowOperation::Softmax)
    mark_doubt(result, "rows.backward");
  if (problem.operation == RowOperation::GroupNorm) mark_doubt(result, "rows.group_norm");
  result.notes.push_back(fmt::format("{}: {:.1f} rounds of rows over {} compute units", name_of(kernel),
                                     std::max(1.0, rounds), gpu.compute_units));
  if (result.bound == "workgroup launch")
    result.notes.emplace_back(
        "so many small workgroups cannot be started faster; several rows a workgroup would help");
  if (problem.backward && !problem.tuned && problem.operation == RowOperation::Softmax)
    if (Result<void> added = add_product(result, gpu, problem, conditions); !added)
      return tl::unexpected(added.error());
  if (traffic.after_idle && gpu.sustained_after_idle)
    result.notes.push_back(
        fmt::format("the GPU was idle before: its memory then moves {:.0f} GB/s", *gpu.sustained_after_idle));
  result.judged = find_judged("norm", gpu);
  finish(result);
  return result;
}

}  // namespace wavesmith::model
