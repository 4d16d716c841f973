// What a workgroup of decode computes with.
#pragma once

#include "kernels/attention/scores.h"
#include "kernels/decode/arguments.h"
#include "tile/arch/device.h"

namespace wavesmith::kernels {

/// Some rows, each a query of a head, and a part of their sequence's keys.
template <int kRows, int kKeys>
struct DecodePart {
  /// `number`: the workgroup's, of `g.workgroups`.
  TILE_DEVICE DecodePart(const DecodeArguments& g, int number)
      : split(number / g.tiles % g.splits),
        head_kv(number / g.tiles / g.splits % g.heads_kv),
        batch(number / g.tiles / g.splits / g.heads_kv),
        first_row(number % g.tiles * kRows),
        first_query(first_row / g.heads_per_kv),
        length(length_of(g, batch)),
        sight(g.left, 0, g.length_q, length) {
    const int last_row = (first_row + kRows < g.rows ? first_row + kRows : g.rows) - 1;
    queries = last_row / g.heads_per_kv - first_query + 1;
    begin = sight.begin(first_query) / kKeys * kKeys + split * g.keys;
    const int end_of_all = sight.end(first_query, queries);
    end = begin + g.keys < end_of_all ? begin + g.keys : end_of_all;
    sight.keys = end;
  }
  TILE_DEVICE static int length_of(const DecodeArguments& g, int batch) {
    const int length = tile::arch::uniform(g.lengths[batch]);
    return length < 0 ? 0 : length < g.longest ? length : g.longest;
  }

  int split, head_kv, batch;
  int first_row, first_query, queries;  ///< rows are queries in order, of each all heads
  int length;                           ///< of the sequence
  Sight sight;
  int begin, end;  ///< of the keys
};

/// A workgroup's number. A die gets those that follow each other: its cache holds the keys that several of
/// them read.
TILE_DEVICE int decode_number(const DecodeArguments& g) {
  return tile::arch::workgroup_id() % g.dies * g.per_die + tile::arch::workgroup_id() / g.dies;
}

}  // namespace wavesmith::kernels
