#include "model/gemm/constants.h"

#include <fmt/format.h>

#include <algorithm>

#include "model/gemm/table.h"
#include "model/gemm/tiles.h"

namespace wavesmith::model {

GemmConstants with_factors(const gpus::Gpu& gpu, NumberType type, std::string_view schedule,
                           const GemmSet& set, GemmConstants constants, std::span<const GemmFactor> factors) {
  for (const GemmFactor& factor : factors)
    if (factor.of(set) && factor.matches(schedule, gpu.id, type)) constants.*factor.member *= factor.value;
  for (const GemmPart& part : gemm_parts())
    if (part.member == &GemmConstants::matrix_share)
      constants.*part.member = std::min(constants.*part.member, part.most);
  return constants;
}

namespace {

/// Nothing was fitted: the defaults, for kernels whose loads are copied to LDS beside the arithmetic and
/// whose operands go from there to the matrix units (CUTLASS for sm90: TMA and wgmma), so that little of a K
/// step is left uncovered. No row of such a GPU is here; what is published of it was in view: cuBLAS reaches
/// 794 TFLOP/s bf16 and 1403 f8 at most on an H100 (S. Bekman, Machine Learning Engineering, 'Maximum
/// Achievable Matmul FLOPS'), large squares come out at 640 to 680 and 1300.
GemmConstantsFor unfitted_gemm_constants(const gpus::Gpu& gpu) {
  GemmConstantsFor found{.source = "defaults"};
  found.constants.matrix_share = 0.95;
  found.constants.l2_share = 0.7;
  found.constants.overlap = 7;
  found.constants.number_cycles = 0;
  found.constants.stride_cost = 1;  // that of AMD's channels
  found.constants.loaded_mhz = gpu.sustained_matrix_mhz.value_or(0);
  return found;
}

}  // namespace

GemmConstantsFor gemm_constants(const gpus::Gpu& gpu, NumberType type, bool vector,
                                std::string_view schedule) {
  const NearestSet nearest = nearest_gemm_set(gpu, type, vector, schedule);
  // What was fitted for one vendor's kernels says nothing of another's.
  if (!nearest.same_line()) return unfitted_gemm_constants(gpu);
  const GemmSet* const set = nearest.set;
  GemmConstantsFor found{.tuning_run = set->origin != "AITER", .source = set->source, .set = set};
  found.constants = with_factors(gpu, type, schedule, *set, set->constants, gemm_factors());
  found.fit = !nearest.same_generation() ? GemmFit::Borrowed
              : nearest.distance >= 10   ? GemmFit::Neighbour
                                         : GemmFit::Fitted;
  return found;
}

std::string GemmConstantsFor::doubt() const {
  const std::string why = set ? doubt_of(*set) : "";
  if (why.empty()) return why;
  return fmt::format("the constants of {} {}{} kernels, {}: {}", set->architecture, name_of(set->type),
                     set->vector ? " vector" : "", set->origin, why);
}

std::vector<std::string_view> gemm_schedules(const gpus::Gpu& gpu, NumberType type) {
  const NearestSet nearest = nearest_gemm_set(gpu, type, false, {});
  const GemmSet& set = *nearest.set;
  std::vector<std::string_view> found;
  if (set.origin != "AITER" || !nearest.same_line()) return found;
  for (const GemmTile& tile : gemm_tiles())
    if (tile.of(set, set.architecture, tile.schedule) && (found.empty() || found.back() != tile.schedule))
      found.push_back(tile.schedule);
  return found;
}

std::vector<std::string> describe_gemm_constants() {
  const auto name_of_member = [](double GemmConstants::* member) -> std::string_view {
    for (const GemmPart& part : gemm_parts())
      if (part.member == member) return part.name;
    return "clock_ratio";
  };
  std::vector<std::string> lines;
  for (const GemmSet& set : gemm_sets()) {
    std::string line =
        fmt::format("{} {}{}, {} (half A of {}, {} rows):", set.architecture, name_of(set.type),
                    set.vector ? " vector" : "", set.origin, set.source, set.rows);
    for (const GemmPart& part : gemm_parts())
      line += fmt::format(" {} {:.3g},", part.name, set.constants.*part.member);
    line.pop_back();
    for (const GemmFactor& factor : gemm_factors())
      if (factor.of(set))
        line += fmt::format("; {}: {} x {:.3g}", factor.tag, name_of_member(factor.member), factor.value);
    if (const std::string doubt = doubt_of(set); !doubt.empty()) line += "; LOW CONFIDENCE: " + doubt;
    lines.push_back(std::move(line));
  }
  lines.push_back(fmt::format(
      "slow start, MI300X, BLAS (half A of tensile_gemm, 23 rows): {:.0f} ns a compute unit that has work",
      kSlowStartSeconds * 1e9));
  return lines;
}

}  // namespace wavesmith::model
