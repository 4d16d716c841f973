// The results of the splits of each row as one.
#pragma once

#include "kernels/decode/results.h"
#include "tile/reduce.h"

namespace wavesmith::kernels {

/// A wave combines kPieces times 64 elements of a row: of each sixteen lanes have four each, and groups of
/// sixteen take the splits by turns, the loads of kAtOnce of them under way together.
template <class Element, int kPieces, int kAtOnce>
TILE_DEVICE void combine_pieces(const CombineArguments& g) {
  using namespace tile;
  constexpr int kLanes = arch::kHere.wave_lanes, kSharing = 16, kGroups = kLanes / kSharing;
  using Four = Vector<float, 4>;
  const int lane = arch::thread_id() % kLanes;
  const int wave = arch::uniform(arch::workgroup_id() * kCombineWaves + arch::thread_id() / kLanes);
  const int row = wave / g.parts_of_row;
  if (row >= g.rows) return;
  const int column = wave % g.parts_of_row * kPieces * kCombineElements + lane % kSharing * 4;
  const int head = row % g.heads, query = row / g.heads % g.length_q, batch = row / g.heads / g.length_q;
  const i64 first = static_cast<i64>(row) * g.splits;
  const float* const references = g.parts_lse + first;
  const u64 parts = reinterpret_cast<u64>(g.parts + first * g.head_size + column);

  RowSum all{-kInfinity, 0};
  for (int split = lane; split < g.splits; split += kLanes)
    all.reference = greater(all.reference, arch::load_global(references, split));
  all.reference = reduce_lanes<kLanes>(all.reference, Max{});
  for (int split = lane; split < g.splits; split += kLanes) {
    RowSum part{arch::load_global(references, split), 1};
    all.sum += part.refer_to(all.reference);
  }
  all.sum = reduce_lanes<kLanes>(all.sum, Sum{});

  Four values[kPieces] = {};
  for (int split = lane / kSharing; split < g.splits; split += kGroups * kAtOnce) {
    RowSum part[kAtOnce];
    Four of_part[kAtOnce][kPieces];
    TILE_UNROLL for (int i = 0; i < kAtOnce; ++i) {
      const int at = split + i * kGroups < g.splits ? split + i * kGroups : split;
      part[i].reference = arch::load_global(references, at);
      TILE_UNROLL for (int p = 0; p < kPieces; ++p) of_part[i][p] = arch::load_at<Four>(
          parts + static_cast<u64>(at) * g.head_size * 4 + p * kCombineElements * sizeof(float));
    }
    TILE_UNROLL for (int i = 0; i < kAtOnce; ++i) {
      // A split without a key has left its part of memory as it was.
      const bool is_one = split + i * kGroups < g.splits && part[i].reference != -kInfinity;
      const float weight = part[i].refer_to(all.reference);
      TILE_UNROLL for (int p = 0; p < kPieces; ++p) {
        TILE_UNROLL for (int e = 0; e < 4; ++e) values[p][e] += is_one ? weight * of_part[i][p][e] : 0;
      }
    }
  }
  TILE_UNROLL for (auto& four : values) {
    TILE_UNROLL for (int e = 0; e < 4; ++e) {
      four[e] += arch::swap_lanes<16>(four[e]);
      if constexpr (kGroups > 2) four[e] += arch::swap_lanes<32>(four[e]);
    }
  }

  float by = 1;
  if (g.sinks) by = all.add_sink(arch::load_global(g.sinks, head) * kLog2OfE);
  by *= all.per_sum();
  if (lane >= kSharing) return;
  if (g.lse && column == 0)
    arch::store_at(reinterpret_cast<u64>(g.lse + batch * g.lse_batch + head * g.lse_head + query),
                   all.log2_sum() * kLogOf2);
  Element* const out = static_cast<Element*>(g.o) + batch * g.stride_o.batch + query * g.stride_o.row +
                       head * g.stride_o.head + column;
  TILE_UNROLL for (int p = 0; p < kPieces; ++p) {
    Vector<Element, 4> narrow;
    TILE_UNROLL for (int e = 0; e < 4; ++e) narrow[e] = static_cast<Element>(values[p][e] * by);
    arch::store_at(reinterpret_cast<u64>(out + p * kCombineElements), narrow);
  }
}

/// Of few splits, a group has one or two: loads of several pieces are under way instead.
template <class Element>
TILE_DEVICE void combine(const CombineArguments& g) {
  if (g.pieces == 1)
    combine_pieces<Element, 1, 4>(g);
  else
    combine_pieces<Element, kCombinePieces, 1>(g);
}

}  // namespace wavesmith::kernels
