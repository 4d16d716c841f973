#include "validate/roofline.h"

#include <algorithm>
#include <cmath>
#include <vector>

namespace wavesmith::validate {
namespace {

double error_of(const Roofline& roofline, std::span<const RooflinePoint> points) {
  double sum = 0;
  for (const RooflinePoint& point : points)
    sum += std::abs(roofline.seconds(point.arithmetic, point.memory) - point.measured) / point.measured;
  return sum;
}

}  // namespace

// Coordinate descent in logarithms, from a few starts, with steps that halve: the error has kinks, so no
// derivative is asked for. Deterministic.
Roofline fit_roofline(std::span<const RooflinePoint> all) {
  if (all.empty()) return {};
  // 4,000 evenly chosen points pin three constants.
  std::vector<RooflinePoint> points;
  const size_t step = std::max<size_t>(1, all.size() / 4000);
  for (size_t i = 0; i < all.size(); i += step) points.push_back(all[i]);

  Roofline best;
  double best_error = INFINITY;
  for (const double arithmetic : {0.9, 0.5, 0.2})
    for (const double fixed : {1e-6, 5e-6, 20e-6}) {
      Roofline at{arithmetic, 0.6, fixed};
      double error = error_of(at, points);
      for (double factor = 1.6; factor > 1.002;) {
        bool better = false;
        for (double Roofline::* const member :
             {&Roofline::arithmetic_share, &Roofline::memory_share, &Roofline::fixed_seconds})
          for (const double by : {factor, 1 / factor}) {
            Roofline trial = at;
            trial.*member *= by;
            const double trial_error = error_of(trial, points);
            if (trial_error < error) at = trial, error = trial_error, better = true;
          }
        if (!better) factor = std::sqrt(factor);
      }
      if (error < best_error) best = at, best_error = error;
    }
  return best;
}

}  // namespace wavesmith::validate
