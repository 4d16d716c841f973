// The token of a row: its largest logit, what its filters keep, and a draw among that. Rows are read a few
// times, and never sorted: a first reading counts and weighs the logits in parts of their range, the part in
// which a filter's border lies goes to LDS, and bisection finds the border there.
#pragma once

#include "kernels/pointwise/argument.h"
#include "kernels/sampling/row.h"
#include "tile/precise.h"

namespace wavesmith::kernels {

inline constexpr float kLeastLogit = -__builtin_huge_valf();

struct SampleShared {
  tile::u64 masses[kSampleBuckets];
  tile::u32 counts[kSampleBuckets];
  tile::u32 listed[kSampleListed];  ///< keys
  tile::u32 count, lowest, highest;
  tile::u32 bucket;
  tile::u64 before, mass_before;
  OfWaves<float> floats;
  OfWaves<tile::u32> numbers;
  DrawShared draw;
};

/// What a row's logits are like.
struct RowRange {
  float largest, least;  ///< the least is more than minus infinity
  int first;             ///< of the largest
  bool is_valid;
};

TILE_DEVICE RowRange range_of_row(const LogitsRow& row, RowPart part, TILE_IN_SHARED SampleShared& shared) {
  float largest = kLeastLogit, least = tile::kInfinity;
  tile::u32 first = 0, has_nan = 0;
  row.each(part, [&](tile::u32 at, float x) {
    first = x > largest ? at : first;
    largest = x > largest ? x : largest;
    least = x > kLeastLogit && x < least ? x : least;
    has_nan |= static_cast<tile::u32>(x != x);
  });
  const auto larger = [](float a, float b) { return a > b ? a : b; };
  const auto smaller = [](auto a, auto b) { return a < b ? a : b; };
  RowRange range{};
  range.largest = over_workgroup(largest, shared.floats, larger);
  range.least = over_workgroup(least, shared.floats, smaller);
  range.first = static_cast<int>(
      over_workgroup(largest == range.largest ? first : 0xffffffffU, shared.numbers, smaller));
  has_nan = over_workgroup(has_nan, shared.numbers, [](tile::u32 a, tile::u32 b) { return a | b; });
  range.is_valid = tile::arch::uniform(static_cast<int>(has_nan == 0 && range.largest > kLeastLogit)) != 0;
  return range;
}

/// Which tokens stay, and what they weigh.
struct KeptRow {
  LogitsRow row;
  float largest, scale;
  tile::u64 least;  ///< weight
  float border;     ///< logit

  /// Without the border.
  [[nodiscard]] TILE_DEVICE tile::u64 candidate(float x) const {
    const tile::u64 weight = weight_of(x, largest, scale);
    return weight >= least ? weight : 0;
  }
  [[nodiscard]] TILE_DEVICE tile::u64 kept(float x) const { return x >= border ? candidate(x) : 0; }
  template <class Visit>
  TILE_DEVICE void each(RowPart part, Visit visit) const {
    row.each(part, [&](tile::u32, float x) { visit(kept(x)); });
  }
  [[nodiscard]] TILE_DEVICE tile::u64 weight(tile::u32 at) const { return kept(row.at(at)); }
};

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

struct Filters {
  const KeptRow& kept;
  RowPart part;
  Buckets buckets;
  TILE_IN_SHARED SampleShared& shared;

  /// Counts and weighs each bucket's candidates.
  TILE_DEVICE void fill() const {
    const tile::u32 thread = sample_thread();
    tile::arch::barrier();
    shared.masses[thread] = 0, shared.counts[thread] = 0;
    tile::arch::barrier();
    kept.row.each(part, [&](tile::u32, float x) {
      const tile::u64 weight = kept.candidate(x);
      if (weight == 0) return;
      const tile::u32 bucket = buckets.of(x);
      __hip_atomic_fetch_add(&shared.masses[bucket], weight, __ATOMIC_RELAXED, __HIP_MEMORY_SCOPE_WORKGROUP);
      __hip_atomic_fetch_add(&shared.counts[bucket], 1U, __ATOMIC_RELAXED, __HIP_MEMORY_SCOPE_WORKGROUP);
    });
    tile::arch::barrier();
  }

  /// The candidates' number, or mass.
  [[nodiscard]] TILE_DEVICE tile::u64 all(bool by_mass) const {
    const tile::u32 thread = sample_thread();
    return over_workgroup(by_mass ? shared.masses[thread] : shared.counts[thread], shared.draw.sums, Plus{});
  }

  /// Finds the largest logit for which it and the candidates above are at least so many, or so much; and the
  /// mass of these.
  TILE_DEVICE void find(bool by_mass, tile::u64 wanted, float& border, tile::u64& mass) const {
    find_bucket(by_mass, wanted);
    list_bucket();
    tile::u32 low = shared.lowest, high = shared.highest;
    TILE_KEEP_LOOP for (;;) {
      const bool is_found = tile::arch::uniform(static_cast<int>(low >= high)) != 0;
      const tile::u32 middle = low + (high - low + 1) / 2;
      const tile::u64 here = in_bucket(by_mass || is_found, middle);
      if (is_found) {
        border = float_of(low);
        mass = shared.mass_before + here;
        return;
      }
      const bool reaches = shared.before + here >= wanted;
      low = reaches ? middle : low;
      high = reaches ? high : middle - 1;
    }
  }

 private:
  TILE_DEVICE void find_bucket(bool by_mass, tile::u64 wanted) const {
    const tile::u32 thread = sample_thread();
    const tile::u64 mass = shared.masses[thread], mine = by_mass ? mass : shared.counts[thread];
    const tile::u64 mass_before = scan_workgroup(mass, shared.draw.sums).before;
    const tile::u64 before = scan_workgroup(mine, shared.draw.sums).before;
    if (before < wanted && wanted <= before + mine) {
      shared.bucket = thread, shared.before = before, shared.mass_before = mass_before;
      shared.count = 0, shared.lowest = 0xffffffffU, shared.highest = 0;
    }
    tile::arch::barrier();
  }

  template <class Visit>
  TILE_DEVICE void each_in_row(Visit visit) const {
    const tile::u32 bucket = shared.bucket;
    kept.row.each(part, [&](tile::u32, float x) {
      const tile::u64 weight = kept.candidate(x);
      if (weight != 0 && buckets.of(x) == bucket) visit(key_of(x), weight);
    });
  }
  TILE_DEVICE void list_bucket() const {
    each_in_row([&](tile::u32 key, tile::u64) {
      constexpr auto kScope = __HIP_MEMORY_SCOPE_WORKGROUP;
      const tile::u32 slot = __hip_atomic_fetch_add(&shared.count, 1U, __ATOMIC_RELAXED, kScope);
      if (slot < kSampleListed) shared.listed[slot] = key;
      __hip_atomic_fetch_min(&shared.lowest, key, __ATOMIC_RELAXED, kScope);
      __hip_atomic_fetch_max(&shared.highest, key, __ATOMIC_RELAXED, kScope);
    });
    tile::arch::barrier();
  }

  /// Of the bucket's candidates from a key on.
  [[nodiscard]] TILE_DEVICE tile::u64 in_bucket(bool by_mass, tile::u32 from) const {
    tile::u64 sum = 0;
    const auto count = static_cast<tile::u32>(tile::arch::uniform(static_cast<int>(shared.count)));
    if (count <= kSampleListed) {
      TILE_KEEP_LOOP for (tile::u32 i = sample_thread(); i < count; i += kSampleThreads) {
        const tile::u32 key = shared.listed[i];
        const tile::u64 one = by_mass ? kept.candidate(float_of(key)) : 1;
        sum += key >= from ? one : 0;
      }
    } else {
      each_in_row([&](tile::u32 key, tile::u64 weight) {
        const tile::u64 one = by_mass ? weight : 1;
        sum += key >= from ? one : 0;
      });
    }
    return over_workgroup(sum, shared.draw.sums, Plus{});
  }
};

template <class T>
TILE_DEVICE T parameter_of(const T* of_rows, long row, T otherwise) {
  return of_rows ? tile::arch::load_shared_by_lanes<T>(of_rows, row) : otherwise;
}

/// Sets the row's border: top-k's, then top-p's.
TILE_DEVICE void filter(KeptRow& kept, const RowRange& range, RowPart part, int top_k, float top_p,
                        TILE_IN_SHARED SampleShared& shared) {
  if (top_k <= 0 && top_p >= 1) return;
  const Filters filters{kept, part, Buckets(range, kept.scale), shared};
  filters.fill();
  tile::u64 mass = filters.all(true);
  const tile::u64 count = filters.all(false);
  float border = kLeastLogit;
  TILE_KEEP_LOOP for (int by_mass = 0; by_mass < 2; ++by_mass) {
    const bool filters_any = by_mass != 0 ? top_p < 1 : top_k > 0 && count > static_cast<tile::u64>(top_k);
    if (tile::arch::uniform(static_cast<int>(filters_any)) == 0) continue;
    const tile::u64 wanted = by_mass != 0 ? mass_wanted(top_p, mass) : static_cast<tile::u64>(top_k);
    filters.find(by_mass != 0, wanted, border, mass);
  }
  kept.border = border;
}

TILE_DEVICE void sample(const SampleArguments& g, TILE_IN_SHARED SampleShared& shared) {
  const long number = tile::arch::workgroup_id();
  const int bytes = tile::arch::late(g.type) == WAVESMITH_KERNELS_F32 ? 4 : 2;
  const auto at = reinterpret_cast<tile::u64>(g.logits) + static_cast<tile::u64>(number * g.stride * bytes);
  const LogitsRow row{reinterpret_cast<const void*>(at), g.type, g.aligned};
  const RowPart part = RowPart{0, static_cast<tile::u32>(g.vocabulary)}.of_wave(sample_wave());
  const RowRange range = range_of_row(row, part, shared);
  const float temperature = parameter_of(g.temperatures, number, 1.0F);
  const float top_p = parameter_of(g.top_p, number, 1.0F), min_p = parameter_of(g.min_p, number, 0.0F);
  const bool is_valid = range.is_valid && temperature >= 0 && top_p >= 0 && min_p >= 0 && min_p <= 1;
  const bool is_greedy = !(temperature >= kLeastTemperature);
  KeptRow kept{row, range.largest, scale_of(is_greedy ? 1 : temperature), least_weight(min_p), kLeastLogit};
  int token = -1;
  if (is_valid) {
    token = range.first;
    if (!is_greedy) {
      filter(kept, range, part, parameter_of(g.top_k, number, 0), top_p, shared);
      if (g.tokens) {
        const auto seed = parameter_of(g.seeds, number, 0UL);
        const auto offset = static_cast<tile::u64>(parameter_of(g.offsets, number, 0L));
        const PhiloxBlock block = philox(seed, offset, 0);
        token = draw_token(kept, g.vocabulary, block.words[0], block.words[1], shared.draw);
      }
    }
  }
  if (g.tokens && sample_thread() == 0) tile::arch::store_global(g.tokens, number, token);
  const float nan = __builtin_nanf("");
  float share = 0;
  TILE_KEEP_LOOP for (int kind = 0; kind < 2; ++kind) {  // all without temperature, then what is kept
    if (kind == 0 ? g.log_probabilities == nullptr : g.probabilities == nullptr) continue;
    KeptRow summed = kept;
    if (kind == 0) summed.scale = scale_of(1), summed.least = 1, summed.border = kLeastLogit;
    tile::u64 sum = 0;
    summed.each(part, [&](tile::u64 weight) { sum += weight; });
    sum = over_workgroup(sum, shared.draw.sums, Plus{});
    if (kind != 0) {
      share = 1 / static_cast<float>(sum);
    } else if (sample_thread() == 0) {
      const float x = row.at(token < 0 ? 0 : static_cast<tile::u32>(token));
      const float below = x == range.largest ? 0 : x - range.largest;
      const float log = tile::precise::log(static_cast<float>(sum) * 0x1p-40F);
      tile::arch::store_global(g.log_probabilities, number, token < 0 ? nan : below - log);
    }
  }
  if (!g.probabilities) return;
  float* const to = g.probabilities + number * g.probabilities_stride;
  row.each(part, [&](tile::u32 j, float x) {
    const float p = is_greedy ? static_cast<float>(static_cast<int>(j) == range.first)
                              : static_cast<float>(kept.kept(x)) * share;
    tile::arch::store_global(to, j, is_valid ? p : nan);
  });
}

}  // namespace wavesmith::kernels
