// The token of a row by a workgroup: its largest logit, what its filters keep, and a draw among that. The row
// is read a few times, and never sorted.
#pragma once

#include "kernels/pointwise/argument.h"
#include "kernels/sampling/filters.h"

namespace wavesmith::kernels {

struct SampleShared {
  RangeShared range;
  FilterShared filters;
  DrawShared draw;
};

/// Over the workgroup.
TILE_DEVICE tile::u64 mass_of(const KeptRow& kept, RowPart part, TILE_IN_SHARED SampleShared& shared) {
  tile::u64 sum = 0;
  kept.each(part, [&](tile::u64 weight) { sum += weight; });
  return over_workgroup(sum, shared.draw.sums, Plus{});
}

TILE_DEVICE void sample(const SampleArguments& g, TILE_IN_SHARED SampleShared& shared) {
  const long number = tile::arch::workgroup_id();
  const RowPart part = all_of(g).of_wave(sample_wave());
  const LogitsRow row = logits_of(g, number);
  SampledRow one(g, number, row, range_of(row, part, shared.range));
  int token = one.is_valid ? static_cast<int>(one.range.first) : -1;
  if (one.is_drawn()) {
    filter(one, part, shared.filters);
    if (g.tokens) {
      const PhiloxBlock block = random_of(g, number);
      token = draw_token(one.kept, g.vocabulary, 0, block.words[0], block.words[1], shared.draw).token;
    }
  }
  if (g.tokens && sample_thread() == 0) tile::arch::store_global(g.tokens, number, token);
  float share = 0;
  TILE_KEEP_LOOP for (int kind = 0; kind < 2; ++kind) {  // all without temperature, then what is kept
    if (kind == 0 ? g.log_probabilities == nullptr : g.probabilities == nullptr) continue;
    const tile::u64 sum = mass_of(kind == 0 ? one.kept.all() : one.kept, part, shared);
    if (kind != 0)
      share = 1 / static_cast<float>(sum);
    else if (sample_thread() == 0)
      store_log(g, number, one, token, sum);
  }
  if (g.probabilities) store_probabilities(g, number, one, part, share);
}

}  // namespace wavesmith::kernels
