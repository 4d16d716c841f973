// Max pooling: a thread has one window. Of the gradient it has one element, and asks the windows around it.
#pragma once

#include "kernels/max_pool/max_pool_arguments.h"
#include "kernels/pointwise/argument.h"
#include "kernels/pointwise/load_float.h"

namespace wavesmith::kernels {

/// An element: I64 computes integers.
template <class C>
TILE_DEVICE C load_pooled(tile::u64 address, int type) {
  if constexpr (__is_same(C, tile::i64))
    return load_element<C>(address, type);
  else
    return load_float<C>(address, type);
}

/// A thread's element or window, by its coordinates.
struct MaxPoolPlace {
  unsigned at[kMaxPoolSteps];

  TILE_DEVICE MaxPoolPlace(const MaxPoolArguments& g, unsigned element) {
    TILE_UNROLL for (int d = 0; d < 4; ++d) {
      const unsigned quotient = g.counts[d].quotient(element);
      at[d] = element - quotient * g.counts[d].divisor;
      element = quotient;
    }
    at[4] = element;
  }
  [[nodiscard]] TILE_DEVICE tile::u64 plane(const MaxPoolOperand& of) const {
    return reinterpret_cast<tile::u64>(of.data) +
           static_cast<tile::u64>(at[3] * of.steps[3] + at[4] * of.steps[4]);
  }
};

TILE_DEVICE tile::u64 pooled_offset(const MaxPoolOperand& of, int i, int j, int k) {
  return static_cast<tile::u64>(i * of.steps[0] + j * of.steps[1] + k * of.steps[2]);
}

TILE_DEVICE unsigned pooled_element() {
  return static_cast<unsigned>(tile::arch::workgroup_id()) * kMaxPoolThreads +
         static_cast<unsigned>(tile::arch::thread_id());
}

/// Where a window begins along one dimension; the first element that it sees follows with `dilation`.
template <class C>
TILE_DEVICE int window_begin(const MaxPoolArguments& g, const MaxPoolPlace& one, int d) {
  const int w = static_cast<int>(one.at[d]);
  if constexpr (!__is_same(C, tile::i64)) {
    if (g.samples.data != nullptr) {
      if (w == g.places[d] - 1) return g.sizes[d] - g.window[d];
      const tile::u64 from = reinterpret_cast<tile::u64>(g.samples.data) +
                             static_cast<tile::u64>(d * g.samples.steps[0] + one.at[3] * g.samples.steps[1] +
                                                    one.at[4] * g.samples.steps[2]);
      const C sample = load_pooled<C>(from, g.samples.type), apart = static_cast<C>(g.apart[d]);
      const int begin =
          static_cast<int>((static_cast<C>(w) + sample) * apart) - static_cast<int>(sample * apart);
      return begin > 0 ? begin : 0;
    }
  }
  return w * g.stride[d] - g.padding[d];
}

/// What a window of the output's making sees along one dimension. The halves keep quotients away from whole
/// numbers.
TILE_DEVICE void set_adaptive_window(const MaxPoolArguments& g, unsigned w, int d, int& begin, int& end) {
  const double size = g.sizes[d], at = w * size + 0.5;
  begin = static_cast<int>(at * g.apart[d]);
  end = static_cast<int>((at + size + (g.places[d] - 1)) * g.apart[d]);
}

template <class C>
TILE_DEVICE void max_pool(const MaxPoolArguments& g) {
  const unsigned element = pooled_element();
  if (element >= g.elements) return;
  const MaxPoolPlace one(g, element);
  int begin[3], end[3];
  TILE_UNROLL for (int d = 0; d < 3; ++d) {
    if (g.adaptive != 0) {
      set_adaptive_window(g, one.at[d], d, begin[d], end[d]);
      continue;
    }
    begin[d] = window_begin<C>(g, one, d);
    end[d] = begin[d] + g.window[d] * g.dilation[d];
    end[d] = end[d] < g.sizes[d] ? end[d] : g.sizes[d];
    while (begin[d] < 0) begin[d] += g.dilation[d];
  }
  C largest;
  if constexpr (__is_same(C, tile::i64))
    largest = g.least;
  else
    largest = -static_cast<C>(__builtin_inff());
  int place = (begin[2] * g.sizes[1] + begin[1]) * g.sizes[0] + begin[0];
  const tile::u64 x = one.plane(g.x);
  TILE_KEEP_LOOP for (int k = begin[2]; k < end[2]; k += g.dilation[2]) {
    TILE_KEEP_LOOP for (int j = begin[1]; j < end[1]; j += g.dilation[1]) {
      TILE_KEEP_LOOP for (int i = begin[0]; i < end[0]; i += g.dilation[0]) {
        const C number = load_pooled<C>(x + pooled_offset(g.x, i, j, k), g.x.type);
        if (number > largest || number != number)
          largest = number, place = (k * g.sizes[1] + j) * g.sizes[0] + i;
      }
    }
  }
  const int w[3] = {static_cast<int>(one.at[0]), static_cast<int>(one.at[1]), static_cast<int>(one.at[2])};
  store_element(one.plane(g.y) + pooled_offset(g.y, w[0], w[1], w[2]), g.y.type, largest);
  tile::arch::store_at(one.plane(g.place) + pooled_offset(g.place, w[0], w[1], w[2]),
                       static_cast<tile::i64>(place));
}

/// The windows that may see an element, along one dimension.
struct SeeingWindows {
  int first, last;

  TILE_DEVICE SeeingWindows(const MaxPoolArguments& g, unsigned at, int d)
      : first(number((at + g.low[d]) * g.per_element[d], g.places[d])),
        last(number((at + g.high[d]) * g.per_element[d], g.places[d])) {
    first = first > 0 ? first : 0;
    last = last < g.places[d] ? last : g.places[d] - 1;
  }

 private:
  /// The floor; -1 or `places` of what lies outside.
  TILE_DEVICE static int number(double at, int places) {
    if (at < 0) return -1;
    return at < places ? static_cast<int>(at) : places;
  }
};

template <class C>
TILE_DEVICE void max_pool_gradient(const MaxPoolArguments& g) {
  const unsigned element = pooled_element();
  if (element >= g.elements) return;
  const MaxPoolPlace one(g, element);
  const SeeingWindows columns(g, one.at[0], 0), rows(g, one.at[1], 1), layers(g, one.at[2], 2);
  const int i = static_cast<int>(one.at[0]), j = static_cast<int>(one.at[1]), k = static_cast<int>(one.at[2]);
  const tile::i64 own = (k * g.sizes[1] + j) * g.sizes[0] + i;
  const tile::u64 place = one.plane(g.place), upstream = one.plane(g.y);
  C sum = 0;
  TILE_KEEP_LOOP for (int c = layers.first; c <= layers.last; ++c) {
    TILE_KEEP_LOOP for (int b = rows.first; b <= rows.last; ++b) {
      TILE_KEEP_LOOP for (int a = columns.first; a <= columns.last; ++a) {
        if (tile::arch::load_at<tile::i64>(place + pooled_offset(g.place, a, b, c)) == own)
          sum += load_pooled<C>(upstream + pooled_offset(g.y, a, b, c), g.y.type);
      }
    }
  }
  store_element(one.plane(g.x) + pooled_offset(g.x, i, j, k), g.x.type, sum);
}

}  // namespace wavesmith::kernels
