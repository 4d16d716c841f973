// How tiles of A and B come to shared memory, stage by stage, while others are multiplied. A stage is a tile
// of each.
#pragma once

#include "kernels/gemm/columns.h"
#include "kernels/gemm/rows.h"
#include "tile/scaled.h"
#include "tile/view.h"

namespace wavesmith::kernels {

/// Where a stage's tiles are: bytes.
struct GemmStage {
  int a, b;
};

/// By way of registers, two stages: any layout and access. A call of `advance` stores what was loaded a step
/// before, or where the loads of two steps go together one or two: they take whole lines of the caches, where
/// a step's rows are half of one.
template <
    class TileA, class TileB, int kThreads, tile::Along kAlongA, tile::Along kAlongB, tile::Access kAccess,
    class Columns = GemmColumns<0>, class WindowB_ = tile::Window<TileB, kThreads, kAlongB, kAccess, Columns>,
    int kAtOnce = 1,  // or 2
    class Rows = GemmRows,
    class WindowA_ = tile::Window<TileA, kThreads, kAlongA, kAccess, typename Rows::Order>, int kStages_ = 2>
struct GemmFeedThroughRegisters {
  using WindowA = WindowA_;
  using WindowB = WindowB_;
  static constexpr int kStages = kStages_, kDepth = TileA::kColumns;
  static constexpr int kBytes = kStages * (WindowA::kSharedBytes + WindowB::kSharedBytes);
  /// Instructions of a step, for the order in which they stand.
  static constexpr int kLoads = WindowA::kCount + WindowB::kCount;
  static constexpr int kStores = WindowA::kWrites + WindowB::kWrites;

  WindowA window_a;
  WindowB window_b;
  int left;    ///< columns that are not loaded yet
  bool whole;  ///< K is a multiple of a piece's elements
  tile::SharedBytes memory;
  typename WindowA::Pieces pieces_a[kAtOnce];
  typename WindowB::Pieces pieces_b[kAtOnce];

  template <class Arguments>
  TILE_DEVICE GemmFeedThroughRegisters(const Arguments& g, const void* a, const void* b, int row, int column,
                                       int thread, tile::SharedBytes shared)
      : GemmFeedThroughRegisters(
            g, a, row, thread, shared,
            WindowB(b, g.n * Columns::kHalves, g.k, g.stride_b, column, 0, thread, Columns(g.n))) {}
  template <class Arguments>
  TILE_DEVICE GemmFeedThroughRegisters(const Arguments& g, const void* a, int row, int thread,
                                       tile::SharedBytes shared, const WindowB& of_b)
      : GemmFeedThroughRegisters(g, a, thread, shared, Rows(g, row), of_b) {}
  template <class Arguments>
  TILE_DEVICE GemmFeedThroughRegisters(const Arguments& g, const void* a, int thread,
                                       tile::SharedBytes shared, const Rows& rows, const WindowB& of_b)
      : GemmFeedThroughRegisters(
            g.k, shared, WindowA(a, rows.count, g.k, g.stride_a, rows.first, 0, thread, rows.order()), of_b) {
  }
  TILE_DEVICE GemmFeedThroughRegisters(int k, tile::SharedBytes shared, const WindowA& of_a,
                                       const WindowB& of_b)
      : window_a(of_a),
        window_b(of_b),
        left(k),
        whole(k % tile::kPieceElements<typename TileA::Element> == 0),
        memory(shared) {
    bounds();
    load();
    bounds();
    advance<0>(stage(0));
    if constexpr (kStages > 1) {
      bounds();
      advance<1>(stage(1));
    }
  }
  TILE_DEVICE static GemmStage first() { return stage(0); }
  /// The stage after `now`; stages alternate as `kParity` does.
  template <int kParity>
  TILE_DEVICE static GemmStage next(GemmStage /*now*/) {
    return stage(kParity % kStages);
  }
  /// Before all waves meet, so that they find the stage that is next.
  TILE_DEVICE void wait() { bounds(); }
  /// Fills a stage that all waves have read, the first or the second.
  template <int kParity>
  TILE_DEVICE void advance(GemmStage stage) {
    constexpr int kNumber = kParity % kAtOnce;
    window_a.store(pieces_a[kNumber], TileA{memory + stage.a});
    window_b.store(pieces_b[kNumber], TileB{memory + stage.b});
    if constexpr (kNumber == kAtOnce - 1) load();
  }
  TILE_DEVICE void finish() {}

 private:
  TILE_DEVICE static GemmStage stage(int number) {
    return {number * (kBytes / kStages), number * (kBytes / kStages) + WindowA::kSharedBytes};
  }
  TILE_DEVICE void load() {
    TILE_UNROLL for (int i = 0; i < kAtOnce; ++i) {
      if (i > 0 && left < kDepth) window_a.narrow(left), window_b.narrow(left);
      window_a.load(pieces_a[i]);
      window_b.load(pieces_b[i]);
      left -= kDepth;
    }
  }
  /// Of A's and B's columns those beyond K are cleared: the last step's may have some, and the loads ahead
  /// have no others.
  TILE_DEVICE void bounds() {
    if (left < kDepth) {
      window_a.narrow(left);
      window_b.narrow(left);
      if (!whole && left < 0) {
        TILE_UNROLL for (int i = 0; i < kAtOnce; ++i) {
          window_a.clear_beyond(pieces_a[i], left + (kAtOnce - i) * kDepth);
          window_b.clear_beyond(pieces_b[i], left + (kAtOnce - i) * kDepth);
        }
      }
    }
  }
};

/// The window whose elements go to shared memory directly, with or without scales.
template <class Tile, int kThreads, class Columns, bool kScaled>
struct GemmWindow {
  using Type = tile::DirectWindow<Tile, kThreads, Columns>;
};
template <class Tile, int kThreads, class Columns>
struct GemmWindow<Tile, kThreads, Columns, true> {
  using Type = tile::ScaledWindow<Tile, kThreads>;
};

/// Directly, to a ring of kSlots tiles: A's, B's, A's of the next stage, ... Where A's are as large as B's an
/// odd number of them has the loads of a tile begin before the stage is free in which they would otherwise
/// wait for room. Of matrices whose rows are along K and whole pieces.
template <class TileA, class TileB, int kThreads, int kSlots, bool kScaled, class Columns, class Rows>
struct GemmFeedDirect {
  using WindowA = typename GemmWindow<TileA, kThreads, typename Rows::Order, kScaled>::Type;
  using WindowB = typename GemmWindow<TileB, kThreads, Columns, kScaled>::Type;
  static constexpr int kStage = WindowA::kSharedBytes + WindowB::kSharedBytes;
  static constexpr int kStages = 2;                                   ///< or more
  static constexpr int kOfStage = WindowA::kCount + WindowB::kCount;  ///< loads
  static constexpr int kBytes = kSlots * kStage / 2, kStores = 0, kLoads = 0;
  static_assert(kSlots >= 4, "a ring of at least two stages");
  static_assert(kSlots % 2 == 0 || WindowA::kSharedBytes == WindowB::kSharedBytes,
                "a place that is A's and then B's serves tiles of one size");

  WindowA window_a;
  WindowB window_b;
  int left_a, left_b;  ///< columns that are not loaded yet
  tile::SharedBytes memory;

  template <class Arguments>
  TILE_DEVICE GemmFeedDirect(const Arguments& g, const void* a, const void* b, int row, int column,
                             int thread, tile::SharedBytes shared)
      : GemmFeedDirect(g, a, b, Rows(g, row), column, thread, shared) {}
  template <class Arguments>
  TILE_DEVICE GemmFeedDirect(const Arguments& g, const void* a, const void* b, const Rows& rows, int column,
                             int thread, tile::SharedBytes shared)
      : window_a(window<WindowA>(a, rows.count, g.k, g.stride_a, rows.first, thread, rows.order(), g.mx_a,
                                 g.batch_mx_a, g.stride_mx_a)),
        window_b(window<WindowB>(b, g.n * Columns::kHalves, g.k, g.stride_b, column, thread, Columns(g.n),
                                 g.mx_b, g.batch_mx_b, g.stride_mx_b)),
        left_a(g.k),
        left_b(g.k),
        memory(shared) {
    TILE_UNROLL for (int slot = 0; slot < kSlots; ++slot) {
      if (slot % 2 == 0)
        load(window_a, left_a, slot / 2 * kStage);
      else
        load(window_b, left_b, slot / 2 * kStage + WindowA::kSharedBytes);
    }
    tile::arch::wait_loads<(kSlots - 2) * kOfStage / 2>();
  }
  TILE_DEVICE static GemmStage first() { return {0, WindowA::kSharedBytes}; }
  template <int kParity>
  TILE_DEVICE static GemmStage next(GemmStage now) {
    return {after(now.a), after(now.b)};
  }
  /// Two slots are read, and two are the next stage's.
  TILE_DEVICE void wait() { tile::arch::wait_loads<(kSlots - 4) * kOfStage / 2>(); }
  template <int kParity>
  TILE_DEVICE void advance(GemmStage stage) {
    if constexpr (kSlots % 2 == 0) {
      load(window_a, left_a, stage.a);
      load(window_b, left_b, stage.b);
    } else {
      load(window_b, left_b, stage.a);
      load(window_a, left_a, stage.b);
    }
  }
  TILE_DEVICE void finish() { tile::arch::wait_loads<0>(); }

 private:
  template <class Window, class Order>
  TILE_DEVICE static Window window(const void* matrix, int rows, int columns, long stride, int first,
                                   int thread, Order order, const void* scales, long batch_scales,
                                   long stride_scales) {
    if constexpr (kScaled)
      return Window(matrix, rows, columns, stride, first, thread,
                    static_cast<const char*>(scales) + tile::arch::workgroup_id_z() * batch_scales,
                    stride_scales);
    else
      return Window(matrix, rows, columns, stride, first, thread, order);
  }
  TILE_DEVICE static int after(int slot) {
    return slot + kStage < kBytes ? slot + kStage : slot + kStage - kBytes;
  }
  template <class Window>
  TILE_DEVICE void load(Window& window, int& left, int slot) {
    // Without a branch, over which the compiler would move products, away from the reads that they hide.
    if (kScaled || left < TileA::kColumns) window.narrow(left);
    window.load(memory + slot);
    left -= TileA::kColumns;
  }
};

/// The feed with a ring of so many tiles; 0: through registers, kTwoSteps: the same with loads of two steps,
/// for which single elements leave no registers; kOneStage: the same with one stage.
constexpr int kOneStage = 1, kTwoSteps = 2;
template <class TileA, class TileB, int kThreads, tile::Along kAlongA, tile::Along kAlongB,
          tile::Access kAccess, int kSlots, bool kScaled, class Columns, class Rows = GemmRows>
struct GemmFeed {
  using Type = GemmFeedDirect<TileA, TileB, kThreads, kSlots, kScaled, Columns, Rows>;
};
template <class TileA, class TileB, int kThreads, tile::Along kAlongA, tile::Along kAlongB,
          tile::Access kAccess, class Columns, class Rows>
struct GemmFeed<TileA, TileB, kThreads, kAlongA, kAlongB, kAccess, 0, false, Columns, Rows> {
  using Type = GemmFeedThroughRegisters<TileA, TileB, kThreads, kAlongA, kAlongB, kAccess, Columns,
                                        tile::Window<TileB, kThreads, kAlongB, kAccess, Columns>, 1, Rows>;
};
template <class TileA, class TileB, int kThreads, tile::Along kAlongA, tile::Along kAlongB,
          tile::Access kAccess, class Columns, class Rows>
struct GemmFeed<TileA, TileB, kThreads, kAlongA, kAlongB, kAccess, kTwoSteps, false, Columns, Rows> {
  using Type = GemmFeedThroughRegisters<TileA, TileB, kThreads, kAlongA, kAlongB, kAccess, Columns,
                                        tile::Window<TileB, kThreads, kAlongB, kAccess, Columns>,
                                        kAccess == tile::Access::Dwords ? kTwoSteps : 1, Rows>;
};

template <class TileA, class TileB, int kThreads, tile::Along kAlongA, tile::Along kAlongB,
          tile::Access kAccess, class Columns, class Rows>
struct GemmFeed<TileA, TileB, kThreads, kAlongA, kAlongB, kAccess, kOneStage, false, Columns, Rows> {
  using Type =
      GemmFeedThroughRegisters<TileA, TileB, kThreads, kAlongA, kAlongB, kAccess, Columns,
                               tile::Window<TileB, kThreads, kAlongB, kAccess, Columns>, 1, Rows,
                               tile::Window<TileA, kThreads, kAlongA, kAccess, typename Rows::Order>, 1>;
};

}  // namespace wavesmith::kernels
