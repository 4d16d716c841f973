// What becomes of scores before the softmax: cap, bias, mask.
#pragma once

#include "tile/chain.h"
#include "tile/math.h"

namespace wavesmith::kernels {

/// The keys that queries see. The query at `row` sees those in [row + first, row + last] that there are.
struct Sight {
  int first, last, keys;

  /// Aligned to the ends of both sequences, as in flash-attention since 2.1.
  TILE_DEVICE Sight(int left, int right, int length_q, int length_k)
      : first(length_k - length_q - left), last(length_k - length_q + right), keys(length_k) {}

  /// The keys of all of the rows [row, row + rows) are in [begin, end).
  TILE_DEVICE int begin(int row) const { return row + first > 0 ? row + first : 0; }
  TILE_DEVICE int end(int row, int rows) const {
    const int last_of_all = row + rows + last;
    return last_of_all < keys ? last_of_all : keys;
  }
  /// Whether all these rows see all these keys.
  TILE_DEVICE bool whole(int row, int rows, int key, int count) const {
    return key >= row + rows - 1 + first && key + count - 1 <= row + last && key + count <= keys;
  }
};

/// Hides the keys that a row does not see: their scores become minus infinity. `key` is the tile's first,
/// `row` the lane's in the first atom.
template <template <class> class Order = tile::ChainOrder, class Atom, int kRows, int kColumns>
TILE_DEVICE void hide(tile::Sums<Atom, kRows, kColumns>& scores, const Sight& sight, int row, int key) {
  TILE_UNROLL for (int i = 0; i < kRows; ++i) {
    const int at = row + i * tile::AtomLayout<Atom>::kRows;
    const int least = at + sight.first - key;
    const int end = (at + sight.last + 1 < sight.keys ? at + sight.last + 1 : sight.keys) - key;
    const auto count = static_cast<unsigned>(end > least ? end - least : 0);
    tile::change_sums<Order>(scores, i, [&](float score, int column) {
      tile::arch::keep_order();  // many conditions at once would take many registers
      return static_cast<unsigned>(column - least) < count ? score : -tile::kInfinity;
    });
  }
}

/// Scores in the base of 2, capped, and with ALiBi's bias of `slope` per position that a key is away from the
/// query's. `g` has the factor, softcap and per_cap of AttentionArguments.
template <class Atom, int kRows, int kColumns, class Arguments>
TILE_DEVICE void shape(tile::Sums<Atom, kRows, kColumns>& scores, const Arguments& g, float slope, int row,
                       int key, int shift) {
  const auto each = [&](auto change) {
    TILE_UNROLL for (int i = 0; i < kRows; ++i) {
      tile::change_sums(scores, i, [&](float score, int column) {
        return change(score, row + i * tile::AtomLayout<Atom>::kRows + shift - key - column);
      });
    }
  };
  if (g.softcap != 0)
    each([&](float score, int) {
      tile::arch::keep_order();  // many tanh at once would take many registers
      return g.softcap * tile::tanh(score * g.per_cap);
    });
  else
    each([&, factor = tile::arch::in_vector(g.factor)](float score, int) { return score * factor; });
  if (slope != 0)
    each([&, by = tile::arch::in_vector(slope)](float score, int away) {
      return score - by * static_cast<float>(away < 0 ? -away : away);
    });
}

}  // namespace wavesmith::kernels
