// Results of several waves or workgroups for the same rows, each with its own keys, as one.
#pragma once

#include "kernels/decode/keys.h"
#include "tile/math.h"
#include "tile/shared.h"

namespace wavesmith::kernels {

/// The sum of a row's weights 2^(score - reference).
struct RowSum {
  float reference;  ///< minus infinity: there is no score, the sum is 0 or NaN
  float sum;

  /// Takes another reference, and returns the factor of what was weighed by the earlier one.
  TILE_DEVICE float refer_to(float other) {
    const float by = reference == -tile::kInfinity ? 0 : tile::exp2(reference - other);
    reference = other;
    sum *= by;
    return by;
  }
  TILE_DEVICE float log2_sum() const { return reference + tile::log2(sum); }
  /// 1 / the sum, or 0 where no key was seen.
  TILE_DEVICE float per_sum() const { return sum == 0 ? 0 : tile::reciprocal(sum); }
  /// Whether no key was seen: the results are 0.
  TILE_DEVICE bool is_empty() const { return sum == 0; }
  /// Adds a score of a key whose value is 0; returns the factor of what was weighed before.
  TILE_DEVICE float add_sink(float score) {
    const float by = refer_to(tile::greater(reference, score));
    sum += score == -tile::kInfinity ? 0 : tile::exp2(score - reference);
    return by;
  }
};

/// Shared memory in which waves add up what they have.
template <class Shape, int kWaves>
struct SharedResults {
  using Layout = typename Shape::Layout;
  using Results = typename ValueTile<Shape>::Results;
  static constexpr int kInPiece = 4;  // floats
  static constexpr int kOfResults = Layout::kSums * Shape::kColumns * 4 * Layout::kLanes;
  static constexpr int kBytes = kOfResults + kWaves * Layout::kRows * 2 * 4;
  tile::SharedBytes memory;

  /// All waves call it; the last one has the sum of all then, and is told so.
  TILE_DEVICE bool add_waves(Results& results, RowSum& sum, int wave, int lane) const {
    using namespace tile;
    using Pair = Vector<float, 2>;
    const auto place = [&](int of) {
      return memory + kOfResults + (of * Layout::kRows + Layout::row(lane)) * 8;
    };
    shared_write(place(wave), Pair{sum.reference, sum.sum});
    arch::barrier();
    float greatest = -kInfinity;
    TILE_UNROLL for (int i = 0; i < kWaves; ++i) greatest = greater(greatest, shared_read<float>(place(i)));
    const float by = sum.refer_to(greatest);
    TILE_UNROLL for (int j = 0; j < Shape::kColumns; ++j) results.at[0][j] *= by;
    // In order, so that results are the same in each run.
    TILE_KEEP_LOOP
    for (int turn = 0; turn < kWaves; ++turn) {
      if (turn == wave) {
        if (wave > 0)
          each_piece(results, lane,
                     [](auto at, auto& piece) { piece += shared_read<Vector<float, kInPiece>>(at); });
        if (wave < kWaves - 1)
          each_piece(results, lane, [](auto at, auto& piece) { shared_write(at, piece); });
      }
      arch::barrier();
    }
    if (wave < kWaves - 1) return false;
    float all = 0;
    TILE_UNROLL for (int i = 0; i < kWaves; ++i) {
      const Pair one = shared_read<Pair>(place(i));
      RowSum of{one[0], one[1]};
      of.refer_to(greatest);
      all += of.sum;
    }
    sum.sum = all;
    return true;
  }

 private:
  /// Calls use(place, piece) for each four results of a lane.
  template <class Use>
  TILE_DEVICE void each_piece(Results& results, int lane, Use use) const {
    constexpr int kPieces = Layout::kSums / kInPiece;
    TILE_UNROLL for (int j = 0; j < Shape::kColumns; ++j) {
      TILE_UNROLL for (int p = 0; p < kPieces; ++p) {
        tile::Vector<float, kInPiece> piece;
        TILE_UNROLL for (int e = 0; e < kInPiece; ++e) piece[e] = results.at[0][j][p * kInPiece + e];
        use(memory + ((j * kPieces + p) * Layout::kLanes + lane) * tile::kPieceBytes, piece);
        TILE_UNROLL for (int e = 0; e < kInPiece; ++e) results.at[0][j][p * kInPiece + e] = piece[e];
      }
    }
  }
};

/// Calls use(column, values) for each four of the lane's results that follow each other in its row.
template <class Shape, class Results, class Use>
TILE_DEVICE void for_each_run(const Results& results, int lane, Use use) {
  using Layout = typename Shape::Layout;
  constexpr int kRuns = Shape::kColumns / 4, kWide = Shape::kWide;
  tile::repeat<Layout::kSums * kRuns>([&](auto number) {
    constexpr int kSum = decltype(number)::kValue / kRuns, kFirst = decltype(number)::kValue % kRuns * 4;
    const int row = Layout::first_row(kSum) + lane / Layout::kRows * Layout::kGroupStep;
    tile::Vector<float, 4> values;
    TILE_UNROLL for (int i = 0; i < 4; ++i) values[i] = results.at[0][kFirst + i][kSum];
    use(kFirst / kWide * kWide * Layout::kRows + row * kWide + kFirst % kWide, values);
  });
}

}  // namespace wavesmith::kernels
