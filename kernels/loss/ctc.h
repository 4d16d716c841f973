// Connectionist temporal classification. A workgroup has a sequence, and goes through its steps: each thread
// has states, whose logarithms of probability come from those of three states a step before. The gradient's
// second part has a workgroup for each step.
#pragma once

#include "kernels/linalg/team.h"
#include "kernels/loss/ctc_arguments.h"
#include "kernels/pointwise/argument.h"
#include "kernels/pointwise/double_functions.h"
#include "tile/arch/here.h"
#include "tile/precise.h"

namespace wavesmith::kernels {

/// The logarithm of 0: of what is not reached.
template <class C>
inline constexpr C kNever = -static_cast<C>(__builtin_inf());

TILE_DEVICE float power_of_e(float x) { return tile::precise::exp(x); }
TILE_DEVICE double power_of_e(double x) { return wide::exp(x); }
TILE_DEVICE float logarithm(float x) { return tile::precise::log(x); }
TILE_DEVICE double logarithm(double x) { return wide::log(x); }

/// The logarithm of the sum of what a, b and c are logarithms of.
template <class C>
TILE_DEVICE C logarithm_of_sum(C a, C b, C c) {
  C largest = a > b ? a : b;
  largest = c > largest ? c : largest;
  // One after the other: three at once keep more masks than there are scalar registers.
  C sum = 0;
  TILE_KEEP_LOOP for (int which = 0; which < 3; ++which) sum += power_of_e((which == 0   ? a
                                                                            : which == 1 ? b
                                                                                         : c) -
                                                                           largest);
  return largest == kNever<C> ? a + b + c : largest + logarithm(sum);  // NaN stays
}

template <class C>
TILE_DEVICE C load_number(const void* data, long byte) {
  return tile::arch::load_at<C>(reinterpret_cast<tile::u64>(data) + static_cast<tile::u64>(byte));
}
template <class C>
TILE_DEVICE void store_number(void* data, long byte, C number) {
  tile::arch::store_at(reinterpret_cast<tile::u64>(data) + static_cast<tile::u64>(byte), number);
}

/// A sequence of a launch.
template <class C>
struct CtcStates {
  const CtcArguments& g;
  int number, steps, labels, count;  ///< of all sequences, and its sizes
  long first;

  TILE_DEVICE CtcStates(const CtcArguments& g_, int in_launch) : g(g_) {
    const CtcSequence& one = g.sequences[in_launch];
    number = g.first_sequence + in_launch;
    steps = one.steps, labels = one.labels, first = one.first;
    count = 2 * labels + 1;
  }
  /// The class of a state.
  [[nodiscard]] TILE_DEVICE long label(int state) const {
    if (state % 2 == 0) return g.blank;
    const long byte = (first + state / 2) * g.target_step;
    const long label =
        g.target_is_short != 0 ? long{load_number<int>(g.targets, byte)} : load_number<long>(g.targets, byte);
    if (label < 0 || label >= g.classes) __builtin_trap();
    return label;
  }
  [[nodiscard]] TILE_DEVICE C log_prob(int time, long label) const {
    return load_number<C>(g.log_probs, time * g.time_step + number * g.sequence_step + label * g.class_step);
  }
  /// Where a step's states lie in alphas and betas.
  [[nodiscard]] TILE_DEVICE long row(int time) const {
    return (static_cast<long>(number) * g.times + time) * g.states * static_cast<long>(sizeof(C));
  }
  [[nodiscard]] TILE_DEVICE static C at(const void* data, long row, int state) {
    return load_number<C>(data, row + state * static_cast<long>(sizeof(C)));
  }
  TILE_DEVICE static void put(void* data, long row, int state, C number) {
    store_number(data, row + state * static_cast<long>(sizeof(C)), number);
  }
};

template <class C>
TILE_DEVICE void ctc_alphas(const CtcArguments& g) {
  const CtcStates<C> states(g, tile::arch::workgroup_id());
  const int thread = tile::arch::thread_id();
  TILE_KEEP_LOOP for (int time = 0; time < g.times; ++time) {
    const long row = states.row(time), before = states.row(time - 1);
    TILE_KEEP_LOOP for (int state = thread; state < g.states; state += kCtcThreads) {
      C alpha = kNever<C>;
      if (state < states.count && time < states.steps) {
        const long label = states.label(state);
        if (time == 0) {
          if (state < 2) alpha = states.log_prob(0, label);
        } else {
          const C same = states.at(g.alphas, before, state);
          C next = kNever<C>, over = kNever<C>;
          if (state > 0) next = states.at(g.alphas, before, state - 1);
          if (state > 2 && state % 2 == 1 && label != states.label(state - 2))
            over = states.at(g.alphas, before, state - 2);
          alpha = logarithm_of_sum(same, next, over) + states.log_prob(time, label);
        }
      }
      states.put(g.alphas, row, state, alpha);
    }
    meet();
  }
  if (thread != 0) return;
  C loss = states.labels == 0 ? C() : -kNever<C>;
  if (states.steps > 0) {
    const long row = states.row(states.steps - 1);
    const C last = states.at(g.alphas, row, states.count - 1);
    const C before = states.labels == 0 ? kNever<C> : states.at(g.alphas, row, states.count - 2);
    loss = -logarithm_of_sum(last, before, kNever<C>);
  }
  store_number(g.losses, states.number * static_cast<long>(sizeof(C)), loss);
}

/// As alphas, from behind: given all steps from this one on.
template <class C>
TILE_DEVICE void ctc_betas(const CtcArguments& g) {
  const CtcStates<C> states(g, tile::arch::workgroup_id());
  const int thread = tile::arch::thread_id();
  TILE_KEEP_LOOP for (int time = states.steps - 1; time >= 0; --time) {
    const long row = states.row(time), after = states.row(time + 1);
    TILE_KEEP_LOOP for (int state = thread; state < states.count; state += kCtcThreads) {
      const long label = states.label(state);
      C beta = kNever<C>;
      if (time == states.steps - 1) {
        if (state + 2 >= states.count) beta = states.log_prob(time, label);
      } else {
        const C same = states.at(g.betas, after, state);
        C next = kNever<C>, over = kNever<C>;
        if (state + 1 < states.count) next = states.at(g.betas, after, state + 1);
        if (state + 2 < states.count && state % 2 == 1 && label != states.label(state + 2))
          over = states.at(g.betas, after, state + 2);
        beta = logarithm_of_sum(same, next, over) + states.log_prob(time, label);
      }
      states.put(g.betas, row, state, beta);
    }
    meet();
  }
}

/// The sum over the workgroup, in each thread.
template <class C>
TILE_DEVICE C sum_of_threads(C value, C (&waves)[kCtcThreads / tile::arch::kHere.wave_lanes]) {
  constexpr int kWave = tile::arch::kHere.wave_lanes;
  TILE_KEEP_LOOP for (int distance = 1; distance < kWave; distance *= 2) value +=
      from_lane_of(value, tile::arch::lane_id() ^ distance);
  waves[tile::arch::thread_id() / kWave] = value;
  meet();
  value = 0;
  TILE_UNROLL for (int wave = 0; wave < kCtcThreads / kWave; ++wave) value += waves[wave];
  return value;
}

/// A workgroup for each step of each sequence: what the classes have without labels, and then the states'
/// shares.
template <class C>
TILE_DEVICE void ctc_gradient(const CtcArguments& g) {
  TILE_SHARED static C waves[kCtcThreads / tile::arch::kHere.wave_lanes];
  const int time = tile::arch::workgroup_id() % g.times;
  const CtcStates<C> states(g, tile::arch::workgroup_id() / g.times);
  const int thread = tile::arch::thread_id();
  const long to = time * g.time_gradient + states.number * g.sequence_gradient;
  const C loss = load_number<C>(g.losses, states.number * static_cast<long>(sizeof(C)));
  const C scale = load_number<C>(g.upstream, states.number * g.upstream_step);
  const bool is_there = time < states.steps;
  const bool is_possible = loss != -kNever<C> && loss != kNever<C>;
  const C otherwise = is_there && g.zero_infinity == 0 ? C(__builtin_nan("")) : C();
  TILE_KEEP_LOOP for (int at = thread; at < g.classes; at += kCtcThreads) {
    const C share = is_there && is_possible ? power_of_e(states.log_prob(time, at)) * scale : otherwise;
    store_number(g.gradient, to + at * g.class_gradient, share);
  }
  if (!is_there || !is_possible) return;
  meet();
  C blanks = 0;
  const long row = states.row(time);
  TILE_KEEP_LOOP for (int state = thread; state < states.count; state += kCtcThreads) {
    const long label = states.label(state);
    const C log = states.at(g.alphas, row, state) + states.at(g.betas, row, state) -
                  states.log_prob(time, label) + loss;
    const C share = power_of_e(log) * scale;
    if (label == g.blank) {
      blanks += share;
    } else {
      const tile::u64 place =
          reinterpret_cast<tile::u64>(g.gradient) + static_cast<tile::u64>(to + label * g.class_gradient);
      __hip_atomic_fetch_add(reinterpret_cast<__attribute__((address_space(1))) C*>(place), -share,
                             __ATOMIC_RELAXED, __HIP_MEMORY_SCOPE_AGENT);
    }
  }
  blanks = sum_of_threads(blanks, waves);
  if (thread != 0) return;
  const long place = to + static_cast<long>(g.blank) * g.class_gradient;
  store_number(g.gradient, place, load_number<C>(g.gradient, place) - blanks);
}

}  // namespace wavesmith::kernels
