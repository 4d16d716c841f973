// Searches of sequences that are in order, a thread for each number that is looked for.
#pragma once

#include "kernels/pointwise/argument.h"
#include "kernels/pointwise/elements.h"
#include "kernels/sort/search_arguments.h"

namespace wavesmith::kernels {

template <class C>
TILE_DEVICE void search(const SearchArguments& g) {
  const tile::u32 element = static_cast<tile::u32>(tile::arch::workgroup_id()) * kSearchThreads +
                            static_cast<tile::u32>(tile::arch::thread_id());
  if (element >= g.elements) return;
  int offsets[4] = {};
  tile::u32 rest = element;
  TILE_KEEP_LOOP for (int d = 0; d < tile::arch::late(g.dimensions); ++d) {
    const tile::u32 quotient = g.sizes[d].quotient(rest);
    const int at = static_cast<int>(rest - quotient * g.sizes[d].divisor);
    offsets[0] += at * g.x.steps[d];
    offsets[1] += at * g.y.steps[d];
    offsets[2] += at * g.sequence.steps[d];
    offsets[3] += at * g.sorter.steps[d];
    rest = quotient;
  }
  const auto address = [&](const SearchOperand& operand, int offset) {
    return reinterpret_cast<tile::u64>(operand.data) + static_cast<tile::i64>(offset);
  };
  const C x = load_element<C>(address(g.x, offsets[0]), g.x.type);
  const tile::u64 sequence = address(g.sequence, offsets[2]), sorter = address(g.sorter, offsets[3]);
  tile::u32 begin = 0, end = g.length;
  TILE_KEEP_LOOP while (begin < end) {
    const tile::u32 middle = begin + (end - begin) / 2;
    tile::i64 at = middle;
    if (g.sorter.data)
      at = tile::arch::load_at<tile::i64>(sorter + static_cast<tile::i64>(middle) * g.sorter_step);
    const C there = load_element<C>(sequence + at * g.step, g.x.type);
    const bool is_behind = g.is_right != 0 ? there > x : there >= x;
    begin = is_behind ? begin : middle + 1;
    end = is_behind ? middle : end;
  }
  store_element(address(g.y, offsets[1]), g.y.type, static_cast<tile::i64>(begin));
}

}  // namespace wavesmith::kernels
