// Where a workgroup works: its tile of rows, sequence and matrices.
#pragma once

#include "kernels/attention/arguments.h"
#include "tile/arch/device.h"

namespace wavesmith::kernels {

/// The tile of rows of q that a workgroup computes. A die gets heads that follow each other, with all of
/// their tiles, so that its cache holds their keys. With a causal mask the last tiles see most keys: they
/// come first and last by turns, first in the last head.
struct AttentionPlace {
  bool valid;  ///< the workgroup has a tile
  int batch, head, first_row;

  TILE_DEVICE AttentionPlace(const AttentionArguments& g, int rows)
      : AttentionPlace(
            g, rows, tile::arch::workgroup_id() % g.dies * g.per_die + tile::arch::workgroup_id() / g.dies) {}
  TILE_DEVICE AttentionPlace(const AttentionArguments& g, int rows, int number) {
    valid = number < g.workgroups;
    batch = number / g.tiles / g.heads;
    head = number / g.tiles % g.heads;
    const bool falling = (g.workgroups - 1 - number) / g.tiles % 2 == 0;
    first_row = (falling ? g.tiles - 1 - number % g.tiles : number % g.tiles) * rows;
  }
};

/// A batch's sequence: its place in q and k, and lengths.
struct Sequence {
  int first_q = 0, first_k = 0, length_q, length_k;

  TILE_DEVICE Sequence(const AttentionArguments& g, int batch) : length_q(g.length_q), length_k(g.length_k) {
    if (g.starts_q) within(g.starts_q, batch, first_q, length_q);
    if (g.starts_k) within(g.starts_k, batch, first_k, length_k);
  }

 private:
  /// Whatever the starts say, no row is outside of the array.
  TILE_DEVICE static void within(const int* starts, int batch, int& first, int& length) {
    const auto limited = [&](int start) { return start < 0 ? 0 : start < length ? start : length; };
    first = limited(tile::arch::uniform(starts[batch]));
    const int end = limited(tile::arch::uniform(starts[batch + 1]));
    length = end > first ? end - first : 0;
  }
};

/// A head of a batch, from the row `first`.
template <class Element>
TILE_DEVICE const Element* matrix_of(const void* data, const AttentionStrides& stride, int batch, int head,
                                     int first) {
  return static_cast<const Element*>(data) + batch * stride.batch + head * stride.head + first * stride.row;
}

}  // namespace wavesmith::kernels
