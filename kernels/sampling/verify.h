// Drafts of a sequence that a model accepts, and the token that follows them.
#pragma once

#include "kernels/pointwise/argument.h"
#include "kernels/sampling/draw.h"

namespace wavesmith::kernels {

struct VerifyShared {
  tile::u32 accepted, is_invalid;
  DrawShared draw;
};

/// What the model's probabilities are more than the draft's: those of a row, a single one, or none.
struct RestRow {
  const float *target, *draft;
  tile::u32 drafted;
  TILE_IN_SHARED tile::u32* is_invalid;

  [[nodiscard]] TILE_DEVICE tile::u64 weight_of(tile::u32 at, float p, float q) const {
    if (!is_probability(p) || !is_probability(q)) *is_invalid = 1;
    return weight_of_probability(at == drafted ? 0 : p - q);
  }
  [[nodiscard]] TILE_DEVICE tile::u64 weight(tile::u32 at) const {
    const float p = tile::arch::load_global_as<float>(target, at);
    const float q = draft ? tile::arch::load_global_as<float>(draft, at) : 0;
    return weight_of(at, p, q);
  }
  template <class Visit>
  TILE_DEVICE void each(RowPart part, Visit visit) const {
    constexpr tile::u32 kTogether = 8;
    tile::u32 at = part.begin + sample_lane();
    TILE_KEEP_LOOP for (; at + (kTogether - 1) * kSampleLanes < part.end; at += kTogether * kSampleLanes) {
      float p[kTogether], q[kTogether] = {};
      TILE_UNROLL for (tile::u32 i = 0; i < kTogether; ++i) p[i] =
          tile::arch::load_global_as<float>(target, at + i * kSampleLanes);
      if (draft)
        TILE_UNROLL for (tile::u32 i = 0; i < kTogether; ++i) q[i] =
            tile::arch::load_global_as<float>(draft, at + i * kSampleLanes);
      TILE_UNROLL for (tile::u32 i = 0; i < kTogether; ++i)
          visit(weight_of(at + i * kSampleLanes, p[i], q[i]));
    }
    TILE_KEEP_LOOP for (; at < part.end; at += kSampleLanes) visit(weight(at));
  }
};

struct Verification {
  const VerifyArguments& g;
  long sequence;
  TILE_IN_SHARED VerifyShared& shared;

  [[nodiscard]] TILE_DEVICE int draft(int position) const {
    return tile::arch::load_global_as<int>(g.draft_tokens, sequence * g.drafts + position);
  }
  [[nodiscard]] TILE_DEVICE const float* target_row(int position) const {
    return g.target + (sequence * (g.drafts + 1) + position) * g.target_stride;
  }
  [[nodiscard]] TILE_DEVICE const float* draft_row(int position) const {
    return g.draft ? g.draft + (sequence * g.drafts + position) * g.draft_stride : nullptr;
  }
  [[nodiscard]] TILE_DEVICE int target_token(int position) const {
    return tile::arch::load_global_as<int>(g.target_tokens, sequence * (g.drafts + 1) + position);
  }
  [[nodiscard]] TILE_DEVICE PhiloxBlock random(int position) const {
    const auto seed = tile::arch::load_shared_by_lanes<tile::u64>(g.seeds, sequence);
    const tile::u64 offset = g.offsets ? tile::arch::load_shared_by_lanes<tile::u64>(g.offsets, sequence) : 0;
    return philox(seed, offset + static_cast<tile::u64>(position), 0);
  }
  [[nodiscard]] TILE_DEVICE bool accepted(int position) const {
    const int token = draft(position);
    if (g.target_tokens) return token == target_token(position);
    if (token < 0 || token >= g.vocabulary) return false;
    const float p = tile::arch::load_global_as<float>(target_row(position), token);
    const float q = g.draft ? tile::arch::load_global_as<float>(draft_row(position), token) : 1;
    return accepts(random(position).words[0], q, p);
  }

  /// The token behind the drafts that were accepted.
  [[nodiscard]] TILE_DEVICE int next(int position, bool is_rejected) const {
    if (g.bonus && !is_rejected) return tile::arch::load_global_as<int>(g.bonus, sequence);
    if (g.target_tokens) return target_token(position);
    const PhiloxBlock block = random(position);
    const bool has_row = is_rejected && g.draft;
    RestRow row{target_row(position), has_row ? draft_row(position) : nullptr,
                is_rejected && !has_row ? static_cast<tile::u32>(draft(position)) : 0xffffffffU,
                &shared.is_invalid};
    int token = -1;
    TILE_KEEP_LOOP for (int trial = 0; trial < 2 && tile::arch::uniform(token) < 0; ++trial) {
      token = draw_token(row, g.vocabulary, 0, block.words[2], block.words[3], shared.draw).token;
      row.draft = nullptr, row.drafted = 0xffffffffU;
    }
    tile::arch::barrier();
    return shared.is_invalid != 0 ? -1 : token;
  }
};

TILE_DEVICE void verify(const VerifyArguments& g, TILE_IN_SHARED VerifyShared& shared) {
  const int thread = tile::arch::thread_id();
  const Verification one{g, tile::arch::workgroup_id(), shared};
  int count = g.drafts;
  if (g.counts) {
    const int given = tile::arch::load_shared_by_lanes<int>(g.counts, one.sequence);
    count = given < 0 ? 0 : given < count ? given : count;
  }
  if (thread == 0) shared.accepted = static_cast<tile::u32>(count), shared.is_invalid = 0;
  tile::arch::barrier();
  if (thread < count && !one.accepted(thread))
    __hip_atomic_fetch_min(&shared.accepted, static_cast<tile::u32>(thread), __ATOMIC_RELAXED,
                           __HIP_MEMORY_SCOPE_WORKGROUP);
  tile::arch::barrier();
  const int accepted = tile::arch::uniform(static_cast<int>(shared.accepted));
  const int next = one.next(accepted, accepted < count);
  int* const to = g.tokens + one.sequence * (g.drafts + 1);
  TILE_KEEP_LOOP for (int i = thread; i <= g.drafts; i += kSampleThreads) {
    const int behind = i == accepted ? next : -1;
    tile::arch::store_global(to, i, i < accepted ? one.draft(i) : behind);
  }
  if (g.accepted && thread == 0) tile::arch::store_global(g.accepted, one.sequence, accepted);
}

}  // namespace wavesmith::kernels
