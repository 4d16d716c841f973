// The end of attention: results are divided by the sums of their weights and written.
#pragma once

#include "kernels/attention/place.h"
#include "kernels/attention/softmax.h"
#include "tile/view.h"

namespace wavesmith::kernels {

/// Divides the rows of `o` by the sums of their weights, and writes the logarithms of these where they are
/// wanted, in the `first` of the lanes that share a row.
template <class Atom, int kAtoms, int kColumns>
TILE_DEVICE void divide_by_sums(const AttentionArguments& g, const AttentionPlace& place,
                                const Sequence& sequence, const Softmax<Atom, kAtoms>& softmax, int row,
                                bool first, tile::Sums<Atom, kAtoms, kColumns>& o) {
  using namespace tile;
  using Layout = AtomLayout<Atom>;
  TILE_UNROLL for (int i = 0; i < kAtoms; ++i) {
    float sum = softmax.total(i);
    if (g.sinks) sum += tile::exp2(arch::load_global(g.sinks, place.head) * kLog2OfE - softmax.reference[i]);
    const float by = sum == 0 ? 0 : reciprocal(sum);
    TILE_UNROLL for (int j = 0; j < kColumns; ++j) o.at[i][j] *= by;
    const int at = row + i * Layout::kRows;
    if (g.lse && first && at < sequence.length_q)
      // A sink that is so much greater than all scores is the sum.
      g.lse[place.batch * g.lse_batch + place.head * g.lse_head + sequence.first_q + at] =
          g.sinks && sum == kInfinity ? arch::load_global(g.sinks, place.head)
                                      : (softmax.reference[i] + tile::log2(sum)) * kLogOf2;
  }
}

/// Writes a wave's rows of sums, from `first_column` on, to a matrix by way of its part of shared memory.
template <class Shape, class Memory, class Results>
TILE_DEVICE void write_rows(const typename Shape::Atom::Element* matrix, long stride, int rows, int columns,
                            const Results& o, int wave_row, int first_column, tile::SharedBytes memory,
                            int lane) {
  using namespace tile;
  using Atom = typename Shape::Atom;
  using Layout = AtomLayout<Atom>;
  constexpr int kAtoms = Shape::kAtoms, kColumns = Shape::kColumns;  // atoms
  const TypedView out(matrix, __is_same(typename Atom::Element, f16) ? Type::F16 : Type::BF16, rows, columns,
                      stride, wave_row, first_column);
  // One loop over the parts, so that writing stands in the code once.
  TILE_KEEP_LOOP
  for (int part = 0; part < kAtoms * kColumns / Memory::kAcross; ++part) {
    Sums<Atom, 1, Memory::kAcross> some;
    TILE_UNROLL for (int i = 0; i < kAtoms * kColumns; ++i) {
      if (i / Memory::kAcross == part) some.at[0][i % Memory::kAcross] = o.at[i / kColumns][i % kColumns];
    }
    const int first = part * Memory::kAcross;  // atom
    for_each_eight<Memory::kOut>(some, memory, lane, [&](int at, int column, Eight values) {
      out.store(first / kColumns * Layout::kRows + at, first % kColumns * Layout::kRows + column, values);
    });
  }
}

/// Writes a wave's results.
template <class Shape, class Memory, class Results>
TILE_DEVICE void write_results(const AttentionArguments& g, const AttentionPlace& place,
                               const Sequence& sequence, const Results& o, int wave_row, int first_column,
                               tile::SharedBytes memory, int lane) {
  using Element = typename Shape::Atom::Element;
  write_rows<Shape, Memory>(matrix_of<Element>(g.o, g.stride_o, place.batch, place.head, sequence.first_q),
                            g.stride_o.row, sequence.length_q, g.head_size_v, o, wave_row, first_column,
                            memory, lane);
}

}  // namespace wavesmith::kernels
