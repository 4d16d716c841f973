#include "gpus/power.h"

#include <algorithm>

namespace wavesmith::gpus {
namespace {

/// The highest clock between `low`, which may draw what is allowed, and `high`, at which `drawn(mhz)` does.
/// What is drawn rises with the clock: the interval is halved.
template <class Drawn>
Clock highest_within(double low, double high, double allowed, Drawn drawn) {
  if (drawn(high) <= allowed) return {high, false, Kind::Modelled};
  for (int i = 0; i < 40; ++i) {
    const double middle = (low + high) / 2;
    (drawn(middle) <= allowed ? low : high) = middle;
  }
  return {low, true, Kind::Modelled};
}

}  // namespace

Clock clock_under_power(const Gpu& gpu, const Activity& activity) {
  const double peak = gpu.engine_mhz;
  if (!gpu.static_watts || !gpu.voltage_floor || !gpu.matrix_f16_pj || !gpu.matrix_bf16_pj ||
      !gpu.matrix_f8_pj)
    return {peak, false, Kind::Read};
  const double joules =
      1e-12 * (activity.matrix_f16 * *gpu.matrix_f16_pj + activity.matrix_bf16 * *gpu.matrix_bf16_pj +
               activity.matrix_f8 * *gpu.matrix_f8_pj);  // a clock, at the peak's voltage
  const auto watts = [&](double mhz) {
    const double voltage = *gpu.voltage_floor + (1 - *gpu.voltage_floor) * mhz / peak;
    return *gpu.static_watts + joules * mhz * 1e6 * voltage * voltage;
  };
  return highest_within(0, peak, gpu.watts, watts);
}

Clock clock_of_full_pipes(const Gpu& gpu, const Activity& activity) {
  constexpr double kFloor = 0.4;
  const double peak = gpu.engine_mhz, full = gpu.sustained_matrix_mhz.value_or(0);
  if (!gpu.matrix_f16 || !gpu.matrix_bf16 || !gpu.matrix_f8 || full <= 0 || full >= peak)
    return {peak, false, Kind::Read};
  const double units = gpu.compute_units;
  const double busy = std::min(1.0, activity.matrix_f16 / (units * gpu.matrix_f16) +
                                        activity.matrix_bf16 / (units * gpu.matrix_bf16) +
                                        activity.matrix_f8 / (units * gpu.matrix_f8));
  const auto drawn = [&](double mhz) {
    const double voltage = kFloor + (1 - kFloor) * mhz / peak;
    return mhz * voltage * voltage;
  };
  return highest_within(full, peak, drawn(full), [&](double mhz) { return busy * drawn(mhz); });
}

}  // namespace wavesmith::gpus
