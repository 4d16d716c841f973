// Cross entropy of rows of logits: one pass over a row, whose sum of e^x is kept relative to a number that is
// near the largest logit so far.
#pragma once

#include "kernels/loss/arguments.h"
#include "kernels/optimiser/floats.h"
#include "kernels/pointwise/argument.h"
#include "tile/precise.h"
#include "tile/reduce.h"

namespace wavesmith::kernels {

TILE_DEVICE const void* row_of(const void* data, int type, long row, long stride) {
  const int bytes = tile::arch::late(type) == WAVESMITH_KERNELS_F32 ? 4 : 2;
  return reinterpret_cast<const void*>(reinterpret_cast<tile::u64>(data) +
                                       static_cast<tile::u64>(row * stride * bytes));
}

/// The sum of e^x as a multiple of e^base. The base is less than the largest x by kSlack at most: it changes
/// seldom, and each change rounds.
struct SumOfPowers {
  static constexpr float kSlack = 8, kLeast = -__FLT_MAX__;
  float base = kLeast, sum = 0;

  template <int kCount>
  TILE_DEVICE void add(const float (&x)[kCount]) {
    const float largest = tile::reduce_values(x, tile::Max{});
    if (largest > base + kSlack) move_to(largest);
    float powers[kCount];
    TILE_UNROLL for (int i = 0; i < kCount; ++i) powers[i] = tile::precise::exp(x[i] - base);
    sum += tile::reduce_values(powers, tile::Sum{});
  }
  TILE_DEVICE void move_to(float other) {
    sum *= tile::precise::exp(base - other);
    base = other;
  }
};

/// The logarithm of e^a + e^b. NaN stays; of infinity it is NaN.
TILE_DEVICE float log_of_sum(float a, float b) {
  const float larger = a > b ? a : b;
  if (larger == -__builtin_inff()) return a + b;
  return larger + tile::precise::log(tile::precise::exp(a - larger) + tile::precise::exp(b - larger));
}

/// Makes a row's loss of what its threads have summed, and of the parts before.
template <int kThreads>
TILE_DEVICE void finish_cross_entropy(const CrossEntropyArguments& g, SumOfPowers powers, float total) {
  TILE_SHARED static float memory[3][32];
  const long row = tile::arch::workgroup_id();
  const float largest = tile::reduce_row<kThreads>(powers.base, (tile::SharedBytes)memory[0], tile::Max{});
  powers.move_to(largest);
  const float sum = tile::reduce_row<kThreads>(powers.sum, (tile::SharedBytes)memory[1], tile::Sum{});
  const float all = tile::reduce_row<kThreads>(total, (tile::SharedBytes)memory[2], tile::Sum{});
  if (tile::arch::thread_id() != 0) return;
  float log = largest + tile::precise::log(sum);
  const auto target = tile::arch::load_global_as<long>(g.targets, row);
  const bool counts = target != g.ignored;
  if (counts && (target < 0 || target >= g.all_classes)) __builtin_trap();
  const long at = target - g.first_class;
  float here[1] = {0}, total_so_far = all;
  if (counts && at >= 0 && at < g.classes)
    ArrivingFloats<1>(row_of(g.logits, g.type, row, g.stride), g.type, at).get(here, g.type);
  if (g.state) {
    if (g.first_class > 0) {
      log = log_of_sum(tile::arch::load_global_as<float>(g.logs, row), log);
      if (at < 0) here[0] = tile::arch::load_global_as<float>(g.state, 2 * row);
      total_so_far += tile::arch::load_global_as<float>(g.state, 2 * row + 1);
    }
    tile::arch::store_global(g.state, 2 * row, here[0]);
    tile::arch::store_global(g.state, 2 * row + 1, total_so_far);
  }
  tile::arch::store_global(g.logs, row, log);
  if (g.first_class + g.classes < g.all_classes) return;
  float loss = 0;
  if (counts) {
    loss = log - g.kept * here[0];
    if (g.spread != 0) loss -= g.spread * total_so_far;
  }
  tile::arch::store_global(g.losses, row, loss);
}

TILE_DEVICE void cross_entropy(const CrossEntropyArguments& g) {
  const void* const x = row_of(g.logits, g.type, tile::arch::workgroup_id(), g.stride);
  SumOfPowers powers;
  float total = 0;
  each_of(static_cast<int>(g.classes), g.aligned, [&](auto at_once, int first) {
    constexpr int kCount = decltype(at_once)::kValue;
    float of[kCount];
    ArrivingFloats<kCount>(x, g.type, first).get(of, g.type);
    powers.add(of);
    total += tile::reduce_values(of, tile::Sum{});
  });
  finish_cross_entropy<kListThreads>(g, powers, total);
}

/// What a row's gradient is made of beside its logits. A target that is no class stops the kernel.
struct GradientOfRow {
  long target;  ///< among these classes, beyond them where it is none of them
  bool counts;  ///< not ignored
  float log, scale;

  TILE_DEVICE explicit GradientOfRow(const CrossEntropyArguments& g) {
    const long row = tile::arch::workgroup_id();
    target = tile::arch::load_global_as<long>(g.targets, row);
    counts = target != g.ignored;
    if (counts && (target < 0 || target >= g.all_classes)) __builtin_trap();
    target -= g.first_class;
    log = tile::arch::load_global_as<float>(g.logs, row);
    scale = g.factor * tile::arch::load_global_as<float>(g.upstream, row * g.upstream_stride);
  }
};

TILE_DEVICE void cross_entropy_gradient(const CrossEntropyArguments& g) {
  const long row = tile::arch::workgroup_id();
  const void* const x = row_of(g.logits, g.type, row, g.stride);
  void* const to = const_cast<void*>(row_of(g.gradient, g.gradient_type, row, g.gradient_stride));
  const GradientOfRow one(g);
  each_of(static_cast<int>(g.classes), g.aligned, [&](auto at_once, int first) {
    constexpr int kCount = decltype(at_once)::kValue;
    float of[kCount];
    ArrivingFloats<kCount>(x, g.type, first).get(of, g.type);
    TILE_UNROLL for (int i = 0; i < kCount; ++i) {
      const float here = first + i == one.target ? g.kept : 0;
      of[i] = one.counts ? one.scale * (tile::precise::exp(of[i] - one.log) - here - g.spread) : 0;
    }
    store_floats(of, to, g.gradient_type, first);
  });
}

}  // namespace wavesmith::kernels
