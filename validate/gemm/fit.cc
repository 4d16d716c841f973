#include "validate/gemm/fit.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <span>
#include <vector>

#include "model/gemm/table.h"
#include "model/gemm/time.h"
#include "validate/gemm/row.h"
#include "validate/gemm/tiles.h"

namespace wavesmith::validate {
namespace {

using model::GemmConstants;
using model::GemmFactor;
using model::GemmSet;

/// A row with what does not change while fitting.
struct Point {
  const gpus::Gpu* gpu;
  const GemmRow* row;
  model::GemmKernel kernel;
  double weight = 1;
};

/// A constant or a factor, as its logarithm.
struct Unknown {
  double GemmConstants::* member = nullptr;  ///< of the set; or
  size_t factor = 0;                         ///< of the factors, when there is no member
  double prior = 0, least = -INFINITY, most = INFINITY;
};

/// One set's problem: residuals as a function of the unknowns' logarithms.
class Problem {
 public:
  Problem(const GemmSet& set, std::vector<Point> points) : set_(set), points_(std::move(points)) {
    const GemmConstants defaults;
    for (const model::GemmPart& part : model::gemm_parts()) {
      unknowns_.push_back(
          {part.member, 0, std::log(defaults.*part.member), std::log(part.least), std::log(part.most)});
      start_.push_back(std::log(std::clamp(set.constants.*part.member, part.least, part.most)));
    }
    for (const GemmFactor& factor : model::gemm_factors())
      if (factor.of(set)) {
        factors_.push_back(factor);
        unknowns_.push_back(
            {nullptr, factors_.size() - 1, 0, -std::log(GemmFactor::kMost), std::log(GemmFactor::kMost)});
        start_.push_back(std::log(factor.value));
      }
  }

  [[nodiscard]] const std::vector<double>& start() const { return start_; }
  [[nodiscard]] size_t size() const { return unknowns_.size(); }
  [[nodiscard]] const Unknown& unknown(size_t i) const { return unknowns_[i]; }

  void apply(std::span<const double> at, GemmConstants& constants, std::vector<GemmFactor>& factors) const {
    constants = set_.constants;
    factors = factors_;
    for (size_t i = 0; i < at.size(); ++i)
      if (unknowns_[i].member)
        constants.*unknowns_[i].member = std::exp(at[i]);
      else
        factors[unknowns_[i].factor].value = std::exp(at[i]);
  }

  /// Square roots of the robust costs: their squares add up to what is to be least. Soft L1 beyond 3 %: one
  /// wild row does not pull. The same for how far a constant is from its default.
  std::vector<double> residuals(std::span<const double> at) const {
    constexpr double kScale = 0.03, kPull = 0.001;
    GemmConstants constants;
    std::vector<GemmFactor> factors;
    apply(at, constants, factors);
    std::vector<double> out;
    out.reserve(points_.size() + at.size());
    for (const Point& point : points_) {
      const GemmConstants q = model::with_factors(*point.gpu, model::gemm_type(point.row->problem),
                                                  point.row->kernel->schedule, set_, constants, factors);
      const double seconds =
          model::gemm_time(*point.gpu, point.row->problem, point.kernel, q, point.row->conditions).seconds;
      const double z = std::log(seconds / point.row->seconds) / kScale;
      const double cost = 2 * (std::sqrt(1 + z * z) - 1);
      out.push_back(std::copysign(std::sqrt(cost * point.weight), z));
    }
    const double pull = kPull * std::sqrt(static_cast<double>(points_.size())) / kScale;
    for (size_t i = 0; i < at.size(); ++i) {
      const double z = pull * (at[i] - unknowns_[i].prior);
      out.push_back(std::copysign(std::sqrt(2 * (std::sqrt(1 + z * z) - 1)), z));
    }
    return out;
  }

 private:
  const GemmSet& set_;
  std::vector<Point> points_;
  std::vector<GemmFactor> factors_;
  std::vector<Unknown> unknowns_;
  std::vector<double> start_;
};

double sum_of_squares(std::span<const double> values) {
  double sum = 0;
  for (const double value : values) sum += value * value;
  return sum;
}

/// Solves the symmetric positive definite system in place, by Cholesky; false when it is none.
bool solve(std::vector<double>& matrix, std::vector<double>& right) {
  const size_t n = right.size();
  for (size_t j = 0; j < n; ++j) {
    for (size_t i = j; i < n; ++i) {
      double sum = matrix[i * n + j];
      for (size_t k = 0; k < j; ++k) sum -= matrix[i * n + k] * matrix[j * n + k];
      if (i == j) {
        if (sum <= 0) return false;
        matrix[j * n + j] = std::sqrt(sum);
      } else {
        matrix[i * n + j] = sum / matrix[j * n + j];
      }
    }
  }
  for (size_t i = 0; i < n; ++i) {
    for (size_t k = 0; k < i; ++k) right[i] -= matrix[i * n + k] * right[k];
    right[i] /= matrix[i * n + i];
  }
  for (size_t i = n; i-- > 0;) {
    for (size_t k = i + 1; k < n; ++k) right[i] -= matrix[k * n + i] * right[k];
    right[i] /= matrix[i * n + i];
  }
  return true;
}

/// Levenberg and Marquardt, with differences for derivatives; bounds by clamping.
std::vector<double> minimise(const Problem& problem, int steps) {
  constexpr double kStep = 2e-3;
  const size_t n = problem.size();
  std::vector<double> at = problem.start(), here = problem.residuals(at);
  double cost = sum_of_squares(here), damping = 1e-2;
  for (int step = 0; step < steps; ++step) {
    std::vector<std::vector<double>> slope(n);
    for (size_t i = 0; i < n; ++i) {
      std::vector<double> moved = at;
      const double by = at[i] + kStep <= problem.unknown(i).most ? kStep : -kStep;
      moved[i] += by;
      slope[i] = problem.residuals(moved);
      for (size_t row = 0; row < here.size(); ++row) slope[i][row] = (slope[i][row] - here[row]) / by;
    }
    std::vector<double> normal(n * n), gradient(n);
    for (size_t i = 0; i < n; ++i) {
      for (size_t row = 0; row < here.size(); ++row) gradient[i] -= slope[i][row] * here[row];
      for (size_t j = 0; j <= i; ++j) {
        double sum = 0;
        for (size_t row = 0; row < here.size(); ++row) sum += slope[i][row] * slope[j][row];
        normal[i * n + j] = normal[j * n + i] = sum;
      }
    }
    // What stands at a bound and is pushed against it stays out of the step.
    for (size_t i = 0; i < n; ++i) {
      const bool stuck = (at[i] >= problem.unknown(i).most - 1e-9 && gradient[i] > 0) ||
                         (at[i] <= problem.unknown(i).least + 1e-9 && gradient[i] < 0);
      if (!stuck) continue;
      gradient[i] = 0;
      for (size_t j = 0; j < n; ++j) normal[i * n + j] = normal[j * n + i] = 0;
      normal[i * n + i] = 1;
    }
    bool better = false;
    for (int tries = 0; tries < 12 && !better; ++tries) {
      std::vector<double> matrix = normal, change = gradient;
      for (size_t i = 0; i < n; ++i) matrix[i * n + i] += damping * normal[i * n + i] + 1e-9;
      if (solve(matrix, change)) {
        std::vector<double> trial = at;
        for (size_t i = 0; i < n; ++i)
          trial[i] = std::clamp(at[i] + std::clamp(change[i], -1.0, 1.0), problem.unknown(i).least,
                                problem.unknown(i).most);
        std::vector<double> there = problem.residuals(trial);
        if (const double now = sum_of_squares(there); now < cost) {
          better = true;
          const double gain = (cost - now) / cost;
          at = std::move(trial), here = std::move(there), cost = now;
          damping = std::max(damping / 4, 1e-6);
          if (gain < 3e-5 && step > 8) return at;
          continue;
        }
      }
      damping *= 4;
    }
    if (!better) break;
  }
  return at;
}

/// At most `most` points; a kind of size with few rows keeps more of them, and all kinds weigh about the
/// same.
std::vector<Point> thinned(const std::vector<Point>& all, size_t most) {
  const auto kind = [](const Point& point) {
    const uint64_t m = point.row->problem.m;
    return (m <= 16 ? 0 : m <= 128 ? 1 : m <= 1024 ? 2 : 3) + (point.kernel.split_k > 1 ? 4 : 0);
  };
  std::array<std::vector<const Point*>, 8> kinds;
  for (const Point& point : all) kinds[kind(point)].push_back(&point);
  double roots = 0;
  for (const auto& each : kinds) roots += std::sqrt(static_cast<double>(each.size()));
  std::vector<Point> kept;
  for (const auto& each : kinds) {
    if (each.empty()) continue;
    const double share = std::sqrt(static_cast<double>(each.size())) / roots * static_cast<double>(most);
    const double stride = all.size() <= most ? 1 : std::max(1.0, static_cast<double>(each.size()) / share);
    const size_t first = kept.size();
    double at = 0;
    while (at < static_cast<double>(each.size())) {
      kept.push_back(*each[static_cast<size_t>(at)]);
      at += stride;
    }
    const double weight =
        std::sqrt(static_cast<double>(each.size())) / roots / static_cast<double>(kept.size() - first);
    for (size_t i = first; i < kept.size(); ++i) kept[i].weight = weight;
  }
  for (Point& point : kept) point.weight *= static_cast<double>(kept.size());
  return kept;
}

/// A set as model/fitted/gemm.toml has it.
std::string text_of(const GemmSet& set, size_t rows, const GemmConstants& constants,
                    std::span<const GemmFactor> factors) {
  std::string text = fmt::format(
      "\n[[set]]\narchitecture = \"{}\"\ntype = \"{}\"\nvector = {}\norigin = \"{}\"\nrows = {}\nsource = \"{}\"\n",
      set.architecture, model::name_of(set.type), set.vector, set.origin, rows, set.source);
  for (const model::GemmPart& part : model::gemm_parts())
    text += fmt::format("{} = {:.4g}\n", part.name, constants.*part.member);
  std::string_view tag;
  for (const GemmFactor& factor : factors) {
    std::string_view name = "clock_ratio";
    for (const model::GemmPart& part : model::gemm_parts())
      if (part.member == factor.member) name = part.name;
    if (factor.tag != tag) text += fmt::format("\n[[set.factors]]\ntag = \"{}\"\n", factor.tag);
    tag = factor.tag;
    text += fmt::format("{} = {:.4g}\n", name, factor.value);
  }
  return text;
}

}  // namespace

Result<std::string> fit_gemm(Data& data, const GemmFitOptions& options) {
  GemmRows rows;
  for (const auto& [kind, read] :
       {std::pair{TableKind::Tensile, &tensile_rows}, {TableKind::Published, &aiter_rows}}) {
    const Result<std::vector<const Csv*>> tables = data.own(kind);
    if (!tables) return tl::unexpected(tables.error());
    for (const Csv* csv : *tables) {
      Result<GemmRows> more = read(*csv);
      if (!more) return tl::unexpected(more.error());
      rows.rows.insert(rows.rows.end(), more->rows.begin(), more->rows.end());
    }
  }
  std::map<const GemmSet*, std::vector<Point>> of_set;
  for (const GemmRow& row : rows.rows) {
    if (row.half != Half::A || !row.kernel || row.kernel->tile_m == 0) continue;
    const gpus::Gpu& gpu = **gpus::find_gpu(row.chip);
    const model::NumberType type = model::gemm_type(row.problem);
    const bool vector = row.kernel->vector || model::matrix_flops(gpu, type) == 0;
    const model::NearestSet nearest = model::nearest_gemm_set(gpu, type, vector, row.kernel->schedule);
    if (nearest.has_the_kernels())
      of_set[nearest.set].push_back({&gpu, &row, model::complete_kernel(gpu, row.problem, *row.kernel)});
  }

  std::string text;
  size_t done = 0;
  for (const GemmSet& set : model::gemm_sets()) {
    data.tell(fmt::format("{} of {} sets of constants fitted", done++, model::gemm_sets().size()));
    const std::string name = fmt::format("{} {}{} {}", set.architecture, model::name_of(set.type),
                                         set.vector ? " vector" : "", set.origin);
    const std::vector<Point>& points = of_set[&set];
    GemmConstants constants = set.constants;
    std::vector<GemmFactor> factors;
    for (const GemmFactor& factor : model::gemm_factors())
      if (factor.of(set)) factors.push_back(factor);
    if (!points.empty() && name.find(options.only) != name.npos) {
      const Problem problem(set, thinned(points, options.rows));
      problem.apply(minimise(problem, options.steps), constants, factors);
    }
    text += text_of(set, points.size(), constants, factors);
  }
  return text + count_gemm_tiles(rows);
}

}  // namespace wavesmith::validate
