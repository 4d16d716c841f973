// Cross entropy of rows whose logits are of a type of 2 bytes that is known when the kernel is compiled, and
// of which eight may be moved at once; of its gradient the same.
#pragma once

#include "kernels/loss/loss.h"
#include "tile/known_row.h"

namespace wavesmith::kernels {

/// A workgroup's row of logits, or of their gradient.
template <class T, int kThreads>
struct LogitsRow {
  using Shape = tile::RowShape<kThreads, kThreads, 1>;
  using View = tile::KnownView<Shape, T>;
  tile::arch::Buffer buffer;
  int classes;

  TILE_DEVICE LogitsRow(const void* data, long stride, int classes_)
      : buffer(tile::arch::buffer(
            static_cast<const char*>(data) + static_cast<long>(tile::arch::workgroup_id()) * stride * 2,
            classes_ * 2u)),
        classes(classes_) {}

  /// Calls with each eight of this thread, and with the number of its first element; so many are under way at
  /// once.
  template <int kAtOnce, class Take>
  TILE_DEVICE void each_eight(Take take) const {
    TILE_KEEP_LOOP for (int first = Shape::column(); first < classes; first += kAtOnce * Shape::kStep) {
      tile::Piece pieces[kAtOnce];
      TILE_UNROLL for (int i = 0; i < kAtOnce; ++i) pieces[i] = tile::arch::load_piece(buffer, at(first, i));
      TILE_UNROLL for (int i = 0; i < kAtOnce; ++i) {
        if (first + i * Shape::kStep < classes) take(View::widened(pieces[i]), first + i * Shape::kStep);
      }
    }
  }
  TILE_DEVICE void store(int first, const tile::Eight& values) const {
    tile::arch::store(buffer, first * 2u, View::narrow(values));
  }

 private:
  TILE_DEVICE static tile::u32 at(int first, int i) { return (first + i * Shape::kStep) * 2u; }
};

TILE_DEVICE tile::Eight powers_of_two(const tile::Eight& exponents) {
  tile::Eight powers;
  TILE_UNROLL for (int i = 0; i < 8; ++i) powers[i] = tile::exp2(exponents[i]);
  return powers;
}

template <class T, int kThreads>
TILE_DEVICE void cross_entropy_known(const CrossEntropyArguments& g) {
  const LogitsRow<T, kThreads> row(g.logits, g.stride, static_cast<int>(g.classes));
  SumOfPowers powers;
  float total = 0;
  const auto add_powers = [&](const tile::Eight& x) __attribute__((always_inline)) {
    const float largest = tile::greatest_of(x);
    if (largest > powers.base + SumOfPowers::kSlack) powers.move_to(largest);
    // What is less than 2^-126 of e^base may be 0.
    powers.sum += tile::sum_of(powers_of_two((x - powers.base) * tile::kLog2OfE));
  };
  if (g.spread == 0)
    row.template each_eight<4>([&](const tile::Eight& x, int)
                                   __attribute__((always_inline)) { add_powers(x); });
  else
    row.template each_eight<4>([&](const tile::Eight& x, int) __attribute__((always_inline)) {
      add_powers(x);
      total += tile::sum_of(x);
    });
  finish_cross_entropy<kThreads>(g, powers, total);
}

/// e^(x - log), also where it is subnormal.
TILE_DEVICE tile::Eight weights_of(const tile::Eight& x, float log) {
  const tile::Eight exponents = (x - log) * tile::kLog2OfE;
  tile::Eight weights = powers_of_two(exponents);
  if (tile::greatest_of(-exponents) > 125) {
    TILE_UNROLL for (int i = 0; i < 8; ++i) weights[i] = tile::precise::exp(x[i] - log);
  }
  return weights;
}

template <class T, int kThreads>
TILE_DEVICE void cross_entropy_gradient_known(const CrossEntropyArguments& g) {
  using namespace tile;
  const int classes = static_cast<int>(g.classes);
  const LogitsRow<T, kThreads> x(g.logits, g.stride, classes), to(g.gradient, g.gradient_stride, classes);
  const GradientOfRow one(g);
  if (!one.counts) {
    for (int first = LogitsRow<T, kThreads>::Shape::column(); first < classes; first += kThreads * 8)
      to.store(first, 0);
    return;
  }
  const float spread = one.scale * g.spread, kept = one.scale * g.kept;
  // Where many rows are under way, what all threads together have read and not yet written is to stay in a
  // GPU's second cache.
  x.template each_eight<kThreads == 1024 ? 4 : 1>(
      [&](const Eight& of, int first) __attribute__((always_inline)) {
        Eight made = weights_of(of, one.log) * one.scale - spread;
        const u32 at = static_cast<u32>(one.target) - static_cast<u32>(first);
        if (at < 8) {
          TILE_UNROLL for (int i = 0; i < 8; ++i) made[i] -= i == static_cast<int>(at) ? kept : 0;
        }
        to.store(first, made);
      });
}

}  // namespace wavesmith::kernels
