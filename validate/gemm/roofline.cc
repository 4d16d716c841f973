#include "validate/gemm/roofline.h"

#include <fmt/format.h>

#include <algorithm>

#include "validate/report.h"

namespace wavesmith::validate {
namespace {

std::string key_of(const GemmRow& row) {
  return fmt::format("{} {} {}", row.family, model::name_of(row.problem.compute.value_or(row.problem.a)),
                     row.library.starts_with("AITER") ? "AITER" : "BLAS");
}

/// Seconds at the data sheet's peaks: arithmetic, memory.
RooflinePoint point_of(const GemmRow& row) {
  const gpus::Gpu& gpu = **gpus::find_gpu(row.chip);
  const model::GemmProblem& p = row.problem;
  const double m = static_cast<double>(p.m), n = static_cast<double>(p.n), k = static_cast<double>(p.k),
               batch = static_cast<double>(p.batch);
  const double flops = 2 * m * n * k * batch * model::real_products(p.a);
  const double bytes =
      batch * (m * k * model::bytes_of(p.a) + k * n * model::bytes_of(p.b) + m * n * model::bytes_of(p.c));
  const model::NumberType type = p.compute.value_or(p.a);
  const double rate = std::max<double>(model::matrix_flops(gpu, type), model::vector_flops(gpu, type));
  return {flops / (rate * gpu.compute_units * gpu.engine_mhz * 1e6),
          bytes / (gpu.memory_gigabytes_per_second * 1e9), row.seconds};
}

}  // namespace

GemmRooflines::GemmRooflines(std::span<const GemmRow> rows) {
  std::map<std::string, std::vector<RooflinePoint>> points;
  for (const GemmRow& row : rows)
    if (row.half == Half::A) points[key_of(row)].push_back(point_of(row));
  for (const auto& [name, on] : points) fitted_[name] = fit_roofline(on);
}

double GemmRooflines::seconds(const GemmRow& row) const {
  const auto found = fitted_.find(key_of(row));
  if (found == fitted_.end()) return kNone;
  const RooflinePoint at = point_of(row);
  return found->second.seconds(at.arithmetic, at.memory);
}

std::vector<std::string> GemmRooflines::described() const {
  std::vector<std::string> lines;
  for (const auto& [name, roofline] : fitted_)
    lines.push_back(
        fmt::format("calibrated roofline, {}: {:.3f} of the arithmetic, {:.3f} of the bandwidth, {:.2f} us; "
                    "fitted on half A",
                    name, roofline.arithmetic_share, roofline.memory_share, roofline.fixed_seconds * 1e6));
  return lines;
}

}  // namespace wavesmith::validate
