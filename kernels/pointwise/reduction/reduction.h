// Reductions: the threads of a workgroup share results, each takes some of a result's terms, and they combine
// what they have in shared memory.
#pragma once

#include "kernels/pointwise/argument.h"
#include "kernels/pointwise/elements.h"
#include "kernels/pointwise/functions.h"
#include "kernels/pointwise/reduction/arguments.h"

namespace wavesmith::kernels {

template <class C>
TILE_DEVICE C size_of_number(C x) {
  return x < 0 ? -x : x;
}

// Each operation: what a state begins with, takes of a term, and takes of another state.
#define REDUCTION(name, begin, take, merge)                                             \
  struct name {                                                                         \
    static constexpr bool kHasPlace = false;                                            \
    template <class C>                                                                  \
    TILE_DEVICE static ReductionState<C> start() {                                      \
      return {begin, C(), 0};                                                           \
    }                                                                                   \
    template <class C>                                                                  \
    TILE_DEVICE static void add(ReductionState<C>& a, C x, tile::u32, double p) {       \
      (void)p;                                                                          \
      a.value = take;                                                                   \
    }                                                                                   \
    template <class C>                                                                  \
    TILE_DEVICE static void combine(ReductionState<C>& a, const ReductionState<C>& b) { \
      const C x = b.value;                                                              \
      a.value = merge;                                                                  \
    }                                                                                   \
  };

template <class C>
TILE_DEVICE C most_negative() {
  if constexpr (__is_same(C, tile::i64))
    return static_cast<C>(1UL << 63);
  else
    return static_cast<C>(-wide::kInfinity);
}
template <class C>
TILE_DEVICE C most_positive() {
  if constexpr (__is_same(C, tile::i64))
    return static_cast<C>(~(1UL << 63));
  else
    return static_cast<C>(wide::kInfinity);
}

REDUCTION(SumOf, C(0), a.value + x, a.value + x)
REDUCTION(ProductOf, C(1), a.value* x, a.value* x)
REDUCTION(MaximumOf, most_negative<C>(), larger(a.value, x), larger(a.value, x))
REDUCTION(MinimumOf, most_positive<C>(), smaller(a.value, x), smaller(a.value, x))
REDUCTION(AllOf, C(1), x == 0 ? C(0) : a.value, x == 0 ? C(0) : a.value)
REDUCTION(AnyOf, C(0), x != 0 ? C(1) : a.value, x != 0 ? C(1) : a.value)
REDUCTION(CountOf, C(0), a.value + (x != 0 ? C(1) : C(0)), a.value + x)
REDUCTION(SumOfSizes, C(0), a.value + size_of_number(x), a.value + x)
REDUCTION(SumOfSquares, C(0), a.value + x * x, a.value + x)
REDUCTION(LargestSize, C(0), larger(a.value, size_of_number(x)), larger(a.value, x))
REDUCTION(SmallestSize, most_positive<C>(), smaller(a.value, size_of_number(x)), smaller(a.value, x))
REDUCTION(SumOfPowers, C(0), a.value + static_cast<C>(wide::power(__builtin_fabs(static_cast<double>(x)), p)),
          a.value + x)
#undef REDUCTION

/// The extreme and the first place at which it is.
template <bool kLargest>
struct PlaceOf {
  static constexpr bool kHasPlace = true;
  template <class C>
  TILE_DEVICE static ReductionState<C> start() {
    return {kLargest ? most_negative<C>() : most_positive<C>(), C(), 0x7fffffff};
  }
  template <class C>
  TILE_DEVICE static void add(ReductionState<C>& a, C x, tile::u32 place, double /*p*/) {
    combine(a, ReductionState<C>{x, C(), static_cast<long>(place)});
  }
  template <class C>
  TILE_DEVICE static void combine(ReductionState<C>& a, const ReductionState<C>& b) {
    const bool beyond = kLargest ? b.value > a.value : b.value < a.value;
    const bool better = is_nan(a.value) ? false : is_nan(b.value) || beyond;
    const bool same = b.value == a.value || (is_nan(a.value) && is_nan(b.value));
    const bool taken = better || (same && b.count < a.count);
    a.value = taken ? b.value : a.value;
    a.count = taken ? b.count : a.count;
  }
};

/// Means and sums of squared distances from them, combined as T. F. Chan, G. H. Golub and R. J. LeVeque do
/// ("Updating formulae and a pairwise algorithm for computing sample variances", 1979).
struct VarianceOf {
  static constexpr bool kHasPlace = true;
  template <class C>
  TILE_DEVICE static void combine(ReductionState<C>& a, const ReductionState<C>& b) {
    if (b.count == 0) return;
    const C count = static_cast<C>(a.count + b.count), share = static_cast<C>(b.count) / count;
    const C difference = b.value - a.value;
    a.other = a.count == 0 ? b.other
                           : a.other + b.other + difference * difference * static_cast<C>(a.count) * share;
    a.value = a.count == 0 ? b.value : a.value + difference * share;
    a.count += b.count;
  }
};

template <class C>
struct ReductionShared {
  C value[kReductionThreads], other[kReductionThreads];
  long count[kReductionThreads];
};

/// A thread's place: its result, and which of the result's terms are its.
struct ReductionPlace {
  tile::u32 result, lane, begin, end;
  tile::u64 x;  ///< address of the result's first term
  int y = 0, second = 0;

  TILE_DEVICE explicit ReductionPlace(const ReductionArguments& g) {
    const auto thread = static_cast<tile::u32>(tile::arch::thread_id());
    const tile::u32 results = kReductionThreads >> g.lanes_shift;
    lane = g.results_first ? thread >> (8 - g.lanes_shift) : thread & (g.lanes - 1);
    const tile::u32 local = g.results_first ? thread & (results - 1) : thread >> g.lanes_shift;
    result = static_cast<tile::u32>(tile::arch::workgroup_id()) * results + local;
    const tile::u32 part = static_cast<tile::u32>(tile::arch::workgroup_id_y());
    begin = part * g.part;
    end = begin + g.part < g.terms ? begin + g.part : g.terms;
    if (result >= g.results) end = begin;  // takes nothing
    int offset = 0;
    tile::u32 rest = result < g.results ? result : 0;
    TILE_KEEP_LOOP for (int d = 0; d < tile::arch::late(g.result_dimensions); ++d) {
      const tile::u32 quotient = g.result_sizes[d].quotient(rest);
      const int at = static_cast<int>(rest - quotient * g.result_sizes[d].divisor);
      offset += at * g.x.steps[d];
      y += at * g.y.steps[d];
      second += at * g.second.steps[d];
      rest = quotient;
    }
    x = reinterpret_cast<tile::u64>(g.x.data) + static_cast<tile::i64>(offset);
  }

  TILE_DEVICE tile::u64 address(const ReductionArguments& g, tile::u32 term) const {
    if (tile::arch::late(g.reduced_dimensions) == 1)
      return x + static_cast<tile::i64>(static_cast<int>(term) * g.reduced_steps[0]);
    int offset = 0;
    TILE_KEEP_LOOP for (int d = 0; d < tile::arch::late(g.reduced_dimensions); ++d) {
      const tile::u32 quotient = g.reduced_sizes[d].quotient(term);
      offset += static_cast<int>(term - quotient * g.reduced_sizes[d].divisor) * g.reduced_steps[d];
      term = quotient;
    }
    return x + static_cast<tile::i64>(offset);
  }

  /// Calls with each of the thread's terms, its number, and which of four that are under way together it is.
  template <class C, bool kTogether = true, class Visit>
  TILE_DEVICE void each_term(const ReductionArguments& g, Visit visit) const {
    tile::u32 term = begin + lane;
    if constexpr (kTogether) TILE_KEEP_LOOP for (; term + 3 * g.lanes < end; term += 4 * g.lanes) {
        C x[4];
        tile::u64 addresses[4];
        TILE_UNROLL for (tile::u32 i = 0; i < 4; ++i) addresses[i] = address(g, term + i * g.lanes);
        load_apart(x, addresses, g.x.type);
        TILE_UNROLL for (tile::u32 i = 0; i < 4; ++i) visit(x[i], term + i * g.lanes, i);
      }
    TILE_KEEP_LOOP for (; term < end; term += g.lanes)
        visit(load_element<C>(address(g, term), g.x.type), term, 0);
  }
};

/// The result of a finished state.
template <class C>
TILE_DEVICE void finish(const ReductionArguments& g, ReductionState<C> a, int y, int second) {
  const auto operation = static_cast<Reduction>(tile::arch::late(g.operation));
  C value = a.value;
  if constexpr (!__is_same(C, tile::i64)) {
    if (operation == WAVESMITH_REDUCTION_MEAN) value = value / static_cast<C>(g.p);
    if (operation == WAVESMITH_REDUCTION_ROOT_OF_SQUARES) value = sqrt_of(value);
    if (operation == WAVESMITH_REDUCTION_ROOT_OF_POWERS)
      value = static_cast<C>(wide::power(static_cast<double>(value), 1 / g.p));
  }
  if constexpr (__is_same(C, double)) {
    if (operation == WAVESMITH_REDUCTION_VARIANCE || operation == WAVESMITH_REDUCTION_DEVIATION) {
      const double divisor = static_cast<double>(a.count) - g.p;
      value = a.other / (divisor > 0 ? divisor : 0);
      if (operation == WAVESMITH_REDUCTION_DEVIATION) value = sqrt_of(value);
      if (g.second.data)
        store_element(reinterpret_cast<tile::u64>(g.second.data) + second, g.second.type, a.value);
    }
  }
  if (g.y.data) store_element(reinterpret_cast<tile::u64>(g.y.data) + y, g.y.type, value);
  const bool is_place =
      operation == WAVESMITH_REDUCTION_MAXIMUM_PLACE || operation == WAVESMITH_REDUCTION_MINIMUM_PLACE;
  if (is_place && g.second.data)
    store_element(reinterpret_cast<tile::u64>(g.second.data) + second, g.second.type,
                  static_cast<tile::i64>(a.count));
}

/// What all threads of a result have; right in its first thread.
template <class Operation, class C>
TILE_DEVICE ReductionState<C> combine_threads(const ReductionArguments& g, const ReductionPlace& place,
                                              ReductionState<C> a,
                                              TILE_IN_SHARED ReductionShared<C>& shared) {
  const int thread = tile::arch::thread_id();
  const int apart = g.results_first ? kReductionThreads >> g.lanes_shift : 1;
  TILE_KEEP_LOOP for (tile::u32 half = g.lanes / 2; half > 0; half /= 2) {
    shared.value[thread] = a.value;
    if constexpr (Operation::kHasPlace) shared.other[thread] = a.other, shared.count[thread] = a.count;
    tile::arch::barrier();
    if (place.lane < half) {
      const int other = thread + static_cast<int>(half) * apart;
      ReductionState<C> b{shared.value[other], C(), 0};
      if constexpr (Operation::kHasPlace) b.other = shared.other[other], b.count = shared.count[other];
      Operation::combine(a, b);
    }
    tile::arch::barrier();
  }
  return a;
}

template <class Operation, class C>
TILE_DEVICE ReductionState<C> reduce_by(const ReductionArguments& g, const ReductionPlace& place,
                                        TILE_IN_SHARED ReductionShared<C>& shared) {
  ReductionState<C> a[4];
  TILE_UNROLL for (int i = 0; i < 4; ++i) a[i] = Operation::template start<C>();
  const double p = g.p;
  // Powers take so many constants that four at a time find no scalar registers.
  constexpr bool kTogether = !__is_same(Operation, SumOfPowers);
  place.each_term<C, kTogether>(
      g, [&](C x, tile::u32 term, tile::u32 which) { Operation::add(a[which], x, term, p); });
  TILE_UNROLL for (int i = 1; i < 4; ++i) Operation::combine(a[0], a[i]);
  return combine_threads<Operation>(g, place, a[0], shared);
}

/// Of a thread's own terms the mean first, then the squares of the distances from it.
template <class C>
TILE_DEVICE ReductionState<C> reduce_variance(const ReductionArguments& g, const ReductionPlace& place,
                                              TILE_IN_SHARED ReductionShared<C>& shared) {
  ReductionState<C> a{};
  place.each_term<C>(g, [&](C x, tile::u32, tile::u32) { a.value += x, ++a.count; });
  if (a.count != 0) a.value /= static_cast<C>(a.count);
  place.each_term<C>(g, [&](C x, tile::u32, tile::u32) { a.other += (x - a.value) * (x - a.value); });
  return combine_threads<VarianceOf>(g, place, a, shared);
}

/// Calls with the operation of that number.
template <class C, class Visit>
TILE_DEVICE void of_reduction(Reduction operation, Visit visit) {
  switch (operation) {
    case WAVESMITH_REDUCTION_PRODUCT:
      return visit(ProductOf());
    case WAVESMITH_REDUCTION_MAXIMUM:
      return visit(MaximumOf());
    case WAVESMITH_REDUCTION_MINIMUM:
      return visit(MinimumOf());
    case WAVESMITH_REDUCTION_ALL:
      return visit(AllOf());
    case WAVESMITH_REDUCTION_ANY:
      return visit(AnyOf());
    case WAVESMITH_REDUCTION_COUNT:
      return visit(CountOf());
    case WAVESMITH_REDUCTION_SUM_OF_SIZES:
      return visit(SumOfSizes());
    case WAVESMITH_REDUCTION_MAXIMUM_PLACE:
      return visit(PlaceOf<true>());
    case WAVESMITH_REDUCTION_MINIMUM_PLACE:
      return visit(PlaceOf<false>());
    default:
      break;
  }
  if constexpr (!__is_same(C, tile::i64)) {
    switch (operation) {
      case WAVESMITH_REDUCTION_ROOT_OF_SQUARES:
        return visit(SumOfSquares());
      case WAVESMITH_REDUCTION_LARGEST_SIZE:
        return visit(LargestSize());
      case WAVESMITH_REDUCTION_SMALLEST_SIZE:
        return visit(SmallestSize());
      case WAVESMITH_REDUCTION_ROOT_OF_POWERS:
        return visit(SumOfPowers());
      default:
        break;
    }
  }
  visit(SumOf());
}

TILE_DEVICE bool is_variance(Reduction operation) {
  return operation == WAVESMITH_REDUCTION_VARIANCE || operation == WAVESMITH_REDUCTION_DEVIATION;
}

template <class C>
TILE_DEVICE void reduce(const ReductionArguments& g, TILE_IN_SHARED ReductionShared<C>& shared) {
  const ReductionPlace place(g);
  const auto operation = static_cast<Reduction>(tile::arch::late(g.operation));
  ReductionState<C> a{};
  const auto by_operation = [&] {
    of_reduction<C>(operation,
                    [&]<class Operation>(Operation) { a = reduce_by<Operation, C>(g, place, shared); });
  };
  if constexpr (__is_same(C, double)) {
    if (is_variance(operation))
      a = reduce_variance<C>(g, place, shared);
    else
      by_operation();
  } else {
    by_operation();
  }
  if (place.lane != 0 || place.result >= g.results) return;
  if (g.parts == 1) return finish(g, a, place.y, place.second);
  const auto part = static_cast<tile::i64>(tile::arch::workgroup_id_y());
  tile::arch::store_global(g.workspace, part * g.results + place.result, a);
}

/// The parts of a result, by a thread each.
template <class C>
TILE_DEVICE void combine_parts(const ReductionArguments& g) {
  const ReductionPlace place(g);
  if (place.result >= g.results) return;
  const auto operation = static_cast<Reduction>(tile::arch::late(g.operation));
  const auto state = [&](tile::u32 part) {
    return tile::arch::load_global_as<ReductionState<C>>(
        g.workspace, static_cast<tile::i64>(part) * g.results + place.result);
  };
  ReductionState<C> a = state(0);
  const auto combine = [&]<class Operation>(Operation) {
    TILE_KEEP_LOOP for (tile::u32 part = 1; part < g.parts; ++part) Operation::combine(a, state(part));
  };
  if constexpr (__is_same(C, double)) {
    if (is_variance(operation))
      combine(VarianceOf());
    else
      of_reduction<C>(operation, combine);
  } else {
    of_reduction<C>(operation, combine);
  }
  finish(g, a, place.y, place.second);
}

}  // namespace wavesmith::kernels
