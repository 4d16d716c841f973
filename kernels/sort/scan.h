// Scans: rows by a thread each where they are short, otherwise by workgroups, in tiles of which each thread
// takes elements that follow each other. Long rows are taken in chunks, whose totals are found first.
#pragma once

#include "kernels/pointwise/argument.h"
#include "kernels/pointwise/functions.h"
#include "kernels/sort/rows.h"
#include "kernels/sort/scan_arguments.h"

namespace wavesmith::kernels {

inline constexpr tile::u32 kNothing = ~0U;

// Each operation: what a state begins with, and takes of what comes after it.
#define SCAN(name, begin, taken)                                                                     \
  struct name {                                                                                      \
    template <class C>                                                                               \
    TILE_DEVICE static C start() {                                                                   \
      return static_cast<C>(begin);                                                                  \
    }                                                                                                \
    template <class C>                                                                               \
    TILE_DEVICE static ScanState<C> combine(const ScanState<C>& before, const ScanState<C>& after) { \
      const C a = before.value, b = after.value;                                                     \
      return {taken, 0};                                                                             \
    }                                                                                                \
  };
SCAN(ScanSum, 0, a + b)
SCAN(ScanProduct, 1, a* b)
SCAN(ScanLogSumExp, -wide::kInfinity,
     a == b && a - b != 0 ? a : larger(a, b) + wide::log1p(wide::exp(smaller(a, b) - larger(a, b))))
#undef SCAN

/// The extreme, and the last place at which it is.
template <bool kLargest>
struct ScanExtreme {
  template <class C>
  TILE_DEVICE static C start() {
    return C(0);
  }
  template <class C>
  TILE_DEVICE static ScanState<C> combine(const ScanState<C>& a, const ScanState<C>& b) {
    const bool beyond = kLargest ? b.value >= a.value : b.value <= a.value;
    const bool is_better = is_nan(b.value) || (beyond && !is_nan(a.value));
    return a.place == kNothing || (b.place != kNothing && is_better) ? b : a;
  }
};

/// Calls with the operation of that number.
template <class C, class Visit>
TILE_DEVICE void of_scan(int operation, Visit visit) {
  switch (tile::arch::late(operation)) {
    case WAVESMITH_SCAN_PRODUCT:
      return visit(ScanProduct());
    case WAVESMITH_SCAN_MAXIMUM:
      return visit(ScanExtreme<true>());
    case WAVESMITH_SCAN_MINIMUM:
      return visit(ScanExtreme<false>());
    case WAVESMITH_SCAN_LOG_SUM_EXP:
      if constexpr (__is_same(C, double)) return visit(ScanLogSumExp());
      return;
    default:
      return visit(ScanSum());
  }
}

template <class C>
struct ScanShared {
  C values[kScanThreads];
  tile::u32 places[kScanThreads];
};

template <class C>
struct ScanRow {
  const Rows& g;
  RowPlace row;

  TILE_DEVICE ScanRow(const Rows& rows, tile::u32 number) : g(rows), row(rows, number) {}
  [[nodiscard]] TILE_DEVICE ScanState<C> load(tile::u32 at) const {
    return {load_element<C>(along_row(row.x, g.x, at), g.x.type), at};
  }
  TILE_DEVICE void store(tile::u32 at, const ScanState<C>& state) const {
    if (g.values.data) store_element(along_row(row.values, g.values, at), g.values.type, state.value);
    if (g.places.data)
      tile::arch::store_at(along_row(row.places, g.places, at), static_cast<tile::i64>(state.place));
  }
};

/// Of each thread's state what all threads before it have together, and of all threads.
template <class Operation, class C>
TILE_DEVICE ScanState<C> scan_threads(ScanState<C> state, TILE_IN_SHARED ScanShared<C>& shared,
                                      ScanState<C>& all) {
  const int thread = tile::arch::thread_id();
  const auto put = [&](const ScanState<C>& given) {
    shared.values[thread] = given.value;
    shared.places[thread] = given.place;
  };
  const auto get = [&](int of) { return ScanState<C>{shared.values[of], shared.places[of]}; };
  put(state);
  tile::arch::barrier();
  TILE_KEEP_LOOP for (int distance = 1; distance < kScanThreads; distance *= 2) {
    if (thread >= distance) state = Operation::combine(get(thread - distance), state);
    tile::arch::barrier();
    put(state);
    tile::arch::barrier();
  }
  all = get(kScanThreads - 1);
  const ScanState<C> before =
      thread > 0 ? get(thread - 1) : ScanState<C>{Operation::template start<C>(), kNothing};
  tile::arch::barrier();
  return before;
}

/// What a workgroup takes: a chunk of a row.
struct ScanChunk {
  tile::u32 row, begin, end;
  tile::i64 state;  ///< the number of the chunk's

  TILE_DEVICE explicit ScanChunk(const ScanArguments& g) {
    const auto number = static_cast<tile::u32>(tile::arch::workgroup_id());
    const auto in_batch = static_cast<tile::u32>(tile::arch::workgroup_id_y());
    row = g.first_row + in_batch;
    begin = number * g.chunk;
    end = begin + g.chunk < g.rows.length ? begin + g.chunk : g.rows.length;
    state = static_cast<tile::i64>(in_batch) * g.chunks + number;
  }
};

/// A thread's elements of a tile; those behind the chunk change nothing.
template <class Operation, class C>
TILE_DEVICE void load_tile(const ScanRow<C>& row, ScanState<C> (&states)[kScanItems], tile::u32 first,
                           tile::u32 end) {
  const ScanState<C> nothing{Operation::template start<C>(), kNothing};
  TILE_UNROLL for (tile::u32 i = 0; i < kScanItems; ++i) states[i] =
      first + i < end ? row.load(first + i) : nothing;
  TILE_UNROLL for (int i = 1; i < kScanItems; ++i) states[i] = Operation::combine(states[i - 1], states[i]);
}

template <class Operation, class C>
TILE_DEVICE void total_chunk(const ScanArguments& g, TILE_IN_SHARED ScanShared<C>& shared) {
  const ScanChunk chunk(g);
  const ScanRow<C> row(g.rows, chunk.row);
  const auto thread = static_cast<tile::u32>(tile::arch::thread_id());
  ScanState<C> total{Operation::template start<C>(), kNothing}, all;
  TILE_KEEP_LOOP for (tile::u32 begin = chunk.begin; begin < chunk.end; begin += kScanTile) {
    ScanState<C> states[kScanItems];
    load_tile<Operation>(row, states, begin + thread * kScanItems, chunk.end);
    scan_threads<Operation>(states[kScanItems - 1], shared, all);
    total = Operation::combine(total, all);
  }
  if (thread == 0) tile::arch::store_global(g.states, chunk.state, total);
}

/// What the chunks before have together; the threads take neighbours, as their order matters.
template <class Operation, class C>
TILE_DEVICE ScanState<C> total_before(const ScanArguments& g, const ScanChunk& chunk,
                                      TILE_IN_SHARED ScanShared<C>& shared) {
  const auto number = static_cast<tile::u32>(tile::arch::workgroup_id());
  const tile::u32 each = (number + kScanThreads - 1) / kScanThreads;
  const tile::u32 begin = static_cast<tile::u32>(tile::arch::thread_id()) * each;
  ScanState<C> state{Operation::template start<C>(), kNothing}, all;
  TILE_KEEP_LOOP for (tile::u32 i = begin; i < begin + each && i < number; ++i) state =
      Operation::combine(state, tile::arch::load_global_as<ScanState<C>>(g.states, chunk.state - number + i));
  scan_threads<Operation>(state, shared, all);
  return all;
}

template <class Operation, class C>
TILE_DEVICE void scan_chunk(const ScanArguments& g, TILE_IN_SHARED ScanShared<C>& shared) {
  const ScanChunk chunk(g);
  const ScanRow<C> row(g.rows, chunk.row);
  const auto thread = static_cast<tile::u32>(tile::arch::thread_id());
  ScanState<C> carry = total_before<Operation>(g, chunk, shared), all;
  TILE_KEEP_LOOP for (tile::u32 begin = chunk.begin; begin < chunk.end; begin += kScanTile) {
    const tile::u32 first = begin + thread * kScanItems;
    ScanState<C> states[kScanItems];
    load_tile<Operation>(row, states, first, chunk.end);
    const ScanState<C> before = scan_threads<Operation>(states[kScanItems - 1], shared, all);
    const ScanState<C> ahead = Operation::combine(carry, before);
    TILE_UNROLL for (tile::u32 i = 0; i < kScanItems; ++i) {
      if (first + i < chunk.end) row.store(first + i, Operation::combine(ahead, states[i]));
    }
    carry = Operation::combine(carry, all);
  }
}

template <class Operation, class C>
TILE_DEVICE void scan_row(const ScanArguments& g) {
  const tile::u32 number = static_cast<tile::u32>(tile::arch::workgroup_id()) * kScanThreads +
                           static_cast<tile::u32>(tile::arch::thread_id());
  if (number >= g.rows.count) return;
  const ScanRow<C> row(g.rows, number);
  ScanState<C> state{Operation::template start<C>(), kNothing};
  TILE_KEEP_LOOP for (tile::u32 at = 0; at < g.rows.length; ++at) {
    state = Operation::combine(state, row.load(at));
    row.store(at, state);
  }
}

}  // namespace wavesmith::kernels

/// The kernels that compute in that type.
#define SCAN_KERNELS(word, C)                                                                \
  TILE_KERNEL TILE_THREADS(kScanThreads) void scan_rows_##word(ScanArguments arguments) {    \
    const ScanArguments& g = argument_in_place(arguments);                                   \
    of_scan<C>(g.operation, [&]<class Operation>(Operation) { scan_row<Operation, C>(g); }); \
  }                                                                                          \
  TILE_KERNEL TILE_THREADS(kScanThreads) void scan_totals_##word(ScanArguments arguments) {  \
    TILE_SHARED static ScanShared<C> shared;                                                 \
    const ScanArguments& g = argument_in_place(arguments);                                   \
    of_scan<C>(g.operation, [&]<class Operation>(Operation) {                                \
      total_chunk<Operation, C>(g, (TILE_IN_SHARED ScanShared<C>&)shared);                   \
    });                                                                                      \
  }                                                                                          \
  TILE_KERNEL TILE_THREADS(kScanThreads) void scan_chunks_##word(ScanArguments arguments) {  \
    TILE_SHARED static ScanShared<C> shared;                                                 \
    const ScanArguments& g = argument_in_place(arguments);                                   \
    of_scan<C>(g.operation, [&]<class Operation>(Operation) {                                \
      scan_chunk<Operation, C>(g, (TILE_IN_SHARED ScanShared<C>&)shared);                    \
    });                                                                                      \
  }
