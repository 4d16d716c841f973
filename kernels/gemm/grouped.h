// Grouped products: groups of rows of A and D, which lie one after the other, each with a B of its own. How
// many rows a group has is known on the device only, so the grid has as many rows of tiles as there may be,
// and a workgroup looks its group up.
#pragma once

#include "kernels/gemm/epilogue.h"
#include "kernels/gemm/feed.h"
#include "kernels/gemm/grouped_arguments.h"
#include "tile/arch/lanes.h"

namespace wavesmith::kernels {

/// The tile of a workgroup, of kRows rows, within its group. kSpares: scalar registers do not suffice for an
/// epilogue that keeps its factors there.
template <int kRows, bool kSpares>
struct GroupedPlace {
  static constexpr bool kSeveral = false;
  int first_row = 0, tile_row, tile_column, batch = 0;
  int end = 0;  ///< of the group's rows

  TILE_DEVICE explicit GroupedPlace(const GemmArguments& g) {
    using namespace tile;
    constexpr int kLanes = arch::kHere.wave_lanes;
    const GemmPlace of_all(g);
    tile_column = of_all.tile_column;
    tile_row = of_all.tile_row;
    const int lane = arch::thread_id() % kLanes;
    // As many groups at a time as a wave has lanes: the group is the first whose tiles and those of the
    // groups before it are more than the tile's number.
    for (; batch < g.groups; batch += kLanes) {
      const int group = batch + lane;
      const int from = group < g.groups ? row(g, group) : 0, to = group < g.groups ? row(g, group + 1) : 0;
      const int tiles = to > from ? ceiling(to - from, kRows) : 0;
      int sum = tiles;
      TILE_UNROLL for (int distance = 1; distance < kLanes; distance *= 2) {
        const int before = arch::from_lane(sum, lane - distance);
        sum += lane >= distance ? before : 0;
      }
      const int found = arch::first_lane(tile_row < sum);
      if (found < 0) {
        tile_row -= arch::of_lane(sum, kLanes - 1);
        continue;
      }
      first_row = arch::of_lane(from, found);
      end = arch::of_lane(to, found);
      tile_row -= arch::of_lane(sum - tiles, found);
      batch += found;
      return;
    }
  }
  [[nodiscard]] TILE_DEVICE bool is_empty() const { return end == 0; }
  TILE_DEVICE GemmPoint tile(const GemmArguments& /*g*/) const { return {tile_row, tile_column}; }
  /// The product's rows end with the group's, and B's scales are those of the group's matrix.
  TILE_DEVICE void narrow(GemmRowGroupArguments& g) const {
    g.m = end;
    g.scale_b += batch * g.batch_scale_b;
  }
  TILE_DEVICE static GemmPoint result(GemmArguments& g, GemmPoint start) {
    if constexpr (kSpares) epilogue_in_loop(g);
    return start;
  }

 private:
  TILE_DEVICE static int row(const GemmArguments& g, int group) {
    const int given = tile::arch::load_global_as<int>(g.group_offsets, group);
    return given < 0 ? 0 : given > g.m ? g.m : given;
  }
};

/// Rows of A that lie anywhere, where a list names them. What is behind the group's end is a row of zeros: so
/// is A's row behind the last one, which its window does not hold.
struct GemmListedRows {
  using Order = GemmListedRows;
  const int* list;
  int first, count;
  int from, end;  ///< of the list

  TILE_DEVICE GemmListedRows(const GemmGroupedArguments& g, int row)
      : GemmListedRows(tile::arch::argument_again(g).rows_of_a, g.m, row) {}
  [[nodiscard]] TILE_DEVICE const Order& order() const { return *this; }
  [[nodiscard]] TILE_DEVICE int row(int position) const {
    if (!list) return position;
    const int at = from + position;
    const int given = tile::arch::load_global_as<int>(list, at < end ? at : end - 1);
    return at < end && static_cast<tile::u32>(given) < static_cast<tile::u32>(count) ? given : count;
  }

 private:
  TILE_DEVICE GemmListedRows(GemmRowList rows, int m, int row)
      : list(rows.rows), first(list ? 0 : row), count(list ? rows.count : m), from(row), end(m) {}
};

/// The feed of a tile's shape, of rows that a list may name.
template <class Shape, class TileA, class TileB, tile::Along kAlongA, tile::Along kAlongB,
          tile::Access kAccess>
struct GemmListedFeed {
  using Type = typename GemmFeed<TileA, TileB, Shape::kThreads, kAlongA, kAlongB, kAccess, Shape::kSlots,
                                 Shape::Atom::kScaled, typename Shape::Columns, GemmListedRows>::Type;
};

/// A tile's shape of grouped products.
template <class Shape_>
struct GemmGroupedShape : Shape_ {
  using Arguments = GemmRowGroupArguments;
  using Place = GroupedPlace<Shape_::kRows, requires { Shape_::kSparesScalars; }>;
  using Rows = GemmListedRows;
  template <class TileA, class TileB, tile::Along kAlongA, tile::Along kAlongB, tile::Access kAccess>
  using Feed = typename GemmListedFeed<Shape_, TileA, TileB, kAlongA, kAlongB, kAccess>::Type;
};

}  // namespace wavesmith::kernels
