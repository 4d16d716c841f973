// O = softmax(Q * K transposed) * V by warpgroups (Hopper). One warp has the copy engine bring Q, K and V;
// two warpgroups have 64 rows of Q each, whose scores and weights stay in registers. A warpgroup sets off the
// next tile's scores and this one's products with V together, and weighs while they run; the two take turns
// in it, so that one weighs while the other's products fill the matrix units.
#pragma once

#include "kernels/attention/results.h"
#include "kernels/attention/scores.h"
#include "tile/stages.h"
#include "tile/warpgroup.h"

namespace wavesmith::kernels {

/// Its tensors have 4 dimensions: elements of a head, rows, heads, batches.
struct AttentionTensorArguments : AttentionArguments {
  tile::ptx::TensorMap tensor_q, tensor_k, tensor_v;
};

template <class T, int kHeadSize_>
struct AttentionWarpgroupShape {
  using Element = T;
  using Atom = tile::arch::Best<T>;
  using Layout = tile::AtomLayout<Atom>;
  static constexpr int kWarpgroups = 2;
  static constexpr int kThreads = (kWarpgroups + 1) * tile::kWarpgroupThreads;
  static constexpr int kHeadSize = kHeadSize_;
  static constexpr int kKeys = 128;  ///< with 192 registers spill
  static constexpr int kRows = kWarpgroups * tile::kWarpgroupRows;
  static constexpr int kHalves = kHeadSize / 64;                          ///< of a row, 128 bytes each
  static constexpr int kAtoms = 2, kColumns = kHeadSize / Layout::kRows;  ///< of a warp's results
  static constexpr int kStages = 2;                                       ///< of K, and of V
  static constexpr int kQueries = 2;  ///< tiles of Q, of which one comes while another is multiplied
  // Of shared memory.
  static constexpr int kBytesOfHalf = kKeys * tile::Rows128::kRowBytes, kBytesOfKeys = kHalves * kBytesOfHalf;
  static constexpr int kQueriesOfHalf = tile::kWarpgroupRows * tile::Rows128::kRowBytes;
  static constexpr int kQueriesOfGroup = kHalves * kQueriesOfHalf,
                       kBytesOfQueries = kWarpgroups * kQueriesOfGroup;
  static constexpr int kK = kQueries * kBytesOfQueries, kV = kK + kStages * kBytesOfKeys;
  static constexpr int kBarriers = kV + kStages * kBytesOfKeys;
  static constexpr int kBytes =
      kBarriers + 2 * tile::Stages<kStages>::kBytes + tile::Stages<kQueries>::kBytes;
  static_assert(kBytes + tile::Rows128::kAlignment <= 227 << 10, "a block has 227 KiB");
  static constexpr int kRegistersOfCopies = 24, kRegistersOfProducts = 240;
};

/// What the warps share: memory and the barriers of its stages.
template <class Shape>
struct AttentionStages {
  char* memory;
  using Keys = tile::Stages<Shape::kStages>;
  Keys k, v;
  tile::Stages<Shape::kQueries> q;

  TILE_DEVICE explicit AttentionStages(char* all)
      : memory(all),
        k{reinterpret_cast<tile::ptx::Barrier*>(all + Shape::kBarriers)},
        v{reinterpret_cast<tile::ptx::Barrier*>(all + Shape::kBarriers + Keys::kBytes)},
        q{reinterpret_cast<tile::ptx::Barrier*>(all + Shape::kBarriers + 2 * Keys::kBytes)} {}
  TILE_DEVICE void begin() const {
    k.begin(Shape::kWarpgroups);
    v.begin(Shape::kWarpgroups);
    q.begin(Shape::kWarpgroups);
  }
};

/// The tiles of Q that a block takes, and the keys that their rows see.
template <class Shape>
struct AttentionTiles {
  const AttentionArguments& g;
  int number;
  AttentionPlace place;
  Sequence sequence;
  Sight sight;
  int key, tiles;  ///< the first key, and tiles of them

  TILE_DEVICE explicit AttentionTiles(const AttentionArguments& arguments)
      : g(arguments),
        number(tile::arch::workgroup_id()),
        place(g, Shape::kRows, number),
        sequence(g, 0),
        sight(g.left, g.right, sequence.length_q, sequence.length_k) {
    look();
  }
  TILE_DEVICE bool are_left() const { return place.valid; }
  TILE_DEVICE void advance() {
    number += tile::ptx::grid_x();
    place = AttentionPlace(g, Shape::kRows, number);
    look();
  }

 private:
  TILE_DEVICE void look() {
    key = sight.begin(place.first_row);
    const int keys = sight.end(place.first_row, Shape::kRows) - key;
    tiles = keys > 0 ? tile::ceiling(keys, Shape::kKeys) : 0;
  }
};

/// What one thread does: it sets off all copies.
template <class Shape>
TILE_DEVICE void attention_copies(const AttentionTensorArguments& g, const AttentionStages<Shape>& stages) {
  using namespace tile;
  typename AttentionStages<Shape>::Keys::Turn turn;
  StageTurn<Shape::kQueries> turn_q;
  for (AttentionTiles<Shape> tiles(g); tiles.are_left(); tiles.advance()) {
    const int batch = tiles.place.batch, head = tiles.place.head, head_of_keys = head / g.heads_per_kv;
    const auto load = [&](const auto& of, const auto& which, const ptx::TensorMap& map, int first, int key) {
      of.fill(which, Shape::kBytesOfKeys);
      char* const to = stages.memory + first + which.stage * Shape::kBytesOfKeys;
      TILE_UNROLL for (int half = 0; half < Shape::kHalves; ++half) {
        ptx::load_box(to + half * Shape::kBytesOfHalf, &map, {half * 64, key, head_of_keys, batch},
                      of.full(which));
      }
    };
    stages.q.fill(turn_q, Shape::kBytesOfQueries);
    TILE_UNROLL for (int i = 0; i < Shape::kWarpgroups * Shape::kHalves; ++i) {
      ptx::load_box(
          stages.memory + turn_q.stage * Shape::kBytesOfQueries + i * Shape::kQueriesOfHalf, &g.tensor_q,
          {i % Shape::kHalves * 64, tiles.place.first_row + i / Shape::kHalves * kWarpgroupRows, head, batch},
          stages.q.full(turn_q));
    }
    turn_q.advance();
    // The keys of a tile are needed before the values of the one before it.
    if (tiles.tiles > 0) load(stages.k, turn, g.tensor_k, Shape::kK, tiles.key);
    for (int i = 0; i < tiles.tiles; ++i) {
      const auto now = turn;
      turn.advance();
      if (i + 1 < tiles.tiles)
        load(stages.k, turn, g.tensor_k, Shape::kK, tiles.key + (i + 1) * Shape::kKeys);
      load(stages.v, now, g.tensor_v, Shape::kV, tiles.key + i * Shape::kKeys);
    }
  }
}

/// A warpgroup's rows of Q.
template <class Shape>
struct AttentionOfGroup {
  using Atom = typename Shape::Atom;
  using Stages = AttentionStages<Shape>;
  using Turn = typename Stages::Keys::Turn;
  using Scores = tile::WarpgroupSums<Atom, Shape::kKeys>;
  using Weights = tile::WarpgroupOperand<Atom, Shape::kKeys>;
  struct Memory {
    static constexpr int kAcross = 8, kOut = 2048;  ///< of a warp's results, by way of its rows of Q
  };

  const AttentionArguments& g;
  const Stages& stages;
  int group, thread;
  tile::u32 base;   ///< of shared memory
  tile::u32 q = 0;  ///< where the rows of Q are
  int row = 0;      ///< the lane's first
  tile::WarpgroupSums<Atom, Shape::kHeadSize> o;
  Softmax<Atom, 2> softmax;
  float by[2];  ///< by which results grow less, where references have followed
  bool follows = false;

  TILE_DEVICE AttentionOfGroup(const AttentionArguments& arguments, const Stages& of, int number,
                               int in_group)
      : g(arguments),
        stages(of),
        group(number),
        thread(in_group),
        base(tile::ptx::shared_address(of.memory)) {}

  TILE_DEVICE void set_off_scores(Scores& scores, const Turn& turn) {
    tile::set_off<Atom, Shape::kKeys, Shape::kHalves * tile::Rows128::kRowBytes, Shape::kQueriesOfHalf,
                  Shape::kBytesOfHalf>(
        scores, tile::Rows128::along_k(q),
        tile::Rows128::along_k(base + Shape::kK + turn.stage * Shape::kBytesOfKeys), false);
  }
  TILE_DEVICE void set_off_results(const Weights& weights, const Turn& turn) {
    const tile::u32 at = base + Shape::kV + turn.stage * Shape::kBytesOfKeys;
    tile::set_off<Atom, Shape::kHeadSize>(o, weights, tile::Rows128::across_k(at, Shape::kBytesOfHalf));
  }
  /// Turns scores into weights.
  TILE_DEVICE void weigh(const AttentionTiles<Shape>& tiles, Scores& scores, int key) {
    if (!tiles.sight.whole(tiles.place.first_row, Shape::kRows, key, Shape::kKeys))
      hide<tile::AsTheyAre>(scores, tiles.sight, row, key + thread % 4 * tile::AsTheyAre<Atom>::kInPiece);
    bool grows = false;
    float less[2] = {1, 1};
    softmax.follow(scores, g.factor, [&](int i, float factor) {
      less[i] = factor;
      grows = true;
    });
    TILE_UNROLL for (int i = 0; i < 2; ++i) by[i] = less[i];
    follows = grows;
    softmax.weigh(scores, g.factor);
  }
  TILE_DEVICE void rescale() {
    if (follows) {
      TILE_UNROLL for (int i = 0; i < 2; ++i) {
        TILE_UNROLL for (int j = 0; j < Shape::kColumns; ++j) o.at[i][j] *= by[i];
      }
    }
  }
  // The warpgroups take turns in setting off products.
  TILE_DEVICE void wait_for_turn() const {
    tile::ptx::meet(1 + group, Shape::kWarpgroups * tile::kWarpgroupThreads);
  }
  TILE_DEVICE void pass_turn() const {
    tile::ptx::arrive_at(1 + (group + 1) % Shape::kWarpgroups, Shape::kWarpgroups * tile::kWarpgroupThreads);
  }
  TILE_DEVICE void give_back(const tile::Stages<Shape::kStages>& of, const Turn& turn) const {
    if (thread == 0) of.give_back(turn);
  }

  /// The scores of the keys from `key` on and the results of those before them.
  TILE_DEVICE void next(const AttentionTiles<Shape>& tiles, Scores& scores, Weights& weights, Turn& turn,
                        Turn& of_values, int key) {
    using namespace tile;
    stages.k.wait(turn);
    wait_for_turn();
    keep_sums(scores);
    ptx::begin_products();
    set_off_scores(scores, turn);
    ptx::commit_products();
    stages.v.wait(of_values);
    keep_sums(o);
    ptx::begin_products();
    set_off_results(weights, of_values);
    ptx::commit_products();
    pass_turn();
    ptx::wait_products<1>();
    keep_sums(scores);
    give_back(stages.k, turn);
    weigh(tiles, scores, key);
    keep_sums(scores);
    ptx::wait_products<0>();
    keep_sums(o);
    give_back(stages.v, of_values);
    rescale();
    weights = Weights(scores);
    of_values = turn;
    turn.advance();
  }

  /// All of a tile's keys. `turn`: of K and V.
  TILE_DEVICE void attend(const AttentionTiles<Shape>& tiles, Turn& turn) {
    using namespace tile;
    Scores scores;
    Turn of_values = turn;
    stages.k.wait(turn);
    keep_sums(scores);
    ptx::begin_products();
    set_off_scores(scores, turn);
    ptx::commit_products();
    ptx::wait_products<0>();
    keep_sums(scores);
    give_back(stages.k, turn);
    turn.advance();
    weigh(tiles, scores, tiles.key);
    Weights weights(scores);
    for (int i = 1; i < tiles.tiles; ++i)
      next(tiles, scores, weights, turn, of_values, tiles.key + i * Shape::kKeys);
    stages.v.wait(of_values);
    keep_sums(o);
    ptx::begin_products();
    set_off_results(weights, of_values);
    ptx::commit_products();
    ptx::wait_products<0>();
    keep_sums(o);
    give_back(stages.v, of_values);
  }

  TILE_DEVICE void run() {
    using namespace tile;
    Turn turn;
    StageTurn<Shape::kQueries> turn_q;
    if (group == 1) pass_turn();
    for (AttentionTiles<Shape> tiles(g); tiles.are_left(); tiles.advance()) {
      char* const queries =
          stages.memory + turn_q.stage * Shape::kBytesOfQueries + group * Shape::kQueriesOfGroup;
      row = tiles.place.first_row + group * kWarpgroupRows + thread / 32 * 16 + thread % 32 / 4;
      o.clear();
      softmax.clear();
      q = ptx::shared_address(queries);
      stages.q.wait(turn_q);
      if (tiles.tiles > 0) attend(tiles, turn);
      // Found again: registers are scarce while products are under way.
      const AttentionPlace where(g, Shape::kRows, arch::late(tiles.number));
      const int first = where.first_row + group * kWarpgroupRows + thread / 32 * 16;
      divide_by_sums(g, where, tiles.sequence, softmax, first + thread % 32 / 4, thread % 4 == 0, o);
      ptx::meet(3 + group, kWarpgroupThreads);  // all warps are done with Q
      write_results<Shape, Memory>(g, where, tiles.sequence, o, first, 0,
                                   queries + thread / 32 * (Shape::kQueriesOfGroup / 4), thread % 32);
      ptx::share_writes();
      ptx::meet(3 + group, kWarpgroupThreads);
      if (thread == 0) stages.q.give_back(turn_q);
      turn_q.advance();
    }
    if (group == 0) wait_for_turn();
  }
};

template <class Shape>
TILE_DEVICE void attention_by_warpgroups(const AttentionTensorArguments& g, char* shared) {
  using namespace tile;
  const AttentionStages<Shape> stages(shared + (-ptx::shared_address(shared) & (Rows128::kAlignment - 1)));
  const int thread = arch::thread_id();
  if (thread == 0) {
    stages.begin();
    ptx::announce_barriers();
  }
  arch::barrier();
  const int group = thread / kWarpgroupThreads;
  if (group == Shape::kWarpgroups) {
    ptx::give_registers<Shape::kRegistersOfCopies>();
    if (thread % kWarpgroupThreads == 0) attention_copies<Shape>(g, stages);
  } else {
    ptx::take_registers<Shape::kRegistersOfProducts>();
    AttentionOfGroup<Shape>(g, stages, group, thread % kWarpgroupThreads).run();
  }
}

}  // namespace wavesmith::kernels
