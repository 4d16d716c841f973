// The experts of each token and their weights. A token's logits stay in the registers of the lanes that share
// it: scores, the groups that are kept, then a round for each of the chosen, in which the lanes find the
// largest key that is left.
#pragma once

#include "kernels/router/groups.h"
#include "kernels/router/key.h"
#include "kernels/router/row.h"
#include "tile/arch/lanes.h"

namespace wavesmith::kernels {

/// What lane i of a token's has of the i-th that was chosen.
struct ChosenExpert {
  int id;
  tile::u32 key;
};

/// The experts of the `count` largest keys, in descending order, and of equal ones the lower expert; keys
/// become 0 as they are chosen. `ids`: a word for each of the token's lanes.
template <class Shape>
TILE_DEVICE ChosenExpert choose(tile::u32 (&keys)[Shape::kEach], int first_expert, int count,
                                tile::SharedBytes ids) {
  using namespace tile;
  const int lane = arch::lane_id();
  const arch::LaneMask below = (arch::LaneMask{1} << lane) - (arch::LaneMask{1} << (lane - Shape::lane()));
  ChosenExpert mine{0, 0};
  TILE_KEEP_LOOP for (int round = 0; round < count; ++round) {
    u32 largest = keys[0];
    int place = 0;
    TILE_UNROLL for (int i = 1; i < Shape::kEach; ++i) {
      place = keys[i] > largest ? i : place;
      largest = keys[i] > largest ? keys[i] : largest;
    }
    const u32 best = bits_as<u32>(reduce_lanes<Shape::kLanes>(bits_as<float>(largest), LargerKey{}));
    const arch::LaneMask equals = arch::lanes_where(largest == best);
    const bool wins = largest == best && (equals & below) == 0;
    place = wins ? place : -1;
    TILE_UNROLL for (int i = 0; i < Shape::kEach; ++i) keys[i] = place == i ? 0 : keys[i];
    if (wins) shared_write(ids + round * 4, first_expert + place);
    mine.key = Shape::lane() == round ? best : mine.key;
  }
  arch::wave_barrier();
  mine.id = Shape::lane() < count ? shared_read<int>(ids + Shape::lane() * 4) : 0;
  return mine;
}

template <class Shape>
TILE_DEVICE void router(const RouterArguments& g) {
  using namespace tile;
  TILE_SHARED static int ids[kRouterThreads];
  const RouterScores& s = g.scores;
  TypedView view = rows_of<Shape>(s, s.logits, s.type, s.stride);
  view.aligned = view.aligned && g.in_group % 8 == 0;
  const int group = Shape::lane() >> g.group_shift;
  const int before = (Shape::lane() - (group << g.group_shift)) * Shape::kEach;  // in the group
  const LaneExperts experts{group * g.in_group + before, group < g.groups ? g.in_group - before : 0};
  RouterRow<Shape> row;
  row.load(view, experts);

  const bool compares_scores = g.bias || (g.groups > 1 && g.two_largest);
  float most = 0, unit = 1;  // a softmax's score is a power times the unit
  if (!s.sigmoid) {
    most = row.largest();
    if (arch::late(compares_scores || !s.renormalised)) unit = 1 / row.total(most);
  }
  const auto score = [&](float x) {
    return arch::late(s.sigmoid) ? precise::sigmoid(x) : power_of(x, most) * unit;
  };

  u32 keys[Shape::kEach];
  TILE_UNROLL for (int i = 0; i < Shape::kEach; ++i) keys[i] =
      i < experts.count ? choice_key(row.x[i]) : 0;
  if (arch::late(compares_scores)) {
    u32 by_score[Shape::kEach];
    TILE_UNROLL for (int i = 0; i < Shape::kEach; ++i) {
      const float bias = g.bias && i < experts.count ? arch::load_global(g.bias, experts.first + i) : 0;
      by_score[i] = i < experts.count ? choice_key(score(row.x[i]) + bias) : 0;
    }
    const bool kept = g.groups <= 1 || keeps_group<Shape>(g, by_score);
    TILE_UNROLL for (int i = 0; i < Shape::kEach; ++i) keys[i] = !kept      ? 0
                                                                 : g.bias ? by_score[i]
                                                                          : keys[i];
  } else if (arch::late(g.groups > 1)) {
    const bool kept = keeps_group<Shape>(g, keys);
    TILE_UNROLL for (int i = 0; i < Shape::kEach; ++i) keys[i] = kept ? keys[i] : 0;
  }

  const ChosenExpert mine =
      choose<Shape>(keys, experts.first, s.chosen, (SharedBytes)ids + Shape::row() * Shape::kLanes * 4);
  const bool is_chosen = Shape::lane() < s.chosen;
  float weight = score(g.bias ? view.load_one(Shape::row(), mine.id) : number_of(mine.key));
  if (arch::late(s.renormalised)) {
    const float sum = reduce_lanes<Shape::kLanes>(is_chosen ? weight : 0, Sum{});
    weight /= sum == 0 ? 1 : sum;
  }
  if (is_chosen && Shape::row() < view.rows) {
    const i64 at = Shape::token() * s.chosen + Shape::lane();
    arch::store_global(g.weights, at, weight * s.factor);
    arch::store_global(g.ids, at, mine.id);
  }
}

}  // namespace wavesmith::kernels
