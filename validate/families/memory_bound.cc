// Kernels that the memory bounds: element-wise functions, copies, streams over caches and memory, reductions,
// fused pointwise kernels, recurrent states.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "model/attention.h"
#include "model/constants.h"
#include "model/elementwise.h"
#include "model/traffic.h"
#include "validate/families/family.h"
#include "validate/families/published.h"

namespace wavesmith::validate {
namespace {

using model::ElementwiseFunction;

constexpr std::array kUnary = {"addu", "mulu", "divu", "powu", "relu", "gelu", "tanh"};
constexpr std::array kBinary = {"add", "mul", "div", "pow"};
template <class T>
bool among(const T& names, std::string_view op) {
  return std::find(names.begin(), names.end(), op) != names.end();
}

ElementwiseFunction function_of(std::string_view op) {
  if (op.starts_with("pow")) return ElementwiseFunction::Power;
  if (op.starts_with("div")) return ElementwiseFunction::Divide;
  if (op == "gelu" || op == "tanh") return ElementwiseFunction::Transcendental;
  return ElementwiseFunction::Add;
}

PredictedRow asked_of(Result<model::Prediction> got, double bytes = 0) {
  PredictedRow predicted{std::move(got)};
  predicted.bytes = bytes;
  return predicted;
}

/// A streaming loop as gpu-benches has them: how many arrays are read and written, and how many of them
/// count.
struct Loop {
  std::string_view op;
  double reads, writes;
};
constexpr Loop kLoops[] = {
    {"read", 1, 0},  {"write", 0, 1}, {"init", 0, 1}, {"scale", 1, 1},
    {"triad", 3, 1}, {"3pt", 1, 1},   {"5pt", 1, 1},
};

/// Loops over 8-byte numbers: each work-item has one of each array under way.
std::optional<PredictedRow> ask_loop(const PublishedRow& row, const gpus::Gpu& gpu) {
  const bool cached = row.op.starts_with("l2stream_");
  std::string_view kind = row.op.substr(cached ? 9 : 7);
  kind = kind.substr(0, kind.find(' '));
  const auto threads = number_in(row.shape, cached ? "threads" : "total_threads");
  if (!threads) return std::nullopt;
  for (const Loop& loop : kLoops) {
    if (loop.op != kind) continue;
    const double arrays = loop.reads + loop.writes;
    const double array = cached ? number_in(row.shape, "buffer_kB").value_or(0) * 1e3 : 1e9;
    if (array <= 0) return std::nullopt;
    const double times = std::max(1.0, 1e9 / array);  // passes
    const model::TrafficTime time = model::traffic_time(
        gpu,
        {.read = loop.reads * array * times,
         .written = loop.writes * array * times,
         .streams = static_cast<uint32_t>(arrays),
         .warm = cached,
         .footprint = arrays * array,
         .threads = *threads,
         .bytes_per_thread = 8 * arrays,
         .round_clocks = model::constant::kRoundClocks + model::constant::kRoundAccessClocks * arrays},
        gpu.engine_mhz * 1e6);
    model::Prediction prediction;
    prediction.seconds = time.seconds;
    prediction.bytes = arrays * array * times;
    prediction.bound = time.latency > time.bandwidth ? "latency" : time.level;
    return asked_of(prediction, arrays * array * times);
  }
  return std::nullopt;
}

/// "1.53MB", "127kB"
std::optional<double> bytes_in(std::string_view shape, std::string_view name) {
  const std::optional<double> value = number_in(shape, name);
  if (!value) return std::nullopt;
  for (const auto& [unit, factor] :
       {std::pair{"GB", 1024.0 * 1024 * 1024}, {"MB", 1024.0 * 1024}, {"KB", 1024.0}, {"kB", 1e3}})
    if (shape.find(unit) != shape.npos) return *value * factor;
  return value;
}

/// PyTorch's profiler rows: the operands' sizes are there, the result's not always.
std::optional<PredictedRow> ask_trace(const PublishedRow& row, const gpus::Gpu& gpu, std::string& why) {
  if (row.unit != "us") {
    why = "a rate whose bytes the source does not say";
    return std::nullopt;
  }
  const auto library = [&](std::string_view part) { return row.library.find(part) != row.library.npos; };
  if (library("HtoD") || library("DtoH") || library("Host ->") || library("-> Host")) {
    why = "a copy between host and GPU";
    return std::nullopt;
  }
  if (library("sage_") || library("SortTokens") || library("finalize_matmul") || library("_softmax") ||
      library("rotary") || library("nonzero")) {
    why = "no kernel that touches each element once";
    return std::nullopt;
  }
  std::vector<double> numbers;
  for (const std::vector<double>& tuple : tuples_in(row.shape)) numbers.push_back(product(tuple));
  // A scalar operand is a double; it is no array.
  std::string dtype(row.dtype);
  if (const size_t at = dtype.find(",double"); at != dtype.npos) dtype.erase(at, 7);
  const std::vector<double> types = type_bytes(dtype);
  double mean = 0;
  for (const double bytes : types) mean += bytes / static_cast<double>(types.size());
  if (mean == 0) mean = 2;
  const double bytes = types.size() == 1 ? types[0] : mean;
  std::sort(numbers.rbegin(), numbers.rend());
  // A table of which a few rows are taken.
  if (numbers.size() > 1 && row.op == "triton" && numbers[0] > 20 * numbers[1])
    numbers.erase(numbers.begin());
  double all = 0;
  for (const double number : numbers) all += number;
  const double most = numbers.empty() ? 1 : std::max(1.0, numbers.front());

  model::ElementwiseProblem problem{.elements = most, .read = all * bytes, .written = most * bytes};
  problem.operands = std::max(1u, static_cast<uint32_t>(numbers.size()));
  if (library("copy") || library("Memcpy")) {
    // Both sides are listed.
    problem.read = most * (types.size() > 1 ? types[0] : bytes);
    problem.written = most * (types.size() > 1 ? types[1] : bytes);
    problem.operands = 1;
  } else if (row.op == "reduce") {
    problem.written = most > 1e4 ? most / 1024 : 1;
    problem.reduces = true;
  } else if (library("reshape_and_cache")) {
    // New rows of K and V into the cache, whose size does not matter.
    const auto tuples = tuples_in(row.shape);
    const double fresh = tuples.empty() ? 1 : 2 * product(tuples.front());
    problem.elements = fresh;
    problem.read = problem.written = fresh * 2;
    problem.operands = 2;
  } else if (row.op == "triton" || library("act_and_mul")) {
    // Every array of the kernel is listed, results too.
    problem.read = (all - most / 2) * bytes, problem.written = std::max(1.0, most / 2 * bytes);
  } else if (library("gather") || library("index")) {
    // The rows that are taken, not the table.
    const double taken = numbers.size() > 1 ? numbers[1] : most;
    problem.elements = taken;
    problem.read = problem.written = taken * bytes;
  } else if (library("fill") || library("arange") || library("zero")) {
    problem.read = 0;
  }
  if (library("silu") || library("gelu") || library("tanh") || library("sigmoid"))
    problem.function = ElementwiseFunction::Transcendental;
  problem.indexed =
      library("elementwise_kernel_manual_unroll") || library(" at::native::elementwise_kernel<");
  if (problem.read + problem.written <= 0) problem.written = 4;
  // In a model's run the operands have just been written, the result's lines have not: half of it is in the
  // caches.
  Result<model::Prediction> cached = model::predict_elementwise(gpu, problem, {.cold = false});
  const Result<model::Prediction> cold = model::predict_elementwise(gpu, problem, {.cold = true});
  if (cached && cold) cached->seconds = (cached->seconds + cold->seconds) / 2;
  return asked_of(std::move(cached));
}

std::optional<PredictedRow> ask(const PublishedRow& row, const gpus::Gpu& gpu, std::string& why) {
  if (row.op.starts_with("l2stream_") || row.op.find("occupancy sweep") != row.op.npos)
    return ask_loop(row, gpu);
  if (row.op == "gated_delta_rule_decode") {
    const auto b = number_in(row.shape, "b"), heads = number_in(row.shape, "vh"),
               keys = number_in(row.shape, "kh");
    if (!b || !heads || !keys) return std::nullopt;
    PredictedRow predicted = asked_of(model::predict_recurrent(
        gpu, {.batch = *b,
              .heads = *heads,
              .key_heads = *keys,
              .key_size = number_in(row.shape, "dk").value_or(128),
              .value_size = number_in(row.shape, "dv").value_or(128),
              .tokens = number_in(row.shape, "sq").value_or(1),
              .state = row.dtype.find("state=torch.float32") != row.dtype.npos ? model::NumberType::F32
                                                                               : model::NumberType::BF16}));
    predicted.model = "recurrent";
    return predicted;
  }
  if (row.op.starts_with("scale kernel")) {
    const auto numbers = number_in(row.shape, "elems");
    if (!numbers) return std::nullopt;
    return asked_of(
        model::predict_elementwise(
            gpu, model::elementwise(*numbers, 1, model::NumberType::F64, ElementwiseFunction::Add),
            {.cold = false, .timing = model::Conditions::Timing::BackToBack}),
        *numbers * 16);
  }
  if (row.op.starts_with("memcpy") || row.op.starts_with("stream_read") || row.op.starts_with("memread")) {
    if (row.op.find("swizzled") != row.op.npos || row.op.find("LDS") != row.op.npos) {
      why = "a copy in an order that is not modelled";
      return std::nullopt;
    }
    const auto given = bytes_in(row.shape, "bytes");
    const double bytes = given.value_or(1.8e9);  // "memcpy_stream 1.85GB"
    const bool read_only = row.op.find("read") != row.op.npos;
    return asked_of(
        model::predict_elementwise(
            gpu, {.elements = bytes / 16, .read = bytes, .written = read_only ? 0 : bytes, .operands = 1},
            {.cold = bytes > 100e6}),
        bytes * (read_only ? 1 : 2));
  }
  if (row.op == "rotary") {
    const auto b = number_in(row.shape, "B"), h = number_in(row.shape, "H"), n = number_in(row.shape, "N"),
               d = number_in(row.shape, "D");
    if (!b || !h || !n || !d) return std::nullopt;
    const double numbers = *b * *h * *n * *d;
    // HipKittens' loops (analysis/rotary) wait for each launch. The angles stand in small tables.
    const model::Conditions waited{.cold = false, .timing = model::Conditions::Timing::Events};
    const auto part = [&](double elements, uint32_t operands, bool indexed) {
      model::ElementwiseProblem problem =
          model::elementwise(elements, operands, model::NumberType::BF16, ElementwiseFunction::Add);
      problem.indexed = indexed;
      return problem;
    };
    if (row.library.find("eager") == row.library.npos)
      return asked_of(model::predict_elementwise(gpu, part(numbers, 1, false), waited), numbers * 4);
    // Eager: the tables doubled, half of the numbers negated, put together with the other half, two products
    // with a table's rows broadcast, their sum, and a copy of it (put together with no numbers).
    Result<model::Prediction> sum = model::predict_elementwise(gpu, part(*n * *d, 1, true), waited);
    for (const model::ElementwiseProblem& problem :
         {part(*n * *d, 1, true), part(numbers / 2, 1, true), part(numbers, 1, true), part(numbers, 1, true),
          part(numbers, 1, true), part(numbers, 2, false), part(numbers, 1, false)}) {
      const Result<model::Prediction> got = model::predict_elementwise(gpu, problem, waited);
      if (!sum || !got) return asked_of(got);
      sum->seconds += got->seconds - model::constant::kEventsSeconds;
    }
    return asked_of(std::move(sum), numbers * 4);
  }
  if (row.shape.find("dims=") != row.shape.npos) return ask_trace(row, gpu, why);
  const auto b = number_in(row.shape, "B"), h = number_in(row.shape, "H");
  if (b && h && (among(kUnary, row.op) || among(kBinary, row.op)))
    return asked_of(model::predict_elementwise(
        gpu, model::elementwise(*b * *h, among(kBinary, row.op) ? 2 : 1,
                                row.dtype == "fp32" ? model::NumberType::F32 : model::NumberType::BF16,
                                function_of(row.op))));
  return std::nullopt;
}

}  // namespace

Result<FamilyReport> judge_memory_bound(Data& data) {
  return judge_published(
      data,
      {.name = "memory_bound",
       .summary = "memory_bound_median",
       .method = "Element-wise kernels, streams, copies, reductions, fused pointwise kernels and "
                 "recurrent states, from the "
                 "bytes they move, the level of memory where these stand, and the bytes under way.",
       .takes =
           [](const PublishedRow& row) {
             return among(kUnary, row.op) || among(kBinary, row.op) || row.op.starts_with("l2stream_") ||
                    row.op.find("occupancy sweep") != row.op.npos || row.op == "gated_delta_rule_decode" ||
                    row.op.starts_with("scale kernel") || row.op.starts_with("memcpy") ||
                    row.op.starts_with("stream_read") || row.op.starts_with("memread") ||
                    row.op == "rotary" || row.op == "elementwise" || row.op == "reduce" ||
                    row.op == "triton" || row.op == "other" || row.op == "multi_tensor_apply" ||
                    row.op == "InferenceAttention";
           },
       .ask = [](const PublishedRow& row, const gpus::Gpu& gpu,
                 std::string& why) -> std::optional<PredictedRow> {
         std::optional<PredictedRow> predicted = ask(row, gpu, why);
         if (predicted) predicted->method_seconds = method_of(row);
         return predicted;
       },
       .doubts = {"Rotary embedding on an MI355X: AITER's and PyTorch's compiled kernels took 1.5 times "
                  "what HipKittens' took at 8,192 positions, 1.4 to 1.6 times what is predicted, and not "
                  "at 1,024; the model knows one kernel."},
       .constants = {"stream.", "kernel.", "elementwise.", "recurrent."}});
}

}  // namespace wavesmith::validate
