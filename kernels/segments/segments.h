// Reductions of segments: a thread has one result, and goes through its segment.
#pragma once

#include "kernels/pointwise/argument.h"
#include "kernels/pointwise/load_float.h"
#include "kernels/segments/segments_arguments.h"

namespace wavesmith::kernels {

template <class C>
struct Segment {
  int inner, segment, outer;
  tile::i64 length, begin, end;

  TILE_DEVICE Segment(const SegmentsArguments& g, unsigned number) {
    const unsigned rows = g.inner.quotient(number), outers = g.segments.quotient(rows);
    inner = static_cast<int>(number - rows * g.inner.divisor);
    segment = static_cast<int>(rows - outers * g.segments.divisor), outer = static_cast<int>(outers);
    end = bound(g.ends);
    if (g.begins.data != nullptr)
      begin = bound(g.begins), length = end - begin;
    else
      length = bound(g.lengths), begin = end - length;
    begin = begin > 0 ? begin : 0;
    end = end < g.length ? end : g.length;
  }
  [[nodiscard]] TILE_DEVICE tile::u64 result(const SegmentsOperand& of) const {
    return reinterpret_cast<tile::u64>(of.data) +
           static_cast<tile::u64>(inner * of.steps[0] + segment * of.steps[1] + outer * of.steps[2]);
  }
  [[nodiscard]] TILE_DEVICE tile::u64 at(const SegmentsOperand& of, tile::i64 j) const {
    return reinterpret_cast<tile::u64>(of.data) +
           static_cast<tile::u64>(inner * of.steps[0] + j * of.steps[1] + outer * of.steps[2]);
  }
  [[nodiscard]] TILE_DEVICE C x(const SegmentsArguments& g, tile::i64 j) const {
    return load_float<C>(at(g.x, j), g.x.type);
  }

 private:
  [[nodiscard]] TILE_DEVICE tile::i64 bound(const SegmentsOperand& of) const {
    const tile::u64 from = reinterpret_cast<tile::u64>(of.data) +
                           static_cast<tile::u64>(segment * of.steps[0] + outer * of.steps[1]);
    if (tile::arch::late(of.type) == WAVESMITH_POINTWISE_I32) return tile::arch::load_at<int>(from);
    return tile::arch::load_at<tile::i64>(from);
  }
};

TILE_DEVICE unsigned segments_element() {
  return static_cast<unsigned>(tile::arch::workgroup_id()) * kSegmentsThreads +
         static_cast<unsigned>(tile::arch::thread_id());
}

template <class C>
TILE_DEVICE C initial_of(const SegmentsArguments& g) {
  if (g.has_initial != 0) return static_cast<C>(g.initial);
  const C infinity = static_cast<C>(__builtin_inff());
  if (g.operation == WAVESMITH_SEGMENTS_MAXIMUM) return -infinity;
  if (g.operation == WAVESMITH_SEGMENTS_MINIMUM) return infinity;
  return g.operation == WAVESMITH_SEGMENTS_PRODUCT ? C(1) : C(0);
}

template <class C>
TILE_DEVICE void segments(const SegmentsArguments& g) {
  const unsigned element = segments_element();
  if (element >= g.elements) return;
  const Segment<C> one(g, element);
  const int operation = tile::arch::late(g.operation);
  C value = initial_of<C>(g);
  TILE_KEEP_LOOP for (tile::i64 j = one.begin; j < one.end; ++j) {
    const C x = one.x(g, j);
    if (operation == WAVESMITH_SEGMENTS_MAXIMUM)
      value = x != x || value < x ? x : value;
    else if (operation == WAVESMITH_SEGMENTS_MINIMUM)
      value = x != x || x < value ? x : value;
    else
      value = operation == WAVESMITH_SEGMENTS_PRODUCT ? value * x : value + x;
  }
  if (operation == WAVESMITH_SEGMENTS_MEAN) {
    if (one.length > 0)
      value /= static_cast<C>(one.length);
    else if (g.has_initial == 0)
      value = static_cast<C>(__builtin_nanf(""));
  }
  store_element(one.result(g.y), g.y.type, value);
}

/// Of each element the product of all others.
template <class C>
TILE_DEVICE C product_of_others(const SegmentsArguments& g, const Segment<C>& one, tile::i64 but) {
  C product = initial_of<C>(g);
  TILE_KEEP_LOOP for (tile::i64 j = one.begin; j < one.end; ++j) if (j != but) product *= one.x(g, j);
  return product;
}

template <class C>
TILE_DEVICE void segments_gradient(const SegmentsArguments& g) {
  const unsigned element = segments_element();
  if (element >= g.elements) return;
  const Segment<C> one(g, element);
  const int operation = tile::arch::late(g.operation);
  const C upstream = load_float<C>(one.result(g.upstream), g.upstream.type);
  const C y = load_float<C>(one.result(g.y), g.y.type);
  const bool is_extreme = operation == WAVESMITH_SEGMENTS_MAXIMUM || operation == WAVESMITH_SEGMENTS_MINIMUM;
  const auto is_taken = [&](C x) { return x != x || x == y; };
  C share = operation == WAVESMITH_SEGMENTS_MEAN ? upstream / static_cast<C>(one.length) : upstream;
  if (is_extreme && upstream > 0) {  // as PyTorch does: what is below 0 is not shared
    int count = 0;
    TILE_KEEP_LOOP for (tile::i64 j = one.begin; j < one.end; ++j) count += is_taken(one.x(g, j)) ? 1 : 0;
    if (count > 1) share /= static_cast<C>(count);
  }
  TILE_KEEP_LOOP for (tile::i64 j = one.begin; j < one.end; ++j) {
    const C x = one.x(g, j);
    C gradient = share;
    if (is_extreme) gradient = is_taken(x) ? share : C(0);
    if (operation == WAVESMITH_SEGMENTS_PRODUCT)
      gradient = x != x || x == 0 ? upstream * product_of_others(g, one, j) : upstream * y / x;
    store_element(one.at(g.gradient, j), g.gradient.type, gradient);
  }
}

}  // namespace wavesmith::kernels
