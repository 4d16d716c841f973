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

/// Some choices of a wave, of which a lane has each `kExpertLanes`-th: their experts, beyond all experts
/// where they have none here.
template <tile::u32 kItems>
struct ChoiceBatch {
  tile::u32 first, end;
  tile::u32 experts[kItems];

  TILE_DEVICE ChoiceBatch(const ExpertSortArguments& g, tile::u32 first_, tile::u32 end_)
      : first(first_), end(end_) {
    TILE_UNROLL for (tile::u32 i = 0; i < kItems; ++i) experts[i] =
        tile::arch::load_global_as<tile::u32>(g.ids, at_or_last(i));
    if (g.map) {
      TILE_UNROLL for (tile::u32 i = 0; i < kItems; ++i) {
        const bool is_mapped = experts[i] < g.mapped;
        const tile::u32 here = tile::arch::load_global_as<tile::u32>(g.map, is_mapped ? experts[i] : 0);
        experts[i] = is_mapped ? here : ~0U;
      }
    }
    TILE_UNROLL for (tile::u32 i = 0; i < kItems; ++i) experts[i] =
        is_choice(i) && experts[i] < g.experts ? experts[i] : ~0U;
  }
  [[nodiscard]] TILE_DEVICE tile::u32 at(tile::u32 i) const {
    return first + expert_lane() + i * kExpertLanes;
  }
  [[nodiscard]] TILE_DEVICE bool is_choice(tile::u32 i) const { return at(i) < end; }
  [[nodiscard]] TILE_DEVICE bool is_here(tile::u32 i) const { return experts[i] != ~0U; }
  [[nodiscard]] TILE_DEVICE tile::u32 at_or_last(tile::u32 i) const { return is_choice(i) ? at(i) : end - 1; }
};

/// Calls `use` with batches of the choices of a wave, in order: all lanes call it together. The last few come
/// one for each lane.
template <class Use>
TILE_DEVICE void each_batch(const ExpertSortArguments& g, ExpertPart part, Use use) {
  constexpr tile::u32 kFew = 2 * kExpertLanes;
  tile::u32 first = part.begin;
  TILE_KEEP_LOOP for (; first + kFew < part.end; first += kExpertItems * kExpertLanes)
      use(ChoiceBatch<kExpertItems>(g, first, part.end));
  TILE_KEEP_LOOP for (; first < part.end; first += kExpertLanes) use(ChoiceBatch<1>(g, first, part.end));
}

struct ExpertCountShared {
  tile::u32 counts[kExpertThreads];  ///< of pairs of experts, 16 bits each
};

/// Adds choices to the counts of pairs of experts.
template <tile::u32 kItems>
TILE_DEVICE void count_choices(const ChoiceBatch<kItems>& batch,
                               TILE_IN_SHARED tile::u32 (&counts)[kExpertThreads]) {
  TILE_UNROLL for (tile::u32 i = 0; i < kItems; ++i) {
    const tile::u32 expert = batch.experts[i];
    if (batch.is_here(i)) add_shared(counts[expert / 2], 1U << expert % 2 * 16);
  }
}

/// How many choices of a chunk each expert has.
TILE_DEVICE void count_experts(const ExpertSortArguments& g, TILE_IN_SHARED ExpertCountShared& shared) {
  const tile::u32 pair = expert_thread();
  shared.counts[pair] = 0;
  tile::arch::barrier();
  each_batch(g, ExpertPart::of_workgroup(g).of_wave(),
             [&](const auto& batch) { count_choices(batch, shared.counts); });
  tile::arch::barrier();
  if (pair < g.pairs)
    tile::arch::store_global(g.counts, static_cast<tile::i64>(tile::arch::workgroup_id()) * g.pairs + pair,
                             shared.counts[pair]);
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

TILE_DEVICE ExpertPair unpacked(tile::u32 counts) { return {counts & 0xffff, counts >> 16}; }

/// Adds the counts of all chunks up, and of those before this one. The threads of a pair of experts take some
/// of the chunks each.
TILE_DEVICE void add_chunks(const ExpertSortArguments& g, TILE_IN_SHARED ExpertSortShared& shared) {
  constexpr tile::u32 kAtOnce = 8;
  const tile::u32 width = g.pairs == 1 ? 1 : 1U << (32 - __builtin_clz(g.pairs - 1));
  const tile::u32 groups = kExpertThreads / width, pair = expert_thread() % width;
  const auto own = static_cast<tile::u32>(tile::arch::workgroup_id());
  if (pair >= g.pairs) return;
  ExpertPair all = 0, before = 0;
  TILE_KEEP_LOOP for (tile::u32 chunk = expert_thread() / width; chunk < g.chunks;
                      chunk += groups * kAtOnce) {
    tile::u32 counts[kAtOnce];
    TILE_UNROLL for (tile::u32 i = 0; i < kAtOnce; ++i) {
      const tile::u32 one = chunk + i * groups;
      counts[i] = tile::arch::load_global_as<tile::u32>(
          g.counts, static_cast<tile::i64>(one < g.chunks ? one : 0) * g.pairs + pair);
    }
    TILE_UNROLL for (tile::u32 i = 0; i < kAtOnce; ++i) {
      const tile::u32 one = chunk + i * groups;
      all += unpacked(one < g.chunks ? counts[i] : 0);
      before += unpacked(one < own ? counts[i] : 0);
    }
  }
  TILE_UNROLL for (tile::u32 i = 0; i < 2; ++i) {
    add_shared(shared.all[2 * pair + i], all[i]);
    add_shared(shared.starts[2 * pair + i], before[i]);
  }
}

/// Up to one choice each thread, all choices, or a chunk of them.
enum class ExpertSortKind { kFew, kAlone, kShared };

/// Where each expert's rows of this chunk begin, of each wave where among these; returns the rows in all.
template <ExpertSortKind kKind>
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
  ExpertPair all = unpacked(sum), before = 0;
  if constexpr (kKind == ExpertSortKind::kShared) {
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

/// Where a wave's choices stand among those of the same expert: behind how many of the batch's own lanes, and
/// how many lanes these are.
template <tile::u32 kItems>
struct SameExpert {
  tile::u32 before[kItems], count[kItems];

  TILE_DEVICE SameExpert(const ChoiceBatch<kItems>& batch, int bits) {
    tile::arch::LaneMask same[kItems];
    TILE_UNROLL for (tile::u32 i = 0; i < kItems; ++i) same[i] = tile::arch::lanes_where(batch.is_here(i));
    TILE_KEEP_LOOP for (int bit = 0; bit < bits; ++bit) {
      TILE_UNROLL for (tile::u32 i = 0; i < kItems; ++i) {
        const bool is_set = (batch.experts[i] >> bit & 1) != 0;
        const tile::arch::LaneMask set = tile::arch::lanes_where(is_set);
        same[i] &= is_set ? set : ~set;
      }
    }
    TILE_UNROLL for (tile::u32 i = 0; i < kItems; ++i) {
      before[i] = tile::arch::lanes_below(same[i]);
      count[i] = tile::arch::lanes_in(same[i]);
    }
  }
};

/// Moves a wave's choices, and counts them in `counts`, where its rows of each expert begin among the
/// chunk's.
template <tile::u32 kItems>
TILE_DEVICE void move_choices(const ExpertSortArguments& g, const ChoiceBatch<kItems>& batch, int bits,
                              TILE_IN_SHARED ExpertSortShared& shared,
                              TILE_IN_SHARED tile::u32 (&counts)[kExpertThreads]) {
  tile::u32 weights[kItems], rows[kItems];
  TILE_UNROLL for (tile::u32 i = 0; i < kItems; ++i) weights[i] =
      g.sorted_weights ? tile::arch::load_global_as<tile::u32>(g.weights, batch.at_or_last(i)) : 0;
  const SameExpert<kItems> same(batch, bits);
  // Shared memory serves a wave in order: nothing waits here.
  TILE_UNROLL for (tile::u32 i = 0; i < kItems; ++i) {
    const tile::u32 expert = batch.is_here(i) ? batch.experts[i] : 0, shift = expert % 2 * 16;
    rows[i] = shared.starts[expert] + (counts[expert / 2] >> shift & 0xffff) + same.before[i];
    tile::arch::wave_barrier();
    if (batch.is_here(i) && same.before[i] == 0) add_shared(counts[expert / 2], same.count[i] << shift);
    tile::arch::wave_barrier();
  }
  TILE_UNROLL for (tile::u32 i = 0; i < kItems; ++i) {
    if (g.places && batch.is_choice(i))
      tile::arch::store_global(g.places, batch.at(i), batch.is_here(i) ? static_cast<int>(rows[i]) : -1);
    if (!batch.is_here(i)) continue;
    if (g.tokens) tile::arch::store_global(g.tokens, rows[i], static_cast<int>(batch.at(i) / g.choices));
    if (g.sorted_weights) tile::arch::store_global(g.sorted_weights, rows[i], weights[i]);
  }
}

template <ExpertSortKind kKind>
TILE_DEVICE void sort_experts(const ExpertSortArguments& g, TILE_IN_SHARED ExpertSortShared& shared) {
  const ExpertPart chunk = ExpertPart::of_workgroup(g), part = chunk.of_wave();
  TILE_IN_SHARED auto& counts = shared.counts[expert_wave()];
  TILE_UNROLL for (tile::u32 i = 0; i < kExpertWaves; ++i) shared.counts[i][expert_thread()] = 0;
  if constexpr (kKind == ExpertSortKind::kShared) {
    TILE_UNROLL for (tile::u32 i = 0; i < 2; ++i) {
      shared.all[2 * expert_thread() + i] = 0, shared.starts[2 * expert_thread() + i] = 0;
    }
  }
  tile::arch::barrier();
  if constexpr (kKind == ExpertSortKind::kShared) add_chunks(g, shared);
  const int bits = 32 - __builtin_clz((g.experts - 1) | 1);
  const auto start = [&] {
    tile::arch::barrier();
    const tile::u32 rows = start_experts<kKind>(g, shared);
    tile::arch::barrier();
    return rows;
  };
  tile::u32 rows = 0;
  if constexpr (kKind == ExpertSortKind::kFew) {
    const ChoiceBatch<1> batch(g, part.begin, part.end);
    count_choices(batch, counts);
    rows = start();
    move_choices(g, batch, bits, shared, counts);
  } else {
    each_batch(g, part, [&](const auto& batch) { count_choices(batch, counts); });
    rows = start();
    each_batch(g, part, [&](const auto& batch) { move_choices(g, batch, bits, shared, counts); });
  }
  for (tile::u32 at = (rows > chunk.begin ? rows : chunk.begin) + expert_thread(); at < chunk.end;
       at += kExpertThreads) {
    if (g.tokens) tile::arch::store_global(g.tokens, at, -1);
    if (g.sorted_weights) tile::arch::store_global(g.sorted_weights, at, 0U);
  }
}

}  // namespace wavesmith::kernels
