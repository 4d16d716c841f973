#include "model/attention.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "model/constants.h"
#include "model/judged.h"
#include "model/traffic.h"

namespace wavesmith::model {
namespace {

struct KernelRow {
  AttentionKernel kernel;
  std::string_view name;
  double matrix, backward_matrix;  ///< times the clocks of the matrix instructions
  double all;                      ///< times the clocks of everything
};
// The factors are fitted: see constants.h, attention.kernels.
constexpr KernelRow kKernels[] = {
    {AttentionKernel::Aiter, "aiter", 1.00, 1.00, 1.00},
    {AttentionKernel::HipKittens, "hipkittens", 1.07, 1.39, 1.00},
    {AttentionKernel::Opus, "opus", 1.04, 1.39, 1.00},
    {AttentionKernel::CompositeKernel, "ck", 1.64, 3.53, 1.00},
    {AttentionKernel::Triton, "triton", 1.00, 1.00, 1.35},
    {AttentionKernel::Torch, "torch", 1.00, 1.00, 1.90},
    {AttentionKernel::TileLang, "tilelang", 1.00, 1.00, 5.00},
};

/// Rows of a workgroup's tile: of queries forward, of keys backward. AITER's kernels for CDNA4 have larger
/// ones than those for CDNA3, and NVIDIA's GPUs are taken to have the larger ones too.
double tile_of(const gpus::Gpu& gpu, bool backward) {
  const bool large = !gpu.is_rdna() && gpu.generation >= 4;
  return large ? 256 : backward ? 192 : 128;
}

/// FLOP a clock and unit of the instructions that Q K^T and P V take.
double rate_of(const gpus::Gpu& gpu, NumberType type, bool& vector) {
  const double matrix = matrix_flops(gpu, computed_as(gpu, type));
  vector = matrix == 0;
  return vector ? vector_flops(gpu, type) : matrix;
}

double matrix_hertz(const gpus::Gpu& gpu, const Conditions& conditions) {
  if (conditions.clock_mhz) return *conditions.clock_mhz * 1e6;
  return 1e6 * gpu.sustained_matrix_mhz.value_or(gpu.engine_mhz);
}

Result<void> sane(std::initializer_list<double> sizes) {
  for (const double size : sizes)
    if (!(size >= 1))
      return fail(ErrorKind::BadInput, "attention over nothing", {}, "every size is at least 1");
  return {};
}

Result<void> check(const AttentionProblem& problem) {
  if (Result<void> good = sane({problem.batch, problem.heads, problem.kv_heads, problem.queries, problem.keys,
                                problem.head_size, problem.value_size});
      !good)
    return good;
  if (problem.heads < problem.kv_heads || std::fmod(problem.heads, problem.kv_heads) != 0)
    return fail(ErrorKind::BadInput,
                fmt::format("{} heads cannot share {} heads of K and V", problem.heads, problem.kv_heads), {},
                "the heads are a multiple of the KV heads");
  return {};
}

/// Clocks of one compute unit for one pair of query and key.
struct PairClocks {
  double matrix = 0, softmax = 0, atomics = 0;  ///< of each pipe alone
  double all = 0;                               ///< with what overlaps
};

/// Two products forward, five backward; beside them, partly hidden, exponentials and what belongs to them.
PairClocks pair_clocks(const gpus::Gpu& gpu, const AttentionProblem& problem, const KernelRow& row,
                       double tile) {
  const bool backward = problem.backward, rdna = gpu.is_rdna();
  bool vector = false;
  const double rate = rate_of(gpu, problem.type, vector);
  const double products = 2 * (problem.head_size + problem.value_size) * (backward ? 2.5 : 1);
  PairClocks pair;
  pair.matrix = products / rate * (backward ? row.backward_matrix : row.matrix) /
                (rdna && !vector ? constant::kAttentionWmma.value() : 1.0);
  pair.softmax = backward ? constant::kAttentionBackwardVector : constant::kAttentionVector;
  // RDNA's matrix instructions are VALU instructions (isa/cost/cost.h) and hide none of the others.
  const double overlap = rdna       ? 0.0
                         : backward ? constant::kAttentionBackwardOverlap.value()
                                    : constant::kAttentionOverlap.value();
  pair.all = std::max(pair.matrix, pair.softmax) + (1 - overlap) * std::min(pair.matrix, pair.softmax);
  if (backward) {
    pair.atomics = problem.head_size * (problem.atomic_f32 ? 4 : 2) / tile / constant::kAtomicBytes;
    pair.all = std::max(pair.all, pair.atomics) + constant::kAtomicExposed * std::min(pair.all, pair.atomics);
  }
  pair.all *= row.all;
  return pair;
}

/// Workgroups in rounds over the compute units. Each has a tile of queries (backward: of keys) and goes over
/// all keys (queries) that the mask leaves.
struct AttentionGrid {
  double tile = 0;         ///< rows, no more than there are
  double workgroups = 0;   ///< in all
  double rounds = 0;       ///< over the units
  double start = 0;        ///< clocks before a workgroup's first pair
  double passed = 0;       ///< rows that a workgroup goes over without a mask
  double mean_passed = 0;  ///< with the mask, on average
  double clocks = 0;       ///< of the whole grid
};

AttentionGrid grid_of(const gpus::Gpu& gpu, const AttentionProblem& problem, double tile, double pair) {
  const bool backward = problem.backward;
  const double tiled = backward ? problem.keys : problem.queries;
  AttentionGrid grid;
  grid.passed = backward ? problem.queries : problem.keys;
  grid.tile = std::min(tile, std::max(16.0, std::exp2(std::ceil(std::log2(tiled)))));
  grid.workgroups = problem.batch * problem.heads * std::ceil(tiled / grid.tile);
  grid.rounds = grid.workgroups / gpu.compute_units;
  grid.start = backward ? constant::kAttentionBackwardStart : constant::kAttentionStart;
  grid.mean_passed = problem.causal ? std::min(grid.passed, (grid.passed + grid.tile) / 2) : grid.passed;
  const double mean = grid.start + grid.mean_passed * grid.tile * pair,
               longest = grid.start + grid.passed * grid.tile * pair;
  if (problem.causal) {
    grid.clocks =
        std::max(mean * grid.rounds +
                     (backward ? constant::kAttentionBackwardTail : constant::kAttentionTail) * longest,
                 longest);
  } else {
    const double last = std::ceil(grid.rounds) - grid.rounds;
    grid.clocks = mean * std::max(1.0, grid.rounds + (backward ? constant::kAttentionBackwardLastRound
                                                               : constant::kAttentionLastRound) *
                                                         last);
  }
  return grid;
}

/// Notes what was assumed, and how far the prediction can be trusted.
void add_notes(AttentionPrediction& result, const gpus::Gpu& gpu, const AttentionProblem& problem,
               const AttentionGrid& grid, AttentionKernel kernel, bool vector) {
  if (const NumberType instead = computed_as(gpu, problem.type); instead != problem.type)
    result.notes.push_back(fmt::format("{} has no matrix instruction for {}: numbers would be widened to {}",
                                       gpu.name, name_of(problem.type), name_of(instead)));
  if (vector)
    result.notes.push_back(fmt::format("{} has no matrix instruction for {}: vector instructions are assumed",
                                       gpu.name, name_of(problem.type)));
  if (result.rounds < 1)
    result.notes.push_back(
        fmt::format("{:.0f} workgroups leave {:.0f} of {} compute units idle; splitting the keys "
                    "would use them",
                    result.workgroups, gpu.compute_units - result.workgroups, gpu.compute_units));
  if (problem.causal)
    result.notes.push_back(fmt::format("causal: {:.0f} % of the tiles' work is masked",
                                       100 * (1 - grid.passed / 2 / std::max(1.0, grid.mean_passed))));
  const Judged* const judged = find_judged("attention", gpu);
  result.confidence = judged && problem.head_size == 128 && bits_of(problem.type) == 16 ? Confidence::High
                      : judged                                                          ? Confidence::Medium
                                                                                        : Confidence::Low;
  if (problem.head_size == 128 && bits_of(problem.type) == 16) result.judged = judged;
  mark_doubt(result, problem.backward ? "attention.backward" : "attention");
  if (kernel != AttentionKernel::Aiter) mark_doubt(result, "attention.kernels");
  if (gpu.is_rdna() && !vector) mark_doubt(result, "attention.wmma");
}

}  // namespace

std::optional<AttentionKernel> attention_kernel(std::string_view name) {
  for (const KernelRow& row : kKernels)
    if (row.name == name) return row.kernel;
  return std::nullopt;
}
std::string_view name_of(AttentionKernel kernel) { return kKernels[static_cast<size_t>(kernel)].name; }

double attention_flops(const AttentionProblem& problem) {
  const double pairs =
      problem.batch * problem.heads * problem.queries * problem.keys * (problem.causal ? 0.5 : 1);
  return pairs * 2 * (problem.head_size + problem.value_size) * (problem.backward ? 2.5 : 1);
}

Result<AttentionPrediction> predict_attention(const gpus::Gpu& gpu, const AttentionProblem& problem,
                                              const Conditions& conditions) {
  if (Result<void> good = check(problem); !good) return tl::unexpected(good.error());
  AttentionPrediction result;
  const double hertz = matrix_hertz(gpu, conditions);
  result.clock_mhz = hertz / 1e6;
  const bool vector = matrix_flops(gpu, computed_as(gpu, problem.type)) == 0;
  const bool backward = problem.backward;

  // AITER has assembly for a head size of 128; other sizes go to Composable Kernel.
  AttentionKernel kernel = problem.kernel;
  if (kernel == AttentionKernel::Aiter && problem.head_size != 128) {
    kernel = AttentionKernel::CompositeKernel;
    result.notes.push_back(
        fmt::format("AITER's assembly has a head size of 128; for {:.0f} Composable Kernel's is assumed",
                    problem.head_size));
  }
  const KernelRow& row = kKernels[static_cast<size_t>(kernel)];

  result.tile = tile_of(gpu, backward);
  const PairClocks pair = pair_clocks(gpu, problem, row, result.tile);
  const AttentionGrid grid = grid_of(gpu, problem, result.tile, pair.all);
  result.workgroups = grid.workgroups;
  result.rounds = grid.rounds;
  const double work = grid.clocks / hertz;

  // Memory: Q and O once, K and V once; past L2 each workgroup reads its K and V.
  const double bytes = bytes_of(problem.type);
  const double q =
      problem.batch * problem.heads * problem.queries * (problem.head_size + problem.value_size) * bytes;
  const double kv =
      problem.batch * problem.kv_heads * problem.keys * (problem.head_size + problem.value_size) * bytes;
  result.bytes = backward ? 2.5 * (q + kv) : q + kv;
  const double past_l2 =
      result.workgroups * grid.mean_passed * (problem.head_size + problem.value_size) * bytes;
  const Sustained memory = sustained_memory(gpu, 0.3), l2 = sustained_l2(gpu, gpu.engine_mhz * 1e6);
  const double memory_seconds = result.bytes / memory.bytes_per_second,
               l2_seconds = past_l2 / l2.bytes_per_second;
  // dO times O summed by rows, and dQ converted, in kernels of their own.
  const double extra = backward ? problem.batch * problem.heads * problem.queries * problem.head_size * 14 /
                                      memory.bytes_per_second
                                : 0;
  const double launch = backward ? constant::kAttentionBackwardLaunch : constant::kAttentionLaunch;
  const double body = std::max({work, memory_seconds, l2_seconds});
  result.seconds = body + extra + launch;
  result.flops = attention_flops(problem);
  result.bound = launch > body                                               ? "launch"
                 : memory_seconds >= body                                    ? memory_name(gpu)
                 : l2_seconds >= body                                        ? "L2"
                 : result.rounds < 0.7                                       ? "too few workgroups"
                 : pair.atomics > pair.matrix && pair.atomics > pair.softmax ? "atomics"
                 : vector || pair.softmax > pair.matrix                      ? "vector"
                                                                             : "matrix";
  const double share =
      work / grid.clocks * result.workgroups * grid.mean_passed * grid.tile / gpu.compute_units;
  result.parts = {
      {"matrix instructions", pair.matrix * row.all * share, std::min(body, pair.matrix * row.all * share)},
      {"exponentials and sums", pair.softmax * row.all * share,
       std::max(0.0, body - pair.matrix * row.all * share) * 0.5},
      {"atomics on dQ", pair.atomics * share, 0},
      {"starts of workgroups", grid.start * result.rounds / hertz, grid.start * result.rounds / hertz},
      {"kernels before and after", extra, extra},
      {"launch", launch, launch},
  };
  result.levels = {
      {"L2", past_l2, l2_seconds, l2.bytes_per_second, 0},
      {memory_name(gpu), result.bytes, memory_seconds, memory.bytes_per_second, 0},
  };
  add_notes(result, gpu, problem, grid, row.kernel, vector);
  finish(result);
  return result;
}

Result<AttentionPrediction> predict_decode(const gpus::Gpu& gpu, const DecodeProblem& problem,
                                           const Conditions& conditions) {
  if (Result<void> good = sane({problem.batch, problem.heads, problem.kv_heads, problem.context,
                                problem.queries, problem.head_size, problem.value_size});
      !good)
    return tl::unexpected(good.error());
  AttentionPrediction result;
  const double hertz = matrix_hertz(gpu, conditions), peak_hertz = gpu.engine_mhz * 1e6;
  result.clock_mhz = hertz / 1e6;
  bool vector = false;
  const double rate = rate_of(gpu, problem.type, vector);
  const double bytes = bytes_of(problem.type);
  const double row = problem.latent ? problem.head_size : problem.head_size + problem.value_size;
  const double groups = problem.latent ? 1 : problem.kv_heads;
  const double cache = problem.batch * groups * problem.context * row * bytes;

  // Rows of Q that share a row of the cache are padded to the matrix instruction's 16.
  const double rows = problem.heads / groups * problem.queries, padded = std::ceil(rows / 16) * 16;
  const double products = 2 * (problem.head_size + problem.value_size);
  const double clocks_a_key =
      padded * (products / rate + constant::kAttentionVector) *
      (problem.latent ? constant::kLatentClocks.value() : constant::kDecodeClocks.value());
  const double most = std::max(1.0, std::floor(problem.context / constant::kDecodeLeastSplit));
  const double units = gpu.compute_units;
  double splits = problem.splits;
  if (splits <= 0)
    splits = std::clamp(std::floor((problem.latent ? 1 : 2) * units / (problem.batch * groups)), 1.0,
                        std::min(most, !problem.latent ? constant::kDecodeMostSplits.value()
                                       : problem.tuned ? units
                                                       : constant::kLatentMostSplits.value()));
  result.workgroups = problem.batch * groups * splits;
  result.rounds = result.workgroups / units;
  result.tile = std::ceil(problem.context / splits);

  const double matrix = std::max(1.0, result.rounds) * result.tile * clocks_a_key / hertz;
  // Of few workgroups each draws only so much.
  const Sustained memory = sustained_memory(gpu, 0);
  const double drawn = result.workgroups *
                       (problem.latent ? constant::kLatentDraw.value() : constant::kDecodeDraw.value()) *
                       peak_hertz;
  const double untuned = problem.tuned || problem.latent ? 1.0 : constant::kDecodeUntuned.value();
  const double reached = memory.bytes_per_second / untuned;
  // Passed over again and again, what the Infinity Cache holds comes from there.
  const Sustained last = sustained_infinity_cache(gpu);
  const double cached = conditions.cold || last.bytes_per_second <= 0
                            ? 0
                            : std::min(cache, static_cast<double>(gpu.infinity_cache_bytes));
  const double stream = std::max(
      cache / drawn, (cache - cached) / reached +
                         cached / (std::max(last.bytes_per_second, memory.bytes_per_second) / untuned));
  const double reduce = problem.sums && splits > 1
                            ? constant::kKernelSeconds + problem.batch * problem.heads * problem.queries *
                                                             problem.value_size * splits * 4 * 2 /
                                                             memory.bytes_per_second
                            : 0;
  const double latency = constant::kDecodeStepCycles / peak_hertz;
  const double launch = problem.latent ? constant::kLatentLaunch : constant::kDecodeLaunch;
  const double body = std::max(stream + latency, matrix);
  result.seconds = launch + body + reduce;
  result.flops = problem.batch * problem.heads * problem.queries * problem.context * products;
  result.bytes = cache + problem.batch * problem.heads * problem.queries *
                             (problem.head_size + problem.value_size) * bytes;
  result.bound = launch + reduce > body ? "launch"
                 : matrix >= body       ? (vector ? "vector" : "matrix")
                 : latency > stream     ? "latency"
                                        : memory_name(gpu);
  result.parts = {
      {"cache", stream, std::min(body, stream)},
      {"matrix instructions", matrix, std::max(0.0, body - stream)},
      {"sum of the splits", reduce, reduce},
      {"launch", launch, launch},
  };
  result.levels = {{memory_name(gpu), cache, cache / memory.bytes_per_second, memory.bytes_per_second, 0}};
  result.notes.push_back(fmt::format("the context in {:.0f} parts: {:.0f} workgroups over {} compute units",
                                     splits, result.workgroups, gpu.compute_units));
  if (padded > rows)
    result.notes.push_back(
        fmt::format("{:.0f} rows of Q share a cache row; matrix instructions take {:.0f}", rows, padded));
  result.judged = find_judged("decode", gpu);
  result.confidence = result.judged ? Confidence::Medium : Confidence::Low;
  mark_doubt(result, problem.latent ? "decode.latent" : "decode");
  finish(result);
  return result;
}

Result<Prediction> predict_recurrent(const gpus::Gpu& gpu, const RecurrentProblem& problem,
                                     const Conditions& conditions) {
  if (Result<void> good = sane({problem.batch, problem.heads, problem.key_heads, problem.key_size,
                                problem.value_size, problem.tokens});
      !good)
    return tl::unexpected(good.error());
  Prediction result;
  result.clock_mhz = conditions.clock_mhz.value_or(gpu.engine_mhz);
  const double hertz = result.clock_mhz * 1e6;
  const double numbers = problem.batch * problem.heads * problem.key_size * problem.value_size;
  const double token_bytes =
      problem.batch * problem.tokens *
      (2 * problem.key_heads * problem.key_size + 2 * problem.heads * problem.value_size) *
      bytes_of(problem.type);
  const double state = numbers * bytes_of(problem.state);
  const TrafficTime memory = traffic_time(
      gpu, {.read = state + token_bytes * 0.75, .written = state + token_bytes * 0.25, .streams = 2}, hertz);
  const double vector = problem.tokens * numbers * constant::kRecurrentLanes /
                        (static_cast<double>(gpu.compute_units) * gpu.vector_lanes * hertz);
  const double launch = constant::kRecurrentLaunch / hertz;
  const double body = std::hypot(memory.bandwidth, vector);
  result.seconds = launch + body;
  result.flops = problem.tokens * numbers * 7;
  result.bytes = 2 * state + token_bytes;
  result.levels = memory.levels;
  result.bound = launch > body ? "launch" : vector > memory.bandwidth ? "vector" : memory.level;
  result.parts = {
      {"state", memory.bandwidth, std::min(body, memory.bandwidth)},
      {"vector instructions", vector, std::max(0.0, body - memory.bandwidth)},
      {"launch", launch, launch},
  };
  result.confidence = memory.unknown ? Confidence::Medium : Confidence::High;
  mark_doubt(result, "recurrent");
  result.judged = find_judged("recurrent", gpu);
  finish(result);
  return result;
}

}  // namespace wavesmith::model
