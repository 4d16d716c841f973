// The experts with the largest keys. A round for each: the lanes that share a token find the largest key that
// is left, by exchanges between lanes.
#pragma once

#include "kernels/router/key.h"
#include "kernels/router/row.h"

namespace wavesmith::kernels {

/// What lane i of a token's has of the i-th that was chosen: its place among all that the lanes hold, and its
/// logit, or of keys of scores any number.
struct ChosenPlace {
  int place;
  float logit;
};

/// The places of the `count` largest keys, in descending order, and of equal ones the lower place; keys
/// become 0 as they are chosen.
template <class Shape>
TILE_DEVICE ChosenPlace choose(tile::u32 (&keys)[Shape::kEach], int count) {
  using namespace tile;
  const int first = Shape::lane() * Shape::kEach;
  int mine = 0;
  u32 mine_key = 0;
  TILE_KEEP_LOOP for (int round = 0; round < count; ++round) {
    const u32 largest = largest_of(keys);
    int place = Shape::kEach - 1;
    TILE_UNROLL for (int i = Shape::kEach - 2; i >= 0; --i) place = keys[i] == largest ? i : place;
    const u32 best = largest_key<Shape::kLanes>(largest);
    // Of the lanes that have it the first has the largest complement of a place.
    const u32 complement = largest == best ? ~static_cast<u32>(first + place) : 0;
    const auto chosen = static_cast<int>(~largest_key<Shape::kLanes>(complement));
    const auto here = static_cast<u32>(chosen - first);
    // Masks by shifts: on CDNA what a comparison yields has to be waited for.
    const u32 others = here < Shape::kEach ? ~(1U << here) : ~0U;
    TILE_UNROLL for (int i = 0; i < Shape::kEach; ++i) keys[i] &=
        static_cast<u32>(static_cast<int>(others << (31 - i)) >> 31);
    mine = Shape::lane() == round ? chosen : mine;
    mine_key = Shape::lane() == round ? best : mine_key;
  }
  return {mine, number_of(mine_key)};
}

/// The same of logits with 16 bits, whose keys leave room for the place: all differ, so that the next is the
/// largest below the last one, and that is the largest difference to it where numbers wrap around. Keys of 0
/// are never chosen.
template <class Shape>
TILE_DEVICE ChosenPlace choose_by_halves(const RouterRow<Shape>& row, bool is_f16,
                                         const tile::u32 (&keys)[Shape::kEach], int count) {
  using namespace tile;
  constexpr u32 kPlaces = 0xffff;
  const int first = Shape::lane() * Shape::kEach;
  u32 packed[Shape::kEach];
  TILE_UNROLL for (int i = 0; i < Shape::kEach; ++i) {
    const u32 half = is_f16 ? half_key_of(row.x[i]) : keys[i] >> 16;
    packed[i] = keys[i] == 0 ? 0 : half << 16 | (kPlaces - static_cast<u32>(first + i));
  }
  u32 last = 0, mine = 0;
  TILE_KEEP_LOOP for (int round = 0; round < count; ++round) {
    u32 differences[Shape::kEach];
    TILE_UNROLL for (int i = 0; i < Shape::kEach; ++i) differences[i] = packed[i] - last;
    last += largest_key<Shape::kLanes>(largest_of(differences));
    mine = Shape::lane() == round ? last : mine;
  }
  return {static_cast<int>(kPlaces - (mine & kPlaces)),
          is_f16 ? number_of_half_key(mine >> 16) : number_of_upper(mine >> 16)};
}

}  // namespace wavesmith::kernels
