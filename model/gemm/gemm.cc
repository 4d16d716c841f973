#include "model/gemm/gemm.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <span>
#include <utility>
#include <vector>

#include "model/gemm/constants.h"
#include "model/gemm/tiles.h"
#include "model/gemm/time.h"
#include "model/judged.h"

namespace wavesmith::model {
namespace {

struct Candidate {
  GemmKernel kernel;
  GemmTime time;
  GemmConstantsFor constants;
  double score = INFINITY;  ///< least: the likeliest to be taken
};

bool is_vector(const gpus::Gpu& gpu, const GemmProblem& problem, const std::optional<GemmKernel>& kernel) {
  if (matrix_flops(gpu, gemm_type(problem)) == 0) return true;
  if (kernel) return kernel->vector;
  return (problem.quads && gpu.is_cdna()) ||
         std::ranges::any_of(gemm_vector_products(),
                             [&](const GemmVectorProducts& each) { return each.has(gpu, problem); });
}

/// Within which times are predicted for kernels that are told, about (judged_table).
constexpr double kSpread = 0.06;

/// A profiler sees a kernel alone; the tuning runs of rocBLAS, whose constants these may be, timed more.
constexpr double kProfilerFixedUs = 3;
/// Events round a launch see its packets too (published benchmarks of both kinds differ by 2 to 6 us).
constexpr double kEventsUs = 4;

GemmConstants under(const Conditions& conditions, const GemmConstantsFor& found) {
  GemmConstants constants = found.constants;
  if (found.tuning_run && conditions.timing != Conditions::Timing::BackToBack)
    constants.fixed_us = std::min(constants.fixed_us, kProfilerFixedUs);
  if (conditions.timing == Conditions::Timing::Events) constants.fixed_us += kEventsUs;
  return constants;
}

/// Schedules that were told apart and can do the problem; one empty name when there are none. A library that
/// was told is its own.
std::vector<std::string_view> schedules_for(const gpus::Gpu& gpu, const GemmProblem& problem) {
  if (!problem.library.empty()) return {problem.library};
  std::vector<std::string_view> found;
  for (const std::string_view name : gemm_schedules(gpu, gemm_type(problem))) {
    const bool block_scaled = name.find("blockscale") != name.npos;
    if (problem.block_scale == 128 ? !block_scaled && name != "assembly" && name != "Opus" : block_scaled)
      continue;
    found.push_back(name);
  }
  if (found.empty()) found.emplace_back();
  return found;
}

struct KnownKernel {
  GemmKernel kernel;
  uint32_t rows;  ///< that it was the fastest for
};

/// Least for the kernel that tuning took likeliest: times are predicted within kSpread, so of two that are
/// about as fast it is the one that was taken more often elsewhere.
double score_of(double seconds, uint32_t rows) {
  return std::log(seconds) - kSpread * std::log(static_cast<double>(rows));
}

/// Of other vendors' libraries: CUTLASS's for sm90, 128 bytes deep. Two groups of four warps multiply in
/// turns, each reads its operands from LDS once, and clusters of two workgroups load their columns once.
std::vector<KnownKernel> cutlass_tiles(const GemmProblem& problem) {
  const double bits = std::max(bits_of(problem.a), bits_of(problem.b));
  std::vector<KnownKernel> found;
  for (const uint32_t tile_m : {64, 128})
    for (const uint32_t tile_n : {16, 32, 64, 128, 256}) {
      GemmKernel kernel{.tile_m = tile_m, .tile_n = tile_n, .tile_k = static_cast<uint32_t>(1024 / bits)};
      kernel.threads = tile_m == 64 ? 256 : 384;
      kernel.wave_m = tile_m / 64;
      kernel.wave_n = 1;
      kernel.group_m = 8;
      kernel.cluster = 2;
      kernel.direct_to_lds = kernel.ping_pong = true;
      kernel.workgroups_per_unit = tile_m == 64 ? 2 : 1;
      found.push_back({std::move(kernel), 1});
    }
  return found;
}

/// The kernels that the library is known to have, or, where none is known, what libraries have elsewhere.
std::vector<KnownKernel> tiles_for(const gpus::Gpu& gpu, const GemmProblem& problem, bool vector,
                                   std::string_view schedule) {
  std::vector<KnownKernel> found;
  const NearestSet nearest = nearest_gemm_set(gpu, gemm_type(problem), vector, schedule);
  for (const std::string_view architecture :
       {std::string_view(gpu.architecture), nearest.set->architecture}) {
    for (const GemmTile& tile : gemm_tiles())
      if (nearest.has_the_kernels() && tile.of(*nearest.set, architecture, schedule))
        found.push_back({tile.kernel(), tile.rows});
    if (!found.empty()) return found;
  }
  if (!nearest.same_line()) return cutlass_tiles(problem);

  const double bits = std::max(bits_of(problem.a), bits_of(problem.b));
  const uint32_t depth = bits <= 4 ? 256 : bits <= 8 ? 128 : bits <= 16 ? 64 : 16;
  for (const uint32_t tile_m : {16, 32, 64, 96, 128, 256})
    for (const uint32_t tile_n : {32, 64, 128, 256}) {
      if (vector && tile_m * tile_n > 128 * 128) continue;
      GemmKernel kernel{.tile_m = tile_m, .tile_n = tile_n, .tile_k = depth};
      kernel.threads = tile_m * tile_n >= 256 * 256 ? 512 : tile_m * tile_n <= 16 * 32 ? 64 : 256;
      kernel.group_m = 8;
      kernel.double_buffered_lds = false;
      kernel.vector = vector;
      found.push_back({std::move(kernel), 1});
    }
  return found;
}

/// The likeliest of the tiles and splits for one schedule.
Candidate best_tile(const gpus::Gpu& gpu, const GemmProblem& problem, bool vector, std::string_view schedule,
                    const Conditions& conditions, std::span<const uint32_t> splits) {
  uint64_t rows = problem.m;
  for (const uint64_t group : problem.groups) rows = std::max(rows, group);

  GemmConstantsFor constants = gemm_constants(gpu, gemm_type(problem), vector, schedule);
  constants.constants = under(conditions, constants);
  const std::vector<KnownKernel> tiles = tiles_for(gpu, problem, vector, schedule);
  uint32_t least_m = UINT32_MAX, least_n = UINT32_MAX;
  for (const auto& [tile, count] : tiles)
    least_m = std::min(least_m, tile.tile_m), least_n = std::min(least_n, tile.tile_n);
  Candidate best;
  for (const auto& [tile, count] : tiles) {
    // More than half of it empty: a smaller one is there.
    if (tile.tile_m > std::max(least_m, 16u) && tile.tile_m >= 2 * rows) continue;
    if (tile.tile_n > std::max(least_n, 32u) && tile.tile_n >= 2 * problem.n) continue;
    for (const uint32_t split : splits) {
      // Libraries split K to fill the units, not to even out the last round.
      const uint64_t whole = (rows + tile.tile_m - 1) / tile.tile_m *
                             ((problem.n + tile.tile_n - 1) / tile.tile_n) * problem.batch;
      if (split > 1 && (problem.k / split < uint64_t{4} * tile.tile_k || whole >= 2 * gpu.multiprocessors()))
        continue;
      GemmKernel kernel = tile;
      kernel.split_k = split;
      kernel = complete_kernel(gpu, problem, std::move(kernel));
      const GemmTime time = gemm_time(gpu, problem, kernel, constants.constants, conditions);
      if (const double score = score_of(time.seconds, count); score < best.score)
        best = {std::move(kernel), time, constants, score};
    }
  }
  best.kernel.schedule = schedule;
  return best;
}

/// Few splits tell which schedules are worth a full search.
Candidate best_kernel(const gpus::Gpu& gpu, const GemmProblem& problem, bool vector,
                      const Conditions& conditions) {
  constexpr uint32_t kSplits[] = {1, 2, 4, 8, 16}, kFewSplits[] = {1, 4};
  constexpr size_t kKept = 2;
  std::vector<std::pair<double, std::string_view>> order;
  const std::vector<std::string_view> schedules = schedules_for(gpu, problem);
  for (const std::string_view schedule : schedules)
    order.emplace_back(schedules.size() <= kKept
                           ? 0
                           : best_tile(gpu, problem, vector, schedule, conditions, kFewSplits).score,
                       schedule);
  std::ranges::sort(order);
  order.resize(std::min(order.size(), kKept));

  Candidate best;
  for (const auto& [score, schedule] : order)
    if (Candidate each = best_tile(gpu, problem, vector, schedule, conditions, kSplits);
        each.score < best.score)
      best = std::move(each);
  return best;
}

Result<void> check(const gpus::Gpu& gpu, const GemmProblem& problem,
                   const std::optional<GemmKernel>& kernel) {
  const bool grouped = !problem.groups.empty();
  if ((!grouped && problem.m == 0) || problem.n == 0 || problem.k == 0 || problem.batch == 0)
    return fail(ErrorKind::BadInput, "a matrix with a dimension of 0", {},
                "m, n, k and batch are at least 1");
  constexpr uint64_t kMost = uint64_t{1} << 40;
  if (problem.m > kMost || problem.n > kMost || problem.k > kMost || problem.batch > kMost)
    return fail(ErrorKind::BadInput, "a matrix with a dimension beyond 2^40");
  const NumberType type = gemm_type(problem);
  if (bits_of(type) <= 6 && matrix_flops(gpu, type) == 0)
    return fail(ErrorKind::Unsupported, fmt::format("{} has no {} arithmetic", gpu.name, name_of(type)), {},
                "ask for f8, f16 or bf16, or a GPU of a later generation");
  if (type == NumberType::F8 && gpu.matrix_f8 == 0)
    return fail(ErrorKind::Unsupported, fmt::format("{} has no f8 arithmetic", gpu.name), {},
                "ask for f16, bf16 or i8, or a GPU of a later generation");
  if (kernel &&
      (kernel->tile_m > 4096 || kernel->tile_n > 4096 || kernel->tile_k > 4096 || kernel->threads > 1024))
    return fail(ErrorKind::BadInput, "a tile beyond 4096, or a workgroup beyond 1024 work-items");
  return {};
}

std::string tile_text(const GemmKernel& kernel) {
  std::string text = fmt::format("{}x{}x{}", kernel.tile_m, kernel.tile_n, kernel.tile_k);
  if (kernel.split_k > 1) text += fmt::format(" with K split {} ways", kernel.split_k);
  return text;
}

void name_bound(GemmPrediction& result, const GemmTime& time, const gpus::Gpu& gpu, bool vector,
                double steps) {
  struct Term {
    double seconds;
    std::string_view name;
  };
  // What the compute units' own time goes into: whatever is the longest of a K step, or waiting.
  const double hertz = time.clock_mhz * 1e6;
  const double arithmetic = time.loops, lds = time.rounds * steps * time.lds / hertz,
               l1 = time.rounds * steps * time.l1 / hertz;
  const double longest = std::max({arithmetic, lds, l1});
  std::string_view inside = arithmetic >= longest ? (vector ? "vector" : "matrix")
                            : lds >= longest      ? "LDS"
                                                  : "L1";
  if (longest < 0.5 * time.units) inside = "latency";
  const std::array terms{
      Term{time.units, inside}, Term{time.memory, gpu.memory_name()}, Term{time.cache, "Infinity Cache"},
      Term{time.l2, "L2"},      Term{time.fixed, "launch"},
  };
  const auto bound = std::ranges::max_element(terms, {}, &Term::seconds);
  result.bound = bound->name;
}

/// Names the bound, and fills the parts of the time and the levels of memory.
void add_parts(GemmPrediction& result, const GemmTime& time, const gpus::Gpu& gpu, bool vector,
               double steps) {
  name_bound(result, time, gpu, vector, steps);
  const double hertz = time.clock_mhz * 1e6;
  const double body = time.seconds - time.fixed;
  const auto part = [&](std::string name, double seconds, bool binds) {
    result.parts.push_back({std::move(name), seconds, binds ? body : 0});
  };
  const double slowest = std::max({time.units, time.memory, time.cache, time.l2});
  part(vector ? "vector instructions" : "matrix instructions", time.loops, false);
  part("LDS", time.rounds * steps * time.lds / hertz, false);
  part("loads through L1", time.rounds * steps * time.l1 / hertz, false);
  part("compute units", time.units, time.units >= slowest);
  part("L2", time.l2, time.l2 >= slowest && time.units < slowest);
  if (time.cache_bytes > 0) part("Infinity Cache", time.cache, time.cache >= slowest && time.units < slowest);
  part("memory", time.memory, time.memory >= slowest && time.units < slowest);
  result.parts.push_back({"launch and end", time.fixed, time.fixed});

  const auto level = [&](std::string name, double bytes, double seconds) {
    if (bytes > 0)
      result.levels.push_back(
          {std::move(name), bytes, seconds, seconds > 0 ? bytes / seconds : 0, seconds / time.seconds});
  };
  level("LDS", time.lds_bytes, time.rounds * steps * time.lds / hertz);
  level("L2", time.l2_bytes, time.l2);
  level("Infinity Cache", time.cache_bytes, time.cache);
  level(std::string(gpu.memory_name()), time.memory_bytes, time.memory);
}

/// Notes why this kernel was taken, and how far the prediction can be trusted.
void add_notes(GemmPrediction& result, const Candidate& chosen, const gpus::Gpu& gpu,
               const Conditions& conditions) {
  const GemmKernel& kernel = chosen.kernel;
  const GemmTime& time = chosen.time;
  const bool given = !result.chosen;
  switch (chosen.constants.fit) {
    case GemmFit::Fitted:
      result.confidence = given ? Confidence::High : Confidence::Medium;
      result.judged = find_judged(given ? "gemm" : "gemm, kernel not told", gpu);
      break;
    case GemmFit::Neighbour:
      result.confidence = given ? Confidence::Medium : Confidence::Low;
      result.notes.push_back(
          "no measurement of this type on this generation was fitted: a neighbouring type's constants");
      break;
    case GemmFit::Borrowed:
      result.confidence = Confidence::Low;
      result.notes.push_back("this GPU's generation was not measured: other constants with this one's rates");
      break;
  }
  if (const std::string doubt = chosen.constants.doubt(); !doubt.empty()) {
    result.confidence = Confidence::Low;
    result.notes.push_back("low confidence: " + doubt);
  }
  if (result.chosen) {
    std::string why = fmt::format("tile {}", tile_text(kernel));
    if (!kernel.schedule.empty()) why += fmt::format(" ({})", kernel.schedule);
    why += fmt::format(": {:.0f} workgroups on {} {}", time.tiles, gpu.multiprocessors(),
                       gpu.units_per_workgroup_processor > 1 ? "workgroup processors" : "compute units");
    if (result.quantisation < 0.8)
      why += fmt::format(", the last round leaves {:.0f} % of the units' time empty",
                         (1 - result.quantisation) * 100);
    result.notes.push_back(why);
  }
  if (result.useful < 0.75)
    result.notes.push_back(fmt::format("{:.0f} % of the tiles' work is padding", (1 - result.useful) * 100));
  if (time.clock_mhz < 0.95 * gpu.engine_mhz && !conditions.clock_mhz)
    result.notes.push_back(
        fmt::format("power holds the clock at {:.0f} of {} MHz", time.clock_mhz, gpu.engine_mhz));
}

}  // namespace

Result<GemmPrediction> predict_gemm(const gpus::Gpu& gpu, const GemmProblem& problem,
                                    const std::optional<GemmKernel>& given, const Conditions& conditions) {
  if (Result<void> possible = check(gpu, problem, given); !possible) return tl::unexpected(possible.error());
  const NumberType type = gemm_type(problem);
  const bool vector = is_vector(gpu, problem, given);

  Candidate chosen;
  if (given) {
    chosen.kernel = complete_kernel(gpu, problem, *given);
    chosen.constants = gemm_constants(gpu, type, vector, given->schedule);
    chosen.constants.constants = under(conditions, chosen.constants);
    chosen.time = gemm_time(gpu, problem, chosen.kernel, chosen.constants.constants, conditions);
  } else {
    chosen = best_kernel(gpu, problem, vector, conditions);
  }
  const GemmKernel& kernel = chosen.kernel;
  const GemmTime& time = chosen.time;

  double m = static_cast<double>(problem.m), batch = static_cast<double>(problem.batch);
  double rows_padded = std::ceil(m / kernel.tile_m) * kernel.tile_m;
  if (!problem.groups.empty()) {
    m = rows_padded = 0, batch = 1;
    for (const uint64_t group : problem.groups) {
      m += static_cast<double>(group);
      rows_padded += std::ceil(static_cast<double>(group) / kernel.tile_m) * kernel.tile_m;
    }
  }
  const double n = static_cast<double>(problem.n), k = static_cast<double>(problem.k);

  GemmPrediction result;
  result.kernel = kernel;
  result.chosen = !given;
  result.seconds = time.seconds;
  result.clock_mhz = time.clock_mhz;
  result.clock_kind = time.clock_kind;
  result.flops = 2 * m * n * k * batch * real_products(type);
  result.bytes = batch * (m * k * bytes_of(problem.a) + k * n * bytes_of(problem.b) +
                          m * n * bytes_of(problem.c) * (problem.outputs + (problem.reads_c ? 1 : 0)));
  result.tiles = static_cast<uint64_t>(time.tiles);
  result.waves = time.tiles / gpu.multiprocessors();
  result.quantisation = result.waves / time.rounds;
  result.useful = m / rows_padded * n / (std::ceil(n / kernel.tile_n) * kernel.tile_n);
  result.workgroups_per_unit = time.workgroups_per_unit;
  result.cycles_per_step = time.step;

  const double steps = std::ceil(std::ceil(k / kernel.split_k) / kernel.tile_k);
  add_parts(result, time, gpu, vector, steps);
  add_notes(result, chosen, gpu, conditions);
  return result;
}

}  // namespace wavesmith::model
