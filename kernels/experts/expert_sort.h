// Tokens' choices sorted by expert: counted, and moved behind those of smaller experts and of the same expert
// before them. Each wave takes choices that follow each other, and within a wave those of one expert find
// each other by votes of all lanes on each bit of its number, so that the order stays.
#pragma once

#include "kernels/experts/expert_sort_arguments.h"
#include "tile/arch/device.h"
#include "tile/arch/here.h"
#include "tile/arch/lanes.h"

namespace wavesmith::kernels {

inline constexpr tile::u32 kExpertLanes = tile::arch::kHere.wave_lanes;
inline constexpr tile::u32 kExpertWaves = kExpertThreads / kExpertLanes;
/// Choices that a lane has under way.
inline constexpr tile::u32 kExpertItems = 8;

using ExpertPair = tile::Vector<tile::u32, 2>;

TILE_DEVICE tile::u32 expert_thread() { return static_cast<tile::u32>(tile::arch::thread_id()); }
TILE_DEVICE tile::u32 expert_lane() { return expert_thread() % kExpertLanes; }
TILE_DEVICE tile::u32 expert_wave() {
  return static_cast<tile::u32>(tile::arch::uniform(static_cast<int>(expert_thread() / kExpertLanes)));
}
TILE_DEVICE void add_shared(TILE_IN_SHARED tile::u32& to, tile::u32 value) {
  __hip_atomic_fetch_add(&to, value, __ATOMIC_RELAXED, __HIP_MEMORY_SCOPE_WORKGROUP);
}

/// Choices that follow each other.
struct ExpertPart {
  tile::u32 begin, end;

  TILE_DEVICE static ExpertPart of_workgroup(const ExpertSortArguments& g) {
    const tile::u32 begin = static_cast<tile::u32>(tile::arch::workgroup_id()) * g.chunk;
    return {begin, begin + g.chunk < g.all ? begin + g.chunk : g.all};
  }
  [[nodiscard]] TILE_DEVICE ExpertPart of_wave() const {
    const tile::u32 each =
        ((end - begin + kExpertWaves - 1) / kExpertWaves + kExpertLanes - 1) / kExpertLanes * kExpertLanes;
    const tile::u32 first = begin + expert_wave() * each;
    return {first < end ? first : end, first + each < end ? first + each : end};
  }
};

/// Calls `use(number of the choice, its expert, whether it has one)` for the choices of a wave, a lane each,
/// in order: all lanes call it together.
template <class Use>
TILE_DEVICE void each_choice(const ExpertSortArguments& g, ExpertPart part, Use use) {
  TILE_KEEP_LOOP for (tile::u32 first = part.begin; first < part.end; first += kExpertItems * kExpertLanes) {
    const tile::u32 at = first + expert_lane();
    tile::u32 ids[kExpertItems];
    TILE_UNROLL for (tile::u32 i = 0; i < kExpertItems; ++i) {
      const tile::u32 one = at + i * kExpertLanes;
      ids[i] = tile::arch::load_global_as<tile::u32>(g.ids, one < part.end ? one : part.end - 1);
    }
    if (g.map) {
      TILE_UNROLL for (tile::u32 i = 0; i < kExpertItems; ++i) {
        const bool is_mapped = ids[i] < g.mapped;
        const tile::u32 here = tile::arch::load_global_as<tile::u32>(g.map, is_mapped ? ids[i] : 0);
        ids[i] = is_mapped ? here : ~0U;
      }
    }
    TILE_UNROLL for (tile::u32 i = 0; i < kExpertItems; ++i) {
      if (first + i * kExpertLanes >= part.end) break;
      const tile::u32 one = at + i * kExpertLanes;
      use(one, ids[i], one < part.end && ids[i] < g.experts);
    }
  }
}

struct ExpertCountShared {
  tile::u32 counts[kMostExperts];
};

/// How many choices of a chunk each expert has.
TILE_DEVICE void count_experts(const ExpertSortArguments& g, TILE_IN_SHARED ExpertCountShared& shared) {
  for (tile::u32 i = expert_thread(); i < g.pitch; i += kExpertThreads) shared.counts[i] = 0;
  tile::arch::barrier();
  each_choice(g, ExpertPart::of_workgroup(g).of_wave(), [&](tile::u32, tile::u32 expert, bool is_here) {
    if (is_here) add_shared(shared.counts[expert], 1);
  });
  tile::arch::barrier();
  const tile::i64 row = static_cast<tile::i64>(tile::arch::workgroup_id()) * g.pitch;
  for (tile::u32 i = expert_thread(); i < g.pitch; i += kExpertThreads)
    tile::arch::store_global(g.counts, row + i, shared.counts[i]);
}

struct ExpertSortShared {
  tile::u32 counts[kExpertWaves][kExpertThreads];  ///< of pairs of experts, 16 bits each
  tile::u32 starts[kMostExperts], all[kMostExperts];
  tile::u32 sums[kExpertWaves];
};

/// What stands in the threads before, and in all.
struct ExpertScan {
  tile::u32 before, all;
};
TILE_DEVICE ExpertScan scan_experts(tile::u32 value, TILE_IN_SHARED tile::u32 (&sums)[kExpertWaves]) {
  const tile::u32 lane = expert_lane();
  tile::u32 sum = value;
  TILE_UNROLL for (tile::u32 distance = 1; distance < kExpertLanes; distance *= 2) {
    const auto other = static_cast<tile::u32>(
        tile::arch::from_lane(static_cast<int>(sum), static_cast<int>(lane - distance)));
    sum += lane >= distance ? other : 0;
  }
  if (lane == kExpertLanes - 1) sums[expert_wave()] = sum;
  tile::arch::barrier();
  ExpertScan scan{sum - value, 0};
  TILE_UNROLL for (tile::u32 i = 0; i < kExpertWaves; ++i) {
    const tile::u32 one = sums[i];
    scan.all += one;
    scan.before += i < expert_wave() ? one : 0;
  }
  return scan;
}

/// Adds the counts of all chunks up, and of those before this one. The threads of a pair of experts take some
/// of the chunks each.
TILE_DEVICE void add_chunks(const ExpertSortArguments& g, TILE_IN_SHARED ExpertSortShared& shared) {
  constexpr tile::u32 kAtOnce = 8;
  const tile::u32 pairs = g.pitch / 2;
  const tile::u32 width = pairs == 1 ? 1 : 1U << (32 - __builtin_clz(pairs - 1));
  const tile::u32 groups = kExpertThreads / width, pair = expert_thread() % width;
  const auto own = static_cast<tile::u32>(tile::arch::workgroup_id());
  if (pair >= pairs) return;
  ExpertPair all = 0, before = 0;
  TILE_KEEP_LOOP for (tile::u32 chunk = expert_thread() / width; chunk < g.chunks;
                      chunk += groups * kAtOnce) {
    ExpertPair counts[kAtOnce];
    TILE_UNROLL for (tile::u32 i = 0; i < kAtOnce; ++i) {
      const tile::u32 one = chunk + i * groups;
      counts[i] = tile::arch::load_global_as<ExpertPair>(
          g.counts, static_cast<tile::i64>(one < g.chunks ? one : 0) * pairs + pair);
    }
    TILE_UNROLL for (tile::u32 i = 0; i < kAtOnce; ++i) {
      const tile::u32 one = chunk + i * groups;
      all += one < g.chunks ? counts[i] : ExpertPair(0);
      before += one < own ? counts[i] : ExpertPair(0);
    }
  }
  TILE_UNROLL for (tile::u32 i = 0; i < 2; ++i) {
    add_shared(shared.all[2 * pair + i], all[i]);
    add_shared(shared.starts[2 * pair + i], before[i]);
  }
}

/// Where each expert's rows of this chunk begin, of each wave where among these; returns the rows in all.
template <bool kAlone>
TILE_DEVICE tile::u32 start_experts(const ExpertSortArguments& g, TILE_IN_SHARED ExpertSortShared& shared) {
  const tile::u32 pair = expert_thread();
  tile::u32 sum = 0;
  if (pair * 2 < g.experts) {
    TILE_UNROLL for (tile::u32 i = 0; i < kExpertWaves; ++i) {
      const tile::u32 count = shared.counts[i][pair];
      shared.counts[i][pair] = sum;
      sum += count;
    }
  }
  ExpertPair all = {sum & 0xffff, sum >> 16}, before = 0;
  if constexpr (!kAlone) {
    all = {shared.all[2 * pair], shared.all[2 * pair + 1]};
    before = {shared.starts[2 * pair], shared.starts[2 * pair + 1]};
  }
  const ExpertScan scan = scan_experts(all[0] + all[1], shared.sums);
  const ExpertPair starts = {scan.before, scan.before + all[0]};
  TILE_UNROLL for (tile::u32 i = 0; i < 2; ++i) {
    shared.starts[2 * pair + i] = starts[i] + before[i];
    if (tile::arch::workgroup_id() == 0 && 2 * pair + i < g.experts)
      tile::arch::store_global(g.offsets, 2 * pair + i, starts[i]);
  }
  if (tile::arch::workgroup_id() == 0 && pair == 0) tile::arch::store_global(g.offsets, g.experts, scan.all);
  return scan.all;
}

/// Moves the choices of a chunk: of all, or with the counts of all chunks.
template <bool kAlone>
TILE_DEVICE void sort_experts(const ExpertSortArguments& g, TILE_IN_SHARED ExpertSortShared& shared) {
  const ExpertPart chunk = ExpertPart::of_workgroup(g), part = chunk.of_wave();
  const tile::u32 wave = expert_wave();
  TILE_UNROLL for (tile::u32 i = 0; i < kExpertWaves; ++i) shared.counts[i][expert_thread()] = 0;
  if constexpr (!kAlone) {
    TILE_UNROLL for (tile::u32 i = 0; i < 2; ++i) {
      shared.all[2 * expert_thread() + i] = 0, shared.starts[2 * expert_thread() + i] = 0;
    }
  }
  tile::arch::barrier();
  if constexpr (!kAlone) add_chunks(g, shared);
  each_choice(g, part, [&](tile::u32, tile::u32 expert, bool is_here) {
    if (is_here) add_shared(shared.counts[wave][expert / 2], 1U << expert % 2 * 16);
  });
  tile::arch::barrier();
  const tile::u32 rows = start_experts<kAlone>(g, shared);
  tile::arch::barrier();
  const int bits = 32 - __builtin_clz((g.experts - 1) | 1);
  each_choice(g, part, [&](tile::u32 at, tile::u32 expert, bool is_here) {
    tile::arch::LaneMask same = tile::arch::lanes_where(is_here);
    TILE_KEEP_LOOP for (int bit = 0; bit < bits; ++bit) {
      const bool is_set = (expert >> bit & 1) != 0;
      const tile::arch::LaneMask set = tile::arch::lanes_where(is_set);
      same &= is_set ? set : ~set;
    }
    const tile::u32 before = tile::arch::lanes_below(same), shift = expert % 2 * 16;
    tile::u32 row = 0;
    if (is_here) row = shared.starts[expert] + (shared.counts[wave][expert / 2] >> shift & 0xffff) + before;
    tile::arch::wave_barrier();
    if (is_here && before == 0)
      add_shared(shared.counts[wave][expert / 2], tile::arch::lanes_in(same) << shift);
    tile::arch::wave_barrier();
    if (g.places && at < part.end)
      tile::arch::store_global(g.places, at, is_here ? static_cast<int>(row) : -1);
    if (!is_here) return;
    if (g.tokens) tile::arch::store_global(g.tokens, row, static_cast<int>(at / g.choices));
    if (g.sorted_weights)
      tile::arch::store_global(g.sorted_weights, row, tile::arch::load_global_as<tile::u32>(g.weights, at));
  });
  for (tile::u32 at = (rows > chunk.begin ? rows : chunk.begin) + expert_thread(); at < chunk.end;
       at += kExpertThreads) {
    if (g.tokens) tile::arch::store_global(g.tokens, at, -1);
    if (g.sorted_weights) tile::arch::store_global(g.sorted_weights, at, 0U);
  }
}

}  // namespace wavesmith::kernels
