// The gradient of a router's weights with the logits.
#pragma once

#include "kernels/router/row.h"
#include "tile/arch/lanes.h"

namespace wavesmith::kernels {

/// What lane i of a token's knows of the i-th of the chosen: minus infinity and 0 where it is no expert.
struct ChosenGradient {
  int id;
  float logit, dweight;
};

template <class Shape>
TILE_DEVICE ChosenGradient chosen_gradient(const RouterBackwardArguments& g, const tile::TypedView& view) {
  using namespace tile;
  const RouterScores& s = g.scores;
  ChosenGradient mine{-1, -kInfinity, 0};
  if (Shape::lane() >= s.chosen || Shape::row() >= view.rows) return mine;
  const i64 at = Shape::token() * s.chosen + Shape::lane();
  const int id = arch::load_global_as<int>(g.ids, at);
  if (id < 0 || id >= s.experts) return mine;
  return {id, view.load_one(Shape::row(), id), arch::load_global_as<float>(g.dweights, at)};
}

template <class Shape>
TILE_DEVICE void router_backward(const RouterBackwardArguments& g) {
  using namespace tile;
  const RouterScores& s = g.scores;
  const TypedView view = rows_of<Shape>(s, s.logits, s.type, s.stride);
  const TypedView result = rows_of<Shape>(s, g.dlogits, g.dlogits_type, g.dlogits_stride);
  const int first = Shape::lane() * Shape::kEach;
  const auto sum_of_token = [](float value) { return reduce_lanes<Shape::kLanes>(value, Sum{}); };
  const ChosenGradient mine = chosen_gradient<Shape>(g, view);
  const bool is_chosen = mine.id >= 0, has_part = !s.sigmoid && !s.renormalised;

  // What belongs to all: the part in a softmax of those that were not chosen.
  RouterRow<Shape> row;
  float most = 0, unit = 1;
  if (arch::late(has_part)) {
    row.load(view, {first, s.experts - first}, s.experts % 8 == 0);
    most = row.largest();
    unit = 1 / row.total(most);
  } else if (!s.sigmoid) {
    most = reduce_lanes<Shape::kLanes>(mine.logit, Max{});
  }
  const float own = s.sigmoid ? precise::sigmoid(mine.logit) : power_of(mine.logit, most) * unit;
  const float score = is_chosen ? own : 0;
  float gradient = score * mine.dweight;
  if (arch::late(s.renormalised)) {
    const float sum = sum_of_token(score);
    const float weight = score / (sum == 0 ? 1 : sum);
    gradient = weight * (mine.dweight - sum_of_token(weight * mine.dweight));
  }
  gradient = is_chosen ? gradient * s.factor : 0;
  const float part = has_part ? sum_of_token(gradient) * unit : 0;
  if (s.sigmoid) gradient *= precise::sigmoid(-mine.logit);

  float values[Shape::kEach];
  TILE_UNROLL for (int i = 0; i < Shape::kEach; ++i) values[i] = 0;
  if (arch::late(has_part)) {
    TILE_UNROLL for (int i = 0; i < Shape::kEach; ++i) values[i] = -part * power_of(row.x[i], most);
  }
  const int first_lane = arch::lane_id() - Shape::lane();
  TILE_KEEP_LOOP for (int chosen = 0; chosen < s.chosen; ++chosen) {
    const int place = arch::from_lane(mine.id, first_lane + chosen) - first;
    const float theirs = bits_as<float>(arch::from_lane(bits_as<int>(gradient), first_lane + chosen));
    TILE_UNROLL for (int i = 0; i < Shape::kEach; ++i) values[i] += place == i ? theirs : 0;
  }
  TILE_UNROLL for (int i = 0; i < Shape::kEach; i += 8) {
    Eight eight;
    TILE_UNROLL for (int j = 0; j < 8; ++j) eight[j] = values[i + j];
    result.store(Shape::row(), first + i, eight);
  }
}

}  // namespace wavesmith::kernels
