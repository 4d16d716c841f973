// Steps of Adam for many arrays of parameters.
#pragma once

#include "kernels/optimiser/list.h"
#include "tile/precise.h"
#include "tile/reduce.h"

namespace wavesmith::kernels {

/// 1 - beta^step = 1 - e^x with x = step * log(beta), within 2^-20 of it. Near 0, where a difference would
/// have lost its digits, it is -x times the series of (e^x - 1) / x.
TILE_DEVICE float bias_correction(float log_beta, float step) {
  const float x = step * log_beta;
  if (x < -0.5f) return 1 - tile::precise::exp(x);
  constexpr float kSeries[] = {1.f / 362880, 1.f / 40320, 1.f / 5040, 1.f / 720, 1.f / 120,
                               1.f / 24,     1.f / 6,     1.f / 2,    1.f};
  float sum = kSeries[0];
  TILE_UNROLL for (int i = 1; i < 9; ++i) sum = __builtin_fmaf(sum, x, kSeries[i]);
  return -x * sum;
}

/// What is the same for all elements of an array.
struct AdamStep {
  float decay, rate, root_of_correction, scale;

  TILE_DEVICE AdamStep(const AdamArguments& g, const AdamEntry& entry) {
    const float step = tile::arch::load_global(entry.step, 0);
    const float given = g.rate_at ? tile::arch::load_global(g.rate_at, 0) : g.rate;
    decay = given * g.weight_decay;
    rate = given / bias_correction(g.log_beta1, step);
    root_of_correction = __builtin_sqrtf(bias_correction(g.log_beta2, step));
    scale = g.gradient_scale ? tile::arch::load_global(g.gradient_scale, 0) : 1;
  }
};

TILE_DEVICE void take_step(const AdamArguments& g) {
  if (g.found_infinity && tile::arch::load_global(g.found_infinity, 0) != 0) return;
  const AdamEntry& entry = g.list.entries[entry_of_workgroup(g.list)];
  const AdamStep step(g, entry);
  each_of_chunk(entry, [&](auto at_once, long first) {
    constexpr int kCount = decltype(at_once)::kValue;
    using Arriving = ArrivingFloats<kCount>;
    const Arriving arriving_parameter(entry.parameter, g.type_parameter, first),
        arriving_gradient(entry.gradient, g.type_gradient, first),
        arriving_average(entry.average, g.type_state, first),
        arriving_squares(entry.average_of_squares, g.type_state, first);
    Arriving arriving_largest;
    if (entry.largest_average) arriving_largest = {entry.largest_average, g.type_state, first};
    float parameter[kCount], gradient[kCount], average[kCount], squares[kCount], largest[kCount];
    arriving_parameter.get(parameter, g.type_parameter);
    arriving_gradient.get(gradient, g.type_gradient);
    arriving_average.get(average, g.type_state);
    arriving_squares.get(squares, g.type_state);
    arriving_largest.get(largest, g.type_state);
    if (g.gradient_scale) {
      TILE_UNROLL for (int i = 0; i < kCount; ++i) gradient[i] /= step.scale;
      store_floats(gradient, entry.gradient, g.type_gradient, first);
    }
    TILE_UNROLL for (int i = 0; i < kCount; ++i) {
      float& p = parameter[i];
      float slope = g.maximise ? -gradient[i] : gradient[i];
      if (g.decoupled)
        p -= step.decay * p;
      else
        slope += g.weight_decay * p;
      average[i] = g.beta1 * average[i] + g.rest1 * slope;
      squares[i] = g.beta2 * squares[i] + g.rest2 * slope * slope;
      if (entry.largest_average) largest[i] = tile::Maximum{}(largest[i], squares[i]);
      const float of = entry.largest_average ? largest[i] : squares[i];
      p -= step.rate * average[i] / (__builtin_sqrtf(of) / step.root_of_correction + g.epsilon);
    }
    store_floats(parameter, entry.parameter, g.type_parameter, first);
    store_floats(average, entry.average, g.type_state, first);
    store_floats(squares, entry.average_of_squares, g.type_state, first);
    if (entry.largest_average) store_floats(largest, entry.largest_average, g.type_state, first);
  });
}

}  // namespace wavesmith::kernels
