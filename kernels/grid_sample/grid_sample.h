// Sampling at the places of a grid: a thread has a place, and goes through all channels of it.
#pragma once

#include "kernels/grid_sample/grid_sample_arguments.h"
#include "kernels/pointwise/argument.h"
#include "kernels/pointwise/load_float.h"

namespace wavesmith::kernels {

/// Where a place is along one dimension, and how that moves with the grid's number.
template <class C>
struct Place {
  C at, slope;
};

template <class C>
TILE_DEVICE Place<C> reflected(C at, int size, bool aligned) {
  const C low = aligned ? C(0) : C(-0.5), span = aligned ? C(size - 1) : C(size);
  if (span == 0) return {0, 0};
  const C distance = __builtin_elementwise_abs(at - low);
  const C flips = __builtin_elementwise_floor(distance / span), rest = distance - flips * span;
  const bool odd = __builtin_elementwise_floor(flips / 2) * 2 != flips;
  return {(odd ? span - rest : rest) + low, (at < low) != odd ? C(-1) : C(1)};
}

/// Where the padding takes a place from.
template <class C>
TILE_DEVICE Place<C> bounded(const GridSampleArguments& g, C at, int size) {
  if (g.padding == WAVESMITH_GRID_SAMPLE_ZEROS) return {at, 1};
  Place<C> place{at, 1};
  if (g.padding == WAVESMITH_GRID_SAMPLE_REFLECTION) place = reflected(at, size, g.aligned != 0);
  const C last = C(size - 1);
  if (!(place.at > 0 && place.at < last)) place.slope = 0;
  place.at = place.at > 0 ? place.at : C(0);
  place.at = place.at < last ? place.at : last;
  return place;
}

/// The neighbours along one dimension; those outside have no step and count for nothing.
template <class C, int kTaps>
struct Taps {
  int index[kTaps];
  bool inside[kTaps];
  C weight[kTaps], slope[kTaps];

  TILE_DEVICE Taps(const GridSampleArguments& g, C number, int size) {
    const C scale = g.aligned != 0 ? C(size - 1) / 2 : C(size) / 2;
    C at = g.aligned != 0 ? (number + 1) * scale : ((number + 1) * C(size) - 1) / 2;
    if (!(__builtin_elementwise_abs(at) < C(0x1p31))) at = -100;  // no place
    if constexpr (kTaps == 4)
      cubic(g, at, size, scale);
    else
      linear(g, at, size, scale);
  }

 private:
  TILE_DEVICE void set(int tap, C place, int size, C weight_, C slope_) {
    inside[tap] = place >= 0 && place <= C(size - 1);
    index[tap] = inside[tap] ? static_cast<int>(place) : 0;
    weight[tap] = weight_, slope[tap] = slope_;
  }
  TILE_DEVICE void linear(const GridSampleArguments& g, C at, int size, C scale) {
    const Place<C> place = bounded(g, at, size);
    if (g.mode == WAVESMITH_GRID_SAMPLE_NEAREST) {
      set(0, __builtin_elementwise_rint(place.at), size, 1, 0);
      set(1, -1, size, 0, 0);
      return;
    }
    const C low = __builtin_elementwise_floor(place.at), above = place.at - low, slope_ = scale * place.slope;
    set(0, low, size, 1 - above, -slope_);
    set(1, low + 1, size, above, slope_);
  }
  TILE_DEVICE void cubic(const GridSampleArguments& g, C at, int size, C scale) {
    constexpr C kA = C(-0.75);
    const C low = __builtin_elementwise_floor(at), t = at - low;
    TILE_UNROLL for (int tap = 0; tap < 4; ++tap) {
      const C away = t - C(tap - 1), x = __builtin_elementwise_abs(away);
      const bool near = tap == 1 || tap == 2;
      const C w = near ? ((kA + 2) * x - (kA + 3)) * x * x + 1 : (((x - 5) * x + 8) * x - 4) * kA;
      const C s = near ? (3 * (kA + 2) * x - 2 * (kA + 3)) * x : ((3 * x - 10) * x + 8) * kA;
      set(tap, bounded(g, low + C(tap - 1), size).at, size, w, s * (away < 0 ? -scale : scale));
    }
  }
};

/// A thread's place, and its neighbours.
template <class C, int kTaps>
struct Sample {
  unsigned element, batch, place;
  tile::u64 x, y;
  Taps<C, kTaps> columns, rows;
  Taps<C, 2> layers;

  TILE_DEVICE Sample(const GridSampleArguments& g, unsigned element_)
      : element(element_),
        batch(g.places.quotient(element_)),
        place(element_ - batch * g.places.divisor),
        x(reinterpret_cast<tile::u64>(g.x.data) + static_cast<tile::u64>(batch * g.x.steps[4])),
        y(reinterpret_cast<tile::u64>(g.y.data) +
          static_cast<tile::u64>(place * g.y.steps[0] + batch * g.y.steps[2])),
        columns(g, number(g, 0), g.sizes[0]),
        rows(g, number(g, 1), g.sizes[1]),
        layers(g, g.dimensions == 3 ? number(g, 2) : C(0), g.sizes[2]) {}

  [[nodiscard]] TILE_DEVICE tile::u64 of_grid(const GridSampleOperand& grid, int which) const {
    return reinterpret_cast<tile::u64>(grid.data) +
           static_cast<tile::u64>(which * grid.steps[0] + place * grid.steps[1] + batch * grid.steps[2]);
  }
  [[nodiscard]] TILE_DEVICE C number(const GridSampleArguments& g, int which) const {
    return load_float<C>(of_grid(g.grid, which), g.grid.type);
  }
  /// Calls for each neighbour that there is.
  template <class Visit>
  TILE_DEVICE void each(const GridSampleArguments& g, Visit visit) const {
    constexpr int kLayers = kTaps == 2 ? 2 : 1;  // cubic ones are of two dimensions
    TILE_UNROLL for (int k = 0; k < kLayers; ++k) {
      // In two dimensions there is one layer, whatever its place.
      if (g.dimensions == 2 ? k > 0 : !layers.inside[k]) continue;
      const C depth = g.dimensions == 2 ? C(1) : layers.weight[k];
      const int layer = g.dimensions == 2 ? 0 : layers.index[k];
      TILE_UNROLL for (int i = 0; i < kTaps; ++i) {
        TILE_UNROLL for (int j = 0; j < kTaps; ++j) if (rows.inside[i] && columns.inside[j])
            visit(layer, i, j, depth, layers.slope[k]);
      }
    }
  }
  [[nodiscard]] TILE_DEVICE tile::u64 offset(const GridSampleOperand& of, int layer, int i, int j) const {
    return static_cast<tile::u64>(columns.index[j] * of.steps[0] + rows.index[i] * of.steps[1] +
                                  layer * of.steps[2]);
  }
};

TILE_DEVICE unsigned sampling_element() {
  return static_cast<unsigned>(tile::arch::workgroup_id()) * kGridSampleThreads +
         static_cast<unsigned>(tile::arch::thread_id());
}

template <class C, int kTaps>
TILE_DEVICE void sample(const GridSampleArguments& g) {
  const unsigned element = sampling_element();
  if (element >= g.elements) return;
  const Sample<C, kTaps> one(g, element);
  TILE_KEEP_LOOP for (int channel = 0; channel < g.channels; ++channel) {
    const tile::u64 x = one.x + static_cast<tile::u64>(channel * g.x.steps[3]);
    C sum = 0;
    one.each(g, [&](int layer, int i, int j, C depth, C /*slope*/) {
      sum += load_float<C>(x + one.offset(g.x, layer, i, j), g.x.type) *
             (depth * one.rows.weight[i] * one.columns.weight[j]);
    });
    store_element(one.y + static_cast<tile::u64>(channel * g.y.steps[1]), g.y.type, sum);
  }
}

template <class C, int kTaps>
TILE_DEVICE void sample_gradient(const GridSampleArguments& g) {
  const unsigned element = sampling_element();
  if (element >= g.elements) return;
  const Sample<C, kTaps> one(g, element);
  const tile::u64 to = reinterpret_cast<tile::u64>(g.x_gradient.data) +
                       static_cast<tile::u64>(one.batch * g.x_gradient.steps[4]);
  C slopes[3] = {};
  TILE_KEEP_LOOP for (int channel = 0; channel < g.channels; ++channel) {
    const C upstream = load_float<C>(one.y + static_cast<tile::u64>(channel * g.y.steps[1]), g.y.type);
    const tile::u64 x = one.x + static_cast<tile::u64>(channel * g.x.steps[3]);
    const tile::u64 sums = to + static_cast<tile::u64>(channel * g.x_gradient.steps[3]);
    one.each(g, [&](int layer, int i, int j, C depth, C depth_slope) {
      const C row = one.rows.weight[i], column = one.columns.weight[j];
      if (g.x_gradient.data != nullptr)
        __hip_atomic_fetch_add(reinterpret_cast<__attribute__((address_space(1))) C*>(
                                   sums + one.offset(g.x_gradient, layer, i, j)),
                               upstream * (depth * row * column), __ATOMIC_RELAXED, __HIP_MEMORY_SCOPE_AGENT);
      if (g.mode == WAVESMITH_GRID_SAMPLE_NEAREST) return;
      const C felt = load_float<C>(x + one.offset(g.x, layer, i, j), g.x.type) * upstream;
      slopes[0] += felt * (depth * row * one.columns.slope[j]);
      slopes[1] += felt * (depth * one.rows.slope[i] * column);
      slopes[2] += felt * (depth_slope * row * column);
    });
  }
  TILE_UNROLL for (int d = 0; d < 3; ++d) if (d < g.dimensions)
      store_element(one.of_grid(g.grid_gradient, d), g.grid_gradient.type, slopes[d]);
}

}  // namespace wavesmith::kernels
