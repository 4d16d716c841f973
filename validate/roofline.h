// The calibrated roofline, which every model has to beat. Three constants are fitted per chip and type: the
// share of the arithmetic peak, the share of the memory's bandwidth, and a fixed time.
#pragma once

#include <span>

namespace wavesmith::validate {

struct RooflinePoint {
  double arithmetic = 0;  ///< seconds at the peak
  double memory = 0;      ///< seconds at the peak bandwidth
  double measured = 0;    ///< seconds
};

struct Roofline {
  double arithmetic_share = 1, memory_share = 1, fixed_seconds = 0;

  [[nodiscard]] double seconds(double arithmetic, double memory) const {
    const double a = arithmetic / arithmetic_share, m = memory / memory_share;
    return (a > m ? a : m) + fixed_seconds;
  }
};

/// The constants with the least mean relative error on the points; those of the data sheet for no points.
Roofline fit_roofline(std::span<const RooflinePoint> points);

}  // namespace wavesmith::validate
