// The experts of each token and their weights. A token's logits stay in the registers of the lanes that share
// it: scores, the groups that are kept, then a round for each of the chosen.
#pragma once

#include "kernels/router/choose.h"
#include "kernels/router/groups.h"
#include "kernels/router/key.h"
#include "kernels/router/row.h"

namespace wavesmith::kernels {

/// The expert at a place.
template <class Shape>
TILE_DEVICE int expert_at(const RouterArguments& g, int place) {
  const int lane = place / Shape::kEach, group = lane >> g.group_shift;
  return group * g.in_group + place - (group << g.group_shift) * Shape::kEach;
}

template <class Shape>
TILE_DEVICE void router(const RouterArguments& g) {
  using namespace tile;
  const RouterScores& s = g.scores;
  const TypedView view = rows_of<Shape>(s, s.logits, s.type, s.stride);
  const bool whole = g.in_group % 8 == 0;
  const int group = Shape::lane() >> g.group_shift;
  const int before = (Shape::lane() - (group << g.group_shift)) * Shape::kEach;  // in the group
  const LaneExperts experts{group * g.in_group + before, group < g.groups ? g.in_group - before : 0};
  // The bias is under way before logits are waited for.
  float bias[Shape::kEach];
  const arch::Buffer on_bias = arch::buffer(g.bias, s.experts * sizeof(float));
  if (arch::late(g.bias != nullptr))
    load_floats<float>(bias, on_bias, experts.first * sizeof(float), whole && is_whole(g.bias));
  RouterRow<Shape> row;
  row.load(view, experts, whole);
  const bool compares_scores = g.bias || (g.groups > 1 && g.two_largest);
  float most = 0, unit = 1;  // a softmax's score is a power times the unit
  if (!s.sigmoid) {
    most = row.largest();
    if (arch::late(compares_scores || !s.renormalised)) unit = 1 / row.total(most);
  }
  const auto score = [&](float x) { return s.sigmoid ? precise::sigmoid(x) : power_of(x, most) * unit; };

  // Compared anew: of what was compared for the logits a mask of each expert would be kept until here.
  const int count = bits_as<int>(arch::in_vector(bits_as<float>(experts.count)));
  u32 keys[Shape::kEach];
  TILE_UNROLL for (int i = 0; i < Shape::kEach; ++i) keys[i] = i < count ? choice_key(row.x[i]) : 0;
  if (arch::late(compares_scores)) {
    float scores[Shape::kEach];
    if (arch::late(s.sigmoid)) {
      arch::keep_branch();
      TILE_UNROLL for (int i = 0; i < Shape::kEach; ++i) scores[i] = precise::sigmoid(row.x[i]);
    } else {
      TILE_UNROLL for (int i = 0; i < Shape::kEach; ++i) scores[i] = power_of(row.x[i], most) * unit;
    }
    u32 by_score[Shape::kEach];
    TILE_UNROLL for (int i = 0; i < Shape::kEach; ++i) {
      const float value = g.bias ? scores[i] + bias[i] : scores[i];
      by_score[i] = keys[i] != 0 ? choice_key(value) : 0;
    }
    const bool kept = g.groups <= 1 || keeps_group<Shape>(g, by_score);
    TILE_UNROLL for (int i = 0; i < Shape::kEach; ++i) keys[i] = !kept ? 0 : g.bias ? by_score[i] : keys[i];
  } else if (arch::late(g.groups > 1)) {
    const bool kept = keeps_group<Shape>(g, keys);
    TILE_UNROLL for (int i = 0; i < Shape::kEach; ++i) keys[i] = kept ? keys[i] : 0;
  }

  ChosenPlace mine;
  if (arch::late(s.type != static_cast<int>(Type::F32) && !g.bias))
    mine = choose_by_halves(row, s.type == static_cast<int>(Type::F16), keys, s.chosen);
  else
    mine = choose<Shape>(keys, s.chosen);
  const int id = expert_at<Shape>(g, mine.place);
  const bool is_chosen = Shape::lane() < s.chosen;
  float weight = score(g.bias ? view.load_one(Shape::row(), id) : mine.logit);
  if (arch::late(s.renormalised)) {
    const float sum = reduce_lanes<Shape::kLanes>(is_chosen ? weight : 0, Sum{});
    weight /= sum == 0 ? 1 : sum;
  }
  if (is_chosen && Shape::row() < view.rows) {
    const i64 at = Shape::token() * s.chosen + Shape::lane();
    arch::store_global(g.weights, at, weight * s.factor);
    arch::store_global(g.ids, at, id);
  }
}

}  // namespace wavesmith::kernels
