// A row's border: the least logit that top-k and top-p keep. A reading counts and weighs the logits in parts
// of their range; the part in which a filter's border lies goes to LDS, and is parted again, by keys, until
// one key is left.
#pragma once

#include "kernels/sampling/kept.h"

namespace wavesmith::kernels {

/// How many candidates there are in each bucket, the largest first, and what they weigh: a bucket each
/// thread.
struct SampleHistogram {
  tile::u64 masses[kSampleBuckets];
  tile::u32 counts[kSampleBuckets];
};

struct FilterShared {
  SampleHistogram of_row, of_keys;
  tile::u32 listed[kSampleListed];   ///< keys
  tile::u32 count, lowest, highest;  ///< of those that are looked at
  /// The bucket in which so much is reached; what lies above it, and its mass.
  tile::u32 bucket;
  tile::u64 count_before, mass_before, mass;
  OfWaves<tile::u64> sums;
};

TILE_DEVICE void clear(TILE_IN_SHARED SampleHistogram& histogram) {
  const tile::u32 thread = sample_thread();
  tile::arch::barrier();
  histogram.masses[thread] = 0, histogram.counts[thread] = 0;
  tile::arch::barrier();
}
TILE_DEVICE void add(TILE_IN_SHARED SampleHistogram& histogram, tile::u32 bucket, tile::u64 weight) {
  constexpr auto kScope = __HIP_MEMORY_SCOPE_WORKGROUP;
  __hip_atomic_fetch_add(&histogram.masses[bucket], weight, __ATOMIC_RELAXED, kScope);
  __hip_atomic_fetch_add(&histogram.counts[bucket], 1U, __ATOMIC_RELAXED, kScope);
}

/// Finds the bucket in which so many or so much is reached, of what is above all and in them.
TILE_DEVICE void find_bucket(TILE_IN_SHARED FilterShared& shared,
                             TILE_IN_SHARED const SampleHistogram& histogram, bool by_mass, tile::u64 wanted,
                             tile::u64 count_above, tile::u64 mass_above) {
  const tile::u32 thread = sample_thread();
  const tile::u64 count = histogram.counts[thread], mass = histogram.masses[thread];
  const tile::u64 count_before = count_above + scan_workgroup(count, shared.sums).before;
  const tile::u64 mass_before = mass_above + scan_workgroup(mass, shared.sums).before;
  const tile::u64 before = by_mass ? mass_before : count_before, here = by_mass ? mass : count;
  if (before < wanted && wanted <= before + here) {
    shared.bucket = thread, shared.mass = mass;
    shared.count_before = count_before, shared.mass_before = mass_before;
    shared.count = 0, shared.lowest = 0xffffffffU, shared.highest = 0;
  }
  tile::arch::barrier();
}

TILE_DEVICE void note_extremes(TILE_IN_SHARED FilterShared& shared, tile::u32 key) {
  constexpr auto kScope = __HIP_MEMORY_SCOPE_WORKGROUP;
  __hip_atomic_fetch_min(&shared.lowest, key, __ATOMIC_RELAXED, kScope);
  __hip_atomic_fetch_max(&shared.highest, key, __ATOMIC_RELAXED, kScope);
}

/// What a filter leaves: its border, and the mass from there on.
struct Border {
  float logit;
  tile::u64 mass;
};

/// Finds the largest logit from which on there are so many, or so much, among the keys that `each_key(visit)`
/// calls a lane's visitor with: all between shared.lowest and shared.highest, which weigh shared.mass.
template <class EachKey>
TILE_DEVICE Border find_key(const KeptRow& kept, TILE_IN_SHARED FilterShared& shared, bool by_mass,
                            tile::u64 wanted, EachKey each_key) {
  TILE_KEEP_LOOP for (;;) {
    const tile::u32 low = shared.lowest, high = shared.highest;
    const tile::u64 count_above = shared.count_before, mass_above = shared.mass_before;
    if (tile::arch::uniform(static_cast<int>(low >= high)) != 0)
      return {float_of(low), mass_above + shared.mass};
    const int bits = 32 - __builtin_clz(high - low), shift = bits > kBucketBits ? bits - kBucketBits : 0;
    clear(shared.of_keys);
    tile::u32 bucket = 0;
    TILE_KEEP_LOOP for (int step = 0; step < 2; ++step) {
      each_key([&](tile::u32 key) {
        const tile::u32 of = (high - key) >> shift;
        if (key < low || key > high) return;
        if (step == 0)
          add(shared.of_keys, of, kept.candidate(float_of(key)));
        else if (of == bucket)
          note_extremes(shared, key);
      });
      tile::arch::barrier();
      if (step != 0) continue;
      find_bucket(shared, shared.of_keys, by_mass, wanted, count_above, mass_above);
      bucket = shared.bucket;
    }
  }
}

/// Parts of the range of logits, the largest first, as far down as logits weigh anything.
struct Buckets {
  float largest, per_logit;

  TILE_DEVICE Buckets(const RowRange& range, float scale) : largest(range.largest) {
    const float weighing = kWeightRange / scale, all = range.largest - range.least;
    const float size = weighing < all ? weighing : all;
    per_logit = size > 0 && size < tile::kInfinity ? (kSampleBuckets - 1) / size : 0;
  }
  [[nodiscard]] TILE_DEVICE tile::u32 of(float x) const {
    const float at = (x == largest ? 0 : largest - x) * per_logit;
    return static_cast<tile::u32>(at < kSampleBuckets - 1 ? at : kSampleBuckets - 1);
  }
};

/// Counts and weighs each bucket's candidates, of each wave's part.
TILE_DEVICE void fill(const KeptRow& kept, const Buckets& buckets, RowPart part,
                      TILE_IN_SHARED FilterShared& shared) {
  clear(shared.of_row);
  kept.row.each(part, [&](tile::u32, float x) {
    const tile::u64 weight = kept.candidate(x);
    if (weight != 0) add(shared.of_row, buckets.of(x), weight);
  });
  tile::arch::barrier();
}

/// Calls with the keys of the candidates of some buckets, of each wave's part.
template <class Visit>
TILE_DEVICE void each_key_in(const KeptRow& kept, const Buckets& buckets, RowPart part, tile::u32 first,
                             tile::u32 last, Visit visit) {
  kept.row.each(part, [&](tile::u32, float x) {
    const tile::u32 bucket = buckets.of(x);
    if (bucket >= first && bucket <= last && kept.candidate(x) != 0) visit(key_of(x));
  });
}

/// Finds the border of a filter by reading the row again, of which the wave has a part.
TILE_DEVICE Border find_border(const KeptRow& kept, const Buckets& buckets, RowPart part, bool by_mass,
                               tile::u64 wanted, TILE_IN_SHARED FilterShared& shared) {
  find_bucket(shared, shared.of_row, by_mass, wanted, 0, 0);
  const tile::u32 bucket = shared.bucket;
  each_key_in(kept, buckets, part, bucket, bucket, [&](tile::u32 key) {
    const tile::u32 slot =
        __hip_atomic_fetch_add(&shared.count, 1U, __ATOMIC_RELAXED, __HIP_MEMORY_SCOPE_WORKGROUP);
    if (slot < kSampleListed) shared.listed[slot] = key;
    note_extremes(shared, key);
  });
  tile::arch::barrier();
  const auto count = static_cast<tile::u32>(tile::arch::uniform(static_cast<int>(shared.count)));
  return find_key(kept, shared, by_mass, wanted, [&](auto visit) {
    if (count <= kSampleListed) {
      TILE_KEEP_LOOP for (tile::u32 i = sample_thread(); i < count; i += kSampleThreads)
          visit(shared.listed[i]);
    } else {
      each_key_in(kept, buckets, part, bucket, bucket, visit);
    }
  });
}

/// Calls `find(by_mass, wanted)` for each filter of a row that leaves anything out; of so many candidates
/// with so much mass. Sets the row's border.
template <class Find>
TILE_DEVICE void set_border(SampledRow& one, tile::u64 count, tile::u64 mass, Find find) {
  TILE_KEEP_LOOP for (int by_mass = 0; by_mass < 2; ++by_mass) {
    const bool cuts = by_mass != 0 ? one.top_p < 1 : one.cuts_by_count(count);
    if (tile::arch::uniform(static_cast<int>(cuts)) == 0) continue;
    const Border border =
        find(by_mass != 0, by_mass != 0 ? mass_wanted(one.top_p, mass) : static_cast<tile::u64>(one.top_k));
    one.kept.border = border.logit, mass = border.mass;
  }
}

/// By a workgroup alone, whose waves have a part each.
TILE_DEVICE void filter(SampledRow& one, RowPart part, TILE_IN_SHARED FilterShared& shared) {
  if (!one.has_filters()) return;
  const KeptRow kept = one.kept;
  const Buckets buckets(one.range, kept.scale);
  fill(kept, buckets, part, shared);
  const tile::u32 thread = sample_thread();
  const tile::u64 mass = over_workgroup(shared.of_row.masses[thread], shared.sums, Plus{});
  const tile::u64 count =
      over_workgroup(static_cast<tile::u64>(shared.of_row.counts[thread]), shared.sums, Plus{});
  set_border(one, count, mass, [&](bool by_mass, tile::u64 wanted) {
    return find_border(kept, buckets, part, by_mass, wanted, shared);
  });
}

}  // namespace wavesmith::kernels
