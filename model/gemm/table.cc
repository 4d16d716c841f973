#include "model/gemm/table.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "model/fitted/read.h"

namespace wavesmith::model {
namespace {

/// Fewer tell little of a GPU for which nothing else was asked.
constexpr uint32_t kFewRows = 100;

bool from_blas(std::string_view schedule) {
  return schedule.starts_with("rocBLAS") || schedule.starts_with("hipBLASLt");
}

/// A GPU of another generation whose rows are among those that the set was fitted on has factors there.
bool has_rows_of(const GemmSet& set, const gpus::Gpu& gpu) {
  return std::ranges::any_of(gemm_factors(), [&](const GemmFactor& factor) {
    return factor.of(set) && std::string_view(gpu.id).starts_with(factor.tag);
  });
}

/// How far a set is from what was asked; less is nearer.
int distance_of(const GemmSet& set, const gpus::Gpu& gpu, NumberType type, bool vector,
                std::string_view schedule) {
  int far = 0;
  const bool blas = set.origin != "AITER";
  // CDNA and RDNA have little in common; generations of one line have.
  if (set.architecture != gpu.architecture && !has_rows_of(set, gpu)) {
    // "CDNA3" is of line "CDNA" and generation 3.
    const int generation = set.architecture.back() - '0';
    const bool same_line = set.architecture.substr(0, set.architecture.size() - 1) == gpu.line;
    far += same_line ? 100 + std::abs(generation - static_cast<int>(gpu.generation)) : 1000;
  }
  if (set.type != type) {
    const int bits = static_cast<int>(bits_of(set.type)), asked = static_cast<int>(bits_of(type));
    const bool halves = bits == 16 && asked == 16;  // the same kernels for f16 and bf16
    far += halves ? 1 : 10 + std::min(std::abs(bits - asked), 64) / 4;
  }
  if (set.vector != vector) far += 40;
  if (!schedule.empty() && blas != from_blas(schedule)) far += 30;
  // A user who names no kernel: AITER's are the newer ones, unless few rows tell.
  if (schedule.empty() && blas) far += 5;
  if (schedule.empty() && set.rows < kFewRows) far += 20;
  if (set.origin == "hipBLASLt" && !schedule.starts_with("hipBLASLt")) far += 1;
  if (set.origin == "BLAS" && schedule.starts_with("hipBLASLt")) far += 1;
  return far;
}

}  // namespace

std::span<const GemmSet> gemm_sets() { return fitted_gemm().sets; }
std::span<const GemmFactor> gemm_factors() { return fitted_gemm().factors; }
std::span<const GemmPart> gemm_parts() { return fitted_gemm().parts; }

std::string doubt_of(const GemmSet& set) {
  // Three digits of the file are compared: what it says is rounded.
  const auto at = [](double value, double bound) { return std::abs(value / bound - 1) < 1e-3; };
  std::string names;
  const auto stopped = [&](std::string_view name, bool least, bool most, const GemmPart& part) {
    if ((least && part.nothing != GemmPart::Nothing::Least) ||
        (most && part.nothing != GemmPart::Nothing::Most))
      names += fmt::format("{}{}", names.empty() ? "" : ", ", name);
  };
  size_t constants = 0;
  for (const GemmPart& part : gemm_parts()) {
    const double value = set.constants.*part.member;
    stopped(part.name, at(value, part.least), at(value, part.most), part);
    ++constants;
    for (const GemmFactor& factor : gemm_factors()) {
      if (!factor.of(set) || factor.member != part.member) continue;
      stopped(fmt::format("{} of {}", part.name, factor.tag), at(factor.value, 1 / GemmFactor::kMost),
              at(factor.value, GemmFactor::kMost), part);
    }
  }
  for (const GemmFactor& factor : gemm_factors()) constants += factor.of(set) ? 1 : 0;
  std::string doubt = few_rows(constants, set.rows);
  if (!names.empty()) doubt += fmt::format("{}at a bound of the fit: {}", doubt.empty() ? "" : "; ", names);
  return doubt;
}

NearestSet nearest_gemm_set(const gpus::Gpu& gpu, NumberType type, bool vector, std::string_view schedule) {
  NearestSet nearest{nullptr, 0};
  for (const GemmSet& set : gemm_sets())
    if (const int far = distance_of(set, gpu, type, vector, schedule); !nearest.set || far < nearest.distance)
      nearest = {&set, far};
  return nearest;
}

}  // namespace wavesmith::model
