// The token of a row that several workgroups share, in kernels that follow each other: each finds the range
// of its part; weighs its part, or its buckets for a filter; lists its logits close to a border; and one of
// the row ends it. Weights are integers, so that the parts make no difference.
#pragma once

#include "kernels/sampling/sample.h"

namespace wavesmith::kernels {

/// A part of a row, or the row.
struct SharedRow {
  const SampleArguments& g;
  long number;
  int part;

  [[nodiscard]] TILE_DEVICE SamplePartNotes* notes() const { return g.work.parts + number * g.work.count; }
  [[nodiscard]] TILE_DEVICE SampleRowNotes* row_notes() const { return g.work.rows + number; }
  [[nodiscard]] TILE_DEVICE long at(int of_part) const { return number * g.work.count + of_part; }
  [[nodiscard]] TILE_DEVICE tile::u32* list(int of_part) const {
    return g.work.listed + at(of_part) * kSampleListedOfPart;
  }
  [[nodiscard]] TILE_DEVICE RowPart whole_part() const {
    return all_of(g).of(static_cast<tile::u32>(part), static_cast<tile::u32>(g.work.count));
  }
  [[nodiscard]] TILE_DEVICE RowPart part_of_wave() const { return whole_part().of_wave(sample_wave()); }
  [[nodiscard]] TILE_DEVICE SampledRow sampled() const {
    return {g, number, logits_of(g, number), range_of(notes(), g.work.count)};
  }
};
/// Parts of a row lie far apart in the grid: rows of a multiple of the dies share a die's cache.
TILE_DEVICE SharedRow shared_row(const SampleArguments& g) {
  return {g, tile::arch::workgroup_id(), tile::arch::workgroup_id_y()};
}

TILE_DEVICE void find_range(const SharedRow& at, TILE_IN_SHARED RangeShared& shared) {
  const RowRange range = range_of(logits_of(at.g, at.number), at.part_of_wave(), shared);
  if (sample_thread() != 0) return;
  SamplePartNotes* const to = at.notes() + at.part;
  tile::arch::store_global(&to->largest, 0, range.largest);
  tile::arch::store_global(&to->least, 0, range.least);
  tile::arch::store_global(&to->first, 0, range.first);
  tile::arch::store_global(&to->has_nan, 0, range.has_nan);
}

/// Weighs the part, or with a filter its buckets.
TILE_DEVICE void weigh_part(const SharedRow& at, TILE_IN_SHARED SampleShared& shared) {
  const SampledRow one = at.sampled();
  const RowPart part = at.part_of_wave();
  const tile::u32 thread = sample_thread();
  SamplePartNotes* const to = at.notes() + at.part;
  const bool is_filtered = one.is_drawn() && one.has_filters();
  if (is_filtered) {
    fill(one.kept, Buckets(one.range, one.kept.scale), part, shared.filters);
    const long bucket = at.at(at.part) * kSampleBuckets + thread;
    tile::arch::store_global(at.g.work.masses, bucket, shared.filters.of_row.masses[thread]);
    tile::arch::store_global(at.g.work.counts, bucket, shared.filters.of_row.counts[thread]);
  }
  TILE_KEEP_LOOP for (int kind = 0; kind < 2; ++kind) {  // all without temperature, then what is kept
    if (kind == 0 ? !one.is_valid || !at.g.log_probabilities : !one.is_drawn() || is_filtered) continue;
    const tile::u64 mass = mass_of(kind == 0 ? one.kept.all() : one.kept, part, shared);
    if (thread == 0) tile::arch::store_global(kind == 0 ? &to->mass_of_all : &to->mass, 0, mass);
  }
}

/// The buckets in which borders lie.
struct ListedBuckets {
  tile::u32 first, last;
  tile::u64 count_above, mass_above, count, mass;
};

/// Top-k's, top-p's, or from the highest in which top-p's may lie to top-k's.
TILE_DEVICE ListedBuckets listed_buckets(const SampledRow& one, tile::u64 count, tile::u64 mass,
                                         TILE_IN_SHARED FilterShared& shared) {
  const bool by_count = one.cuts_by_count(count), by_mass = one.top_p < 1;
  if (tile::arch::uniform(static_cast<int>(by_count || by_mass)) == 0)
    return {kSampleBuckets, 0, 0, mass, 0, 0};
  const tile::u64 wanted = by_count ? static_cast<tile::u64>(one.top_k) : mass_wanted(one.top_p, mass);
  find_bucket(shared, shared.of_row, !by_count, wanted, 0, 0);
  ListedBuckets listed{shared.bucket, shared.bucket, shared.count_before, shared.mass_before, 0, 0};
  const tile::u64 count_end = listed.count_above + shared.of_row.counts[listed.last];
  const tile::u64 mass_end = listed.mass_above + shared.mass;
  if (tile::arch::uniform(static_cast<int>(by_count && by_mass)) != 0) {
    // Top-k leaves more than what lies above its bucket.
    find_bucket(shared, shared.of_row, true, mass_wanted(one.top_p, listed.mass_above + 1), 0, 0);
    listed.first = shared.bucket;
    listed.count_above = shared.count_before, listed.mass_above = shared.mass_before;
  }
  listed.count = count_end - listed.count_above, listed.mass = mass_end - listed.mass_above;
  return listed;
}

/// Lists the part's candidates in the buckets where borders lie, and weighs what is above them.
TILE_DEVICE void list_part(const SharedRow& at, TILE_IN_SHARED FilterShared& shared) {
  const SampledRow one = at.sampled();
  if (!one.is_drawn() || !one.has_filters()) return;
  const tile::u32 thread = sample_thread();
  tile::u64 mass = 0, mine = 0;
  tile::u32 count = 0;
  TILE_KEEP_LOOP for (int part = 0; part < at.g.work.count; ++part) {
    const long bucket = at.at(part) * kSampleBuckets + thread;
    const auto some = tile::arch::load_global_as<tile::u64>(at.g.work.masses, bucket);
    mass += some, mine = part == at.part ? some : mine;
    count += tile::arch::load_global_as<tile::u32>(at.g.work.counts, bucket);
  }
  shared.of_row.masses[thread] = mass, shared.of_row.counts[thread] = count;
  const tile::u64 all = over_workgroup(static_cast<tile::u64>(count), shared.sums, Plus{});
  const tile::u64 mass_of_row = over_workgroup(mass, shared.sums, Plus{});
  const ListedBuckets listed = listed_buckets(one, all, mass_of_row, shared);
  const tile::u64 above = over_workgroup(thread < listed.first ? mine : 0, shared.sums, Plus{});
  const bool is_listed = listed.count <= kSampleListed;
  if (thread == 0) shared.count = 0;
  tile::arch::barrier();
  if (is_listed && listed.first <= listed.last)
    each_key_in(one.kept, Buckets(one.range, one.kept.scale), at.part_of_wave(), listed.first, listed.last,
                [&](tile::u32 key) {
                  const tile::u32 slot = __hip_atomic_fetch_add(&shared.count, 1U, __ATOMIC_RELAXED,
                                                                __HIP_MEMORY_SCOPE_WORKGROUP);
                  if (slot < kSampleListedOfPart) tile::arch::store_global(at.list(at.part), slot, key);
                });
  tile::arch::barrier();
  if (thread != 0) return;
  SamplePartNotes* const to = at.notes() + at.part;
  tile::arch::store_global(&to->mass, 0, above);
  tile::arch::store_global(&to->listed, 0, shared.count);
  if (at.part != 0) return;
  SampleRowNotes* const row = at.row_notes();
  tile::arch::store_global(&row->count, 0, all);
  tile::arch::store_global(&row->mass, 0, mass_of_row);
  tile::arch::store_global(&row->count_above, 0, listed.count_above);
  tile::arch::store_global(&row->mass_above, 0, listed.mass_above);
  tile::arch::store_global(&row->mass_listed, 0, listed.mass);
  tile::arch::store_global(&row->first, 0, listed.first);
  tile::arch::store_global(&row->last, 0, listed.last);
  tile::arch::store_global(&row->is_listed, 0, static_cast<tile::u32>(is_listed));
}

/// What the parts of a row listed, in LDS one after the other: each wave has one's.
struct SharedLists {
  tile::u32 begin, end, all;
  bool are_whole;

  TILE_DEVICE SharedLists(const SharedRow& at) {
    const auto lane = static_cast<int>(sample_lane() % kMostSampleParts);
    const bool is_part = lane < at.g.work.count;
    const auto listed = is_part ? tile::arch::load_global_as<tile::u32>(&at.notes()[lane].listed, 0) : 0;
    const tile::u32 is_longer =
        over_wave<kMostSampleParts>(static_cast<tile::u32>(listed > kSampleListedOfPart), detail::Either{});
    all = over_wave<kMostSampleParts>(listed, Plus{});
    const bool fits = is_longer == 0 && all <= kSampleListed;
    are_whole = tile::arch::uniform(static_cast<int>(fits)) != 0 &&
                tile::arch::load_shared_by_lanes<tile::u32>(&at.row_notes()->is_listed, 0) != 0;
    const tile::u32 wave = sample_wave();
    begin = over_wave<kMostSampleParts>(static_cast<tile::u32>(lane) < wave ? listed : 0, Plus{});
    end = begin + (wave < kMostSampleParts ? from_lane(listed, wave) : 0);
  }
};

/// Finds the border in the lists, or where these are not whole by reading the row again.
TILE_DEVICE void set_border(const SharedRow& at, SampledRow& one, const SharedLists& lists,
                            TILE_IN_SHARED FilterShared& shared) {
  if (sample_thread() == 0) shared.lowest = 0xffffffffU, shared.highest = 0;
  tile::arch::barrier();
  const auto from = at.list(static_cast<int>(sample_wave()));
  if (lists.are_whole)
    TILE_KEEP_LOOP for (tile::u32 i = lists.begin + sample_lane(); i < lists.end; i += kSampleLanes) {
      const auto key = tile::arch::load_global_as<tile::u32>(from, i - lists.begin);
      shared.listed[i] = key;
      note_extremes(shared, key);
    }
  tile::arch::barrier();
  const tile::u32 lowest = lists.are_whole ? shared.lowest : key_of(one.range.least);
  const tile::u32 highest = lists.are_whole ? shared.highest : key_of(one.range.largest);
  const auto notes = tile::arch::load_shared_by_lanes<SampleRowNotes>(at.row_notes(), 0);
  const KeptRow kept = one.kept;
  const Buckets buckets(one.range, kept.scale);
  const RowPart part = all_of(at.g).of_wave(sample_wave());
  set_border(one, notes.count, notes.mass, [&](bool by_mass, tile::u64 wanted) {
    tile::arch::barrier();
    if (sample_thread() == 0) {
      shared.lowest = lowest, shared.highest = highest, shared.mass = notes.mass_listed;
      shared.count_before = notes.count_above, shared.mass_before = notes.mass_above;
    }
    tile::arch::barrier();
    return find_key(kept, shared, by_mass, wanted, [&](auto visit) {
      if (lists.are_whole) {
        TILE_KEEP_LOOP for (tile::u32 i = sample_thread(); i < lists.all; i += kSampleThreads)
            visit(shared.listed[i]);
      } else {
        each_key_in(kept, buckets, part, notes.first, notes.last, visit);
      }
    });
  });
}

/// Finds the row's border, and what each part keeps, in shared.draw.sums; returns how many parts these are.
/// Of a row whose lists are not whole there are none.
TILE_DEVICE tile::u32 weigh_parts(const SharedRow& at, SampledRow& one, TILE_IN_SHARED SampleShared& shared) {
  const tile::u32 wave = sample_wave();
  tile::u64 mine = 0;
  if (one.has_filters()) {
    const SharedLists lists(at);
    set_border(at, one, lists, shared.filters);
    if (!lists.are_whole) return 0;
    TILE_KEEP_LOOP for (tile::u32 i = lists.begin + sample_lane(); i < lists.end; i += kSampleLanes) mine +=
        one.kept.kept(float_of(shared.filters.listed[i]));
    mine = over_wave(mine, Plus{});
  }
  const auto count = static_cast<tile::u32>(at.g.work.count);
  if (wave < count) mine += tile::arch::load_shared_by_lanes<tile::u64>(&at.notes()[wave].mass, 0);
  if (sample_lane() == 0) shared.draw.sums.each[wave] = mine;
  tile::arch::barrier();
  return count;
}

TILE_DEVICE tile::u64 mass_of_all(const SharedRow& at) {
  const auto lane = static_cast<int>(sample_lane() % kMostSampleParts);
  const bool is_part = lane < at.g.work.count;
  return over_wave<kMostSampleParts>(
      is_part ? tile::arch::load_global_as<tile::u64>(&at.notes()[lane].mass_of_all, 0) : 0, Plus{});
}

/// The row's token, and for the probabilities what its parts need to know.
TILE_DEVICE void end_row(const SharedRow& at, TILE_IN_SHARED SampleShared& shared) {
  const SampleArguments& g = at.g;
  SampledRow one = at.sampled();
  int token = one.is_valid ? static_cast<int>(one.range.first) : -1;
  float share = 0;
  if (one.is_drawn()) {
    const tile::u32 parts = weigh_parts(at, one, shared);
    const PhiloxBlock block = g.tokens ? random_of(g, at.number) : PhiloxBlock{};
    const Drawn drawn =
        draw_token(one.kept, g.vocabulary, parts, block.words[0], block.words[1], shared.draw);
    token = drawn.token, share = 1 / static_cast<float>(drawn.all);
  }
  const tile::u64 all = g.log_probabilities ? mass_of_all(at) : 0;
  if (sample_thread() != 0) return;
  if (g.tokens) tile::arch::store_global(g.tokens, at.number, token);
  if (g.log_probabilities) store_log(g, at.number, one, token, all);
  if (!g.probabilities) return;
  tile::arch::store_global(&at.row_notes()->border, 0, one.kept.border);
  tile::arch::store_global(&at.row_notes()->share, 0, share);
}

TILE_DEVICE void store_part(const SharedRow& at) {
  SampledRow one = at.sampled();
  one.kept.border = tile::arch::load_shared_by_lanes<float>(&at.row_notes()->border, 0);
  const auto share = tile::arch::load_shared_by_lanes<float>(&at.row_notes()->share, 0);
  store_probabilities(at.g, at.number, one, at.part_of_wave(), share);
}

}  // namespace wavesmith::kernels
