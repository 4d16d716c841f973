#include "model/library/fourier.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "model/elementwise.h"
#include "model/number_type.h"
#include "model/traffic.h"

namespace wavesmith::model {
namespace {

/// rocFFT has butterflies for these primes; other lengths go through Bluestein's method.
bool has_butterflies(double length) {
  auto rest = static_cast<uint64_t>(length);
  for (const uint64_t prime : {2, 3, 5, 7, 11, 13, 17})
    while (rest % prime == 0) rest /= prime;
  return rest == 1;
}

}  // namespace

// The limits are those of rocFFT's plans (library/src/tree_node.cpp, build_1D): one kernel while a row fits
// into half of the LDS, two that take blocks of columns (CS_L1D_CC), three with a transpose beside
// (CS_L1D_CRT), five with three (CS_L1D_TRTRT).
FourierPasses fourier_passes(double length, bool twice) {
  if (length <= 1) return {};
  const double narrow = twice ? 0.5 : 1;
  if (!has_butterflies(length)) {
    const double padded = std::exp2(std::ceil(std::log2(2 * length - 1)));
    // There and back, and three that multiply: by the chirp, in between, and behind.
    return {2 * fourier_passes(padded, twice).count + 3, padded / length};
  }
  const bool power_of_two = std::exp2(std::round(std::log2(length))) == length;
  if (length <= 4096 * narrow) return {1};
  if (power_of_two && length <= 65536 * narrow) return {2};
  if (power_of_two && length <= 262144 * narrow) return {3};
  return {5};
}

Result<Prediction> predict_fourier(const gpus::Gpu& gpu, const FourierProblem& problem,
                                   const Conditions& conditions) {
  for (const double size : {problem.length, problem.height, problem.depth, problem.batch})
    if (!(size >= 1))
      return fail(ErrorKind::BadInput, "a transform of nothing", {}, "every size is at least 1");
  const bool real = problem.kind != FourierProblem::Kind::Complex;
  const double numbers = problem.length * problem.height * problem.depth * problem.batch;
  // Real rows of an even length are complex ones of half of it, and a pass in front or behind that takes them
  // apart: part of the kernel where there is one. Those of an odd length are made complex.
  const bool halved = real && std::fmod(problem.length, 2) == 0;
  const double width = 2 * bytes_of(problem.twice ? NumberType::F64 : NumberType::F32);
  const double bytes = numbers * (halved ? 0.5 : 1) * width;
  struct Pass {
    double growth;
    bool transposes;
  };
  std::vector<Pass> passes;
  const auto add = [&](double length, bool side_by_side) {
    const FourierPasses rows = fourier_passes(length, problem.twice);
    passes.insert(passes.end(), static_cast<size_t>(std::ceil(rows.count)), {rows.growth, false});
    // Kernels that take blocks of columns exist up to 512 rows (SBCC); others stand between two transposes.
    if (!side_by_side && length > 512) passes.insert(passes.end(), 2, {1, true});
  };
  add(halved ? problem.length / 2 : problem.length, true);
  if (real && (!halved || passes.size() > 1)) passes.push_back({1, false});
  add(problem.height, false);
  add(problem.depth, false);
  if (passes.empty()) passes.push_back({1, false});  // a copy

  Prediction result;
  Conditions later = conditions;
  for (const Pass& pass : passes) {
    // What the pass before has written is where it fits.
    const double moved = bytes * pass.growth;
    const auto one = predict_elementwise(
        gpu,
        {.elements = moved / width, .read = moved, .written = moved, .function = ElementwiseFunction::Add},
        later);
    if (!one) return tl::unexpected(one.error());
    later.cold = false;
    result.seconds += one->seconds;
    if (result.bound.empty()) result.bound = one->bound;
    for (const Level& level : one->levels) {
      const auto known = std::ranges::find(result.levels, level.name, &Level::name);
      if (known == result.levels.end())
        result.levels.push_back(level);
      else
        known->bytes += level.bytes, known->seconds += level.seconds;
    }
    result.parts.push_back({pass.transposes ? "transpose" : "pass", one->seconds, one->seconds});
    result.clock_mhz = one->clock_mhz;
  }
  // As they are counted everywhere: 5 N log2 N, half of it for real numbers.
  const double all = problem.length * problem.height * problem.depth;
  result.flops = (real ? 2.5 : 5) * numbers * std::log2(std::max(2.0, all));
  const double vector = result.flops / (vector_flops(gpu, problem.twice ? NumberType::F64 : NumberType::F32) *
                                        gpu.compute_units * result.clock_mhz * 1e6);
  if (vector > result.seconds) result.seconds = vector, result.bound = "vector";
  result.bytes = 2 * bytes;
  result.notes.push_back(fmt::format("{} kernels, each of which reads and writes {:.4g} MB and more",
                                     passes.size(), bytes / 1e6));
  result.notes.emplace_back(
      "never compared with measurements: the kernels are those of rocFFT's plans, each as "
      "fast as a copy");
  result.confidence = Confidence::Low;
  finish(result);
  return result;
}

}  // namespace wavesmith::model
