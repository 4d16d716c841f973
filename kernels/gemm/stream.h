// C = A * B where the tiles of D leave most compute units without work in their last round of workgroups
// (stream-K): those tiles are shared along K among all workgroups (share.h). The sums of each part go to the
// workspace, where a second kernel adds them up; no workgroup waits for another.
#pragma once

#include "kernels/gemm/gemm.h"

namespace wavesmith::kernels {

/// The tiles of a workgroup, one after the other, each with the steps that are the workgroup's.
template <class Shape>
struct StreamPlace {
  static constexpr int first_row = 0;
  static constexpr bool kSeveral = true;
  int batch;  ///< the first of the steps: what lies along K is the batch

  TILE_DEVICE explicit StreamPlace(const GemmStreamArguments& g)
      : at(-tile::arch::uniform(GemmShare::divided(g.share.whole, g.share.workgroups))) {
    advance(g);
  }
  [[nodiscard]] TILE_DEVICE bool is_empty() const { return count == 0; }
  TILE_DEVICE void advance(const GemmStreamArguments& g) {
    const GemmShare& share = g.share;
    const int workgroup = tile::arch::workgroup_id() + tile::arch::workgroup_id_y() * share.width;
    if (at < 0) {
      number = share.whole + workgroup + at * share.workgroups;
      count = share.steps, batch = 0, part = -1;
      ++at;
    } else {
      count = 0;
      if (workgroup >= share.teams * share.members) return;
      const int member = tile::arch::uniform(GemmShare::divided(workgroup, share.teams));
      const int team = workgroup - member * share.teams;
      const int begin = share.begin(member) + at, left = share.begin(member + 1) - begin;
      const int of_team = tile::arch::uniform(GemmShare::divided(begin, share.steps));
      batch = begin - of_team * share.steps;
      count = left < share.steps - batch ? left : share.steps - batch;
      at += count;
      number = share.whole + of_team * share.teams + team;
      part = share.part(team, of_team, member);
    }
  }
  /// Found anew each time, which takes no registers meanwhile.
  TILE_DEVICE GemmPoint tile(const GemmStreamArguments& g) const {
    const GemmPoint of_d = tile_of(g, number);
    return {tile::arch::uniform(of_d.row), tile::arch::uniform(of_d.column)};
  }
  /// K is that of the steps.
  TILE_DEVICE void narrow(GemmStreamArguments& g) const {
    const int left = g.k - batch * g.share.depth, own = count * g.share.depth;
    g.k = own < left ? own : left;
    g.arrays = 0;
  }
  /// A part is a tile of sums of its own in the workspace.
  TILE_DEVICE GemmPoint result(GemmStreamArguments& g, GemmPoint start) const {
    g.batch_c = g.batch_d = 0;
    if (part < 0) return start;
    constexpr bool kIntegers = __is_same(typename Shape::A, tile::i8);
    g.d = g.parts;
    g.type_d = static_cast<int>(kIntegers ? tile::Type::I32 : tile::Type::F32);
    g.m = (part + 1) * Shape::kRows, g.n = Shape::kColumns, g.stride_d = Shape::kColumns;
    g.scale_a = g.scale_b = g.scale_d = nullptr, g.bias = nullptr;
    g.alpha = 1, g.beta = 0, g.activation = 0;
    return {part * Shape::kRows, 0};
  }

 private:
  int at;           ///< whole tiles that are left, negative; then steps of the run that are done
  int number;       ///< of the tile
  int count, part;  ///< steps of the tile; -1 where it is whole
};

/// A tile's shape of streamed products.
template <class Shape_>
struct GemmStreamShape : Shape_ {
  using Arguments = GemmStreamArguments;
  using Place = StreamPlace<Shape_>;
};

}  // namespace wavesmith::kernels
