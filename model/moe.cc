#include "model/moe.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "model/constants.h"
#include "model/judged.h"
#include "model/traffic.h"

namespace wavesmith::model {
namespace {

struct Stage {
  double seconds = 0;  ///< without the launch
  double weights = 0, memory = 0, fill = 0, matrix = 0, scatter = 0, bytes = 0, past_l1 = 0, launch = 0;
};

/// The type whose instructions multiply activations with weights: the wider one, or what the GPU has above
/// it.
NumberType computed(const gpus::Gpu& gpu, const MoeProblem& problem) {
  return computed_as(
      gpu, bits_of(problem.activations) >= bits_of(problem.weights) ? problem.activations : problem.weights);
}

double matrix_share(const gpus::Gpu& gpu, const MoeProblem& problem, NumberType type) {
  const bool wide = !gpu.is_rdna() && gpu.generation >= 4;  // of NVIDIA's as of CDNA4
  double share = constant::kMoeMatrix16;
  if (bits_of(type) == 8) {
    share = wide ? constant::kMoeMatrix8Wide : constant::kMoeMatrix8;
    if (problem.block_scale == 128)
      share *= problem.composable_kernel ? constant::kMoeBlockScaleCk : constant::kMoeBlockScale;
  } else if (bits_of(type) < 8) {
    share = constant::kMoeMatrix4;
  }
  if (bits_of(problem.activations) == 16 && bits_of(problem.weights) < 16) share *= constant::kMoeMixed;
  return share;
}

Stage stage_of(const gpus::Gpu& gpu, const MoeProblem& problem, bool second, double active, double blocks,
               const Conditions& conditions) {
  Stage stage;
  const double n = second ? problem.model_size : problem.inner_size * (problem.gated ? 2 : 1);
  const double k = second ? problem.inner_size : problem.model_size;
  const double hertz = conditions.clock_mhz.value_or(gpu.engine_mhz) * 1e6;
  const double matrix_hertz = conditions.clock_mhz.value_or(std::min(
                                  gpu.sustained_matrix_mhz.value_or(gpu.engine_mhz), gpu.engine_mhz)) *
                              1e6;
  const double units = gpu.compute_units, weight = bytes_of(problem.weights),
               number = bytes_of(problem.activations);
  const double scales = problem.block_scale == 32 ? 1 + 1.0 / 32 / weight : 1;
  const double routed = problem.tokens * problem.chosen;

  stage.weights = active * n * k * weight * scales;
  const double in =
      second ? routed * problem.inner_size * number : problem.tokens * problem.model_size * number;
  const double out = second ? routed * problem.model_size * 2
                            : routed * problem.inner_size * (bits_of(problem.activations) < 16 ? number : 2);
  stage.bytes = stage.weights + in + out;
  stage.memory = stage.bytes / sustained_memory(gpu, 0).bytes_per_second;
  // A workgroup takes 128 columns; few of them cannot draw what the memory delivers.
  double columns = std::ceil(n / 128), draws = std::max(1.0, blocks * columns / units / 4) * 128 * k;
  if (problem.one_kernel) {
    // A workgroup takes a tile of the inner size through both stages, and between them its rows stay in LDS.
    const double tiles = std::ceil(problem.inner_size / problem.tile);
    columns = second ? 0 : tiles;
    draws = std::max(1.0, blocks * tiles / units) * problem.tile * problem.model_size *
            (second || !problem.gated ? 1 : 2);
  }
  const double drawn = draws * weight / (constant::kMoeDraw * hertz);
  const double data = std::hypot(stage.memory, drawn);
  // Every block passes its weights and rows into its unit.
  stage.past_l1 = blocks * n * k * weight + blocks * problem.block * k * number * columns;
  stage.fill = stage.past_l1 / (units * hertz * 64 * constant::kMoeFill);
  const NumberType type = computed(gpu, problem);
  const double rate = matrix_flops(gpu, type) != 0 ? matrix_flops(gpu, type) : vector_flops(gpu, type);
  stage.matrix =
      blocks * problem.block * n * k * 2 / (units * rate * matrix_share(gpu, problem, type) * matrix_hertz);
  // The weighted sums go out by atomics or a second pass.
  stage.scatter = second ? out / (units * hertz * constant::kMoeScatter) : 0;
  // One kernel's other workgroups work on meanwhile.
  stage.seconds = problem.one_kernel ? std::max({data, stage.fill, stage.matrix, stage.scatter})
                                     : std::max({data, stage.fill, stage.matrix}) + stage.scatter;
  stage.memory = data;
  stage.launch = second ? constant::kMoeSecondLaunch : constant::kMoeFirstLaunch;
  return stage;
}

}  // namespace

double expected_blocks(double tokens, double experts, double chosen, double block) {
  const double p = std::min(1.0, chosen / experts);
  if (p >= 1) return experts * std::ceil(tokens / block);
  // The binomial distribution relative to its mode, outwards until nothing is left.
  const double mode = std::floor((tokens + 1) * p), odds = p / (1 - p);
  double weight = 1, all = 1, sum = std::ceil(mode / block);
  double x = mode;
  while (x < tokens) {
    weight *= (tokens - x) / (x + 1) * odds;
    if (weight < 1e-13) break;
    x += 1;
    all += weight, sum += weight * std::ceil(x / block);
  }
  weight = 1, x = mode;
  while (x > 0) {
    weight *= x / ((tokens - x + 1) * odds);
    if (weight < 1e-13) break;
    x -= 1;
    all += weight, sum += weight * std::ceil(x / block);
  }
  return experts * sum / all;
}

Result<MoePrediction> predict_moe(const gpus::Gpu& gpu, const MoeProblem& given,
                                  const Conditions& conditions) {
  for (const double size : {given.tokens, given.experts, given.chosen, given.model_size, given.inner_size})
    if (!(size >= 1))
      return fail(ErrorKind::BadInput, "a mixture of experts over nothing", {}, "every size is at least 1");
  if (given.chosen > given.experts)
    return fail(ErrorKind::BadInput,
                fmt::format("a token cannot go to {} of {} experts", given.chosen, given.experts));
  MoeProblem problem = given;
  if (problem.tile <= 0) problem.tile = std::fmod(problem.inner_size, 256) == 0 ? 256 : 128;
  if (problem.block <= 0) {  // the block that takes least
    double best = 0;
    for (const double block : {16.0, 32.0, 64.0, 128.0, 256.0}) {
      MoeProblem tried = given;
      tried.block = block;
      const Result<MoePrediction> got = predict_moe(gpu, tried, conditions);
      if (got && (best == 0 || got->seconds < best)) best = got->seconds, problem.block = block;
    }
  }
  MoePrediction result;
  result.block = problem.block;
  result.active =
      problem.experts *
      (1 - std::exp(problem.tokens * std::log1p(-std::min(1 - 1e-12, problem.chosen / problem.experts))));
  result.blocks = expected_blocks(problem.tokens, problem.experts, problem.chosen, problem.block);
  const double routed = problem.tokens * problem.chosen;
  result.useful = routed / (result.blocks * problem.block);
  result.clock_mhz = conditions.clock_mhz.value_or(
      std::min(gpu.sustained_matrix_mhz.value_or(gpu.engine_mhz), gpu.engine_mhz));

  Stage sum;
  const auto add = [&](bool second) {
    const Stage stage = stage_of(gpu, problem, second, result.active, result.blocks, conditions);
    sum.seconds += stage.seconds, sum.weights += stage.weights, sum.memory += stage.memory,
        sum.fill += stage.fill;
    sum.matrix += stage.matrix, sum.scatter += stage.scatter, sum.bytes += stage.bytes,
        sum.past_l1 += stage.past_l1;
    if (!problem.one_kernel || !second) sum.launch += stage.launch;
    const double n = second ? problem.model_size : problem.inner_size * (problem.gated ? 2 : 1);
    result.flops += 2 * routed * n * (second ? problem.inner_size : problem.model_size);
  };
  if (problem.stage != MoeStage::Second || problem.one_kernel) add(false);
  if (problem.stage != MoeStage::First || problem.one_kernel) add(true);
  // One kernel adds its sums up in the output, which another has to clear before.
  if (problem.one_kernel)
    sum.launch += constant::kKernelSeconds +
                  problem.tokens * problem.model_size * 2 / sustained_memory(gpu, 1).bytes_per_second;
  result.seconds = sum.seconds + sum.launch;
  result.bytes = sum.bytes;
  const double most = std::max({sum.memory, sum.fill, sum.matrix, sum.scatter, sum.launch});
  result.bound = most == sum.launch    ? "launch"
                 : most == sum.memory  ? memory_name(gpu)
                 : most == sum.fill    ? "L2"
                 : most == sum.scatter ? "scattered sums"
                                       : "matrix";
  const auto exposed = [&](double part) {
    return part == std::max({sum.memory, sum.fill, sum.matrix}) ? part : 0;
  };
  result.parts = {
      {"weights and tokens", sum.memory, exposed(sum.memory)},
      {"into the units", sum.fill, exposed(sum.fill)},
      {"matrix instructions", sum.matrix, exposed(sum.matrix)},
      {"scattered sums", sum.scatter, sum.scatter},
      {"launch", sum.launch, sum.launch},
  };
  const Sustained memory = sustained_memory(gpu, 0), l2 = sustained_l2(gpu, gpu.engine_mhz * 1e6);
  result.levels = {
      {"L2", sum.past_l1, sum.past_l1 / l2.bytes_per_second, l2.bytes_per_second, 0},
      {memory_name(gpu), sum.bytes, sum.bytes / memory.bytes_per_second, memory.bytes_per_second, 0},
  };
  result.notes.push_back(
      fmt::format("random choice gives {:.1f} of {:.0f} experts a token; {:.0f} blocks of {:.0f} rows, "
                  "{:.0f} % of them no padding",
                  result.active, problem.experts, result.blocks, problem.block, 100 * result.useful));
  const NumberType type = computed(gpu, problem);
  if (type != problem.activations && type != problem.weights)
    result.notes.push_back(fmt::format("{} has no matrix instruction for {}: {} is assumed", gpu.name,
                                       name_of(problem.activations), name_of(type)));
  result.notes.emplace_back(
      "sorting the tokens and quantising them are kernels of their own, some 5 us each, not included");
  if (problem.one_kernel)
    result.notes.emplace_back("one kernel adds up in its output, which another clears before: included");
  result.judged = find_judged("moe", gpu);
  result.confidence = result.judged ? Confidence::Medium : Confidence::Low;
  mark_doubt(result, "moe");
  finish(result);
  return result;
}

}  // namespace wavesmith::model
