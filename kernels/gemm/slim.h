// C = A * B where tiles are small, for products that move more than they compute. The waves of a workgroup
// share K instead of the tile: each sums up all of the tile, of every so many columns of A and B the ones
// that are its own. So no wave waits for another before the end, where their sums are added up in the waves'
// order.
#pragma once

#include "kernels/gemm/columns.h"
#include "kernels/gemm/epilogue.h"
#include "kernels/gemm/rows.h"
#include "tile/arch/here.h"
#include "tile/registers.h"
#include "tile/view.h"

namespace wavesmith::kernels {

using tile::Access;
using tile::Along;

/// `kAhead`: steps whose operands are on their way, in registers.
template <class A_, class B_, int kRows_, int kColumns_, int kDepth_, int kWaveRows, int kWaves_, int kAhead_,
          bool kGates = false>
struct GemmShape {
  static_assert(kWaveRows == 1, "waves share K, not rows");
  using Arguments = GemmArguments;
  using A = A_;
  using Atom = tile::arch::Slim<B_, A_>;  // sums are given B first
  static constexpr int kRows = kRows_, kColumns = kColumns_, kDepth = kDepth_;
  static constexpr int kWaves = kWaves_, kAhead = kAhead_;
  static constexpr int kLanes = tile::arch::kHere.wave_lanes;
  static constexpr int kThreads = kWaves * kLanes;
  static constexpr int kWaveDepth = kDepth / kWaves;
  using Columns = GemmColumns<kGates ? kColumns / 2 : 0>;  ///< of B
  using Place = GemmPlace;
  using Rows = GemmRows;
};

/// What a wave has loaded of a side becomes an operand by way of a part of shared memory, which holds some of
/// its atoms: shared memory serves a wave in order, so that the next ones may be written at once.
template <class Atom, int kAtoms, int kDepth, class Window, class Part>
TILE_DEVICE void pass(tile::Operand<Atom, kAtoms, kDepth>& operand, const Window& window,
                      const typename Window::Pieces& pieces, Part part,
                      const tile::OperandReader<Atom, Part>& reader) {
  constexpr int kOfPart = Part::kRows / tile::AtomLayout<Atom>::kRows;  // atoms
  constexpr int kPieces = Window::kCount * kOfPart / kAtoms;            // of a lane, in a part
  tile::repeat<kAtoms / kOfPart>([&](auto number) {
    constexpr int kNumber = decltype(number)::kValue;
    window.template store_rows<kNumber * kPieces, kPieces>(pieces, part.memory);
    tile::arch::wave_barrier();
    TILE_UNROLL for (int i = 0; i < kOfPart; ++i) {
      TILE_UNROLL for (int p = 0; p < tile::Operand<Atom, kAtoms, kDepth>::kPieces; ++p)
          operand.at[kNumber * kOfPart + i][p] = reader.piece(i, p, part);
    }
    tile::arch::wave_barrier();
  });
}

template <class Shape, Along kAlongA, Along kAlongB, Access kAccess>
TILE_DEVICE void gemm(typename Shape::Arguments arguments) {
  using namespace tile;
  using Atom = typename Shape::Atom;
  using Layout = AtomLayout<Atom>;
  static_assert(kAlongA == Along::Row && kAlongB == Along::Row && kAccess == Access::Dwords,
                "waves read rows along K");
  using WholeA = SharedTile<Atom, Shape::kRows, Shape::kWaveDepth>;
  using WholeB = SharedTile<Atom, Shape::kColumns, Shape::kWaveDepth>;
  using Rows = typename Shape::Rows;
  using WindowA = Window<WholeA, Shape::kLanes, Along::Row, Access::Dwords, typename Rows::Order>;
  using Columns = typename Shape::Columns;
  using WindowB = Window<WholeB, Shape::kLanes, Along::Row, Access::Dwords, Columns>;
  constexpr int kRows = Shape::kRows / Layout::kRows, kColumns = Shape::kColumns / Layout::kRows;  // atoms
  using Table = SumTable<Atom, kColumns>;
  using Part = SharedTile<Atom, kRows % 2 == 0 && kColumns % 2 == 0 ? 2 * Layout::kRows : Layout::kRows,
                          Shape::kWaveDepth>;
  // Of the wave's sums as many rows of atoms at a time as all waves have room for in 64 KB.
  constexpr int kRoom = 65536 / Shape::kWaves / Table::kAtomBytes, kFit = kRoom < kRows ? kRoom : kRows;
  constexpr int kOfWave = Part::kBytes > kFit * Table::kAtomBytes ? Part::kBytes : kFit * Table::kAtomBytes;
  static_assert(Shape::kWaves * kOfWave <= arch::kHere.shared_bytes, "the waves' parts do not fit");
  TILE_SHARED static char memory[Shape::kWaves * kOfWave];

  arch::fetch_argument<typename Shape::Arguments>();
  const int thread = arch::thread_id(), lane = thread % Layout::kLanes;
  const int wave = arch::uniform(thread / Layout::kLanes);
  const typename Shape::Place place(arguments);
  if (place.is_empty()) return;
  place.narrow(arguments);
  constexpr int kHalves = Columns::kHalves;
  const int first_row = place.first_row + place.tile_row * Shape::kRows,
            first_column = place.tile_column * (Shape::kColumns / kHalves);
  constexpr long kSize = sizeof(typename Atom::Element);
  const void* const matrix_a = of_batch(arguments, arguments.a, place.batch, arguments.batch_a * kSize);
  const void* const matrix_b = of_batch(arguments, arguments.b, place.batch, arguments.batch_b * kSize);
  const int first = wave * Shape::kWaveDepth;
  const Rows rows(arguments, first_row);
  WindowA window_a(matrix_a, rows.count, arguments.k, static_cast<u32>(arguments.stride_a), rows.first, first,
                   lane, rows.order());
  WindowB window_b(matrix_b, arguments.n * kHalves, arguments.k, static_cast<u32>(arguments.stride_b),
                   first_column, first, lane, Columns(arguments.n));
  window_a.step = window_b.step = Shape::kDepth * kSize;
  const SharedBytes own = (SharedBytes)memory + wave * kOfWave;
  const Part part{own};
  const OperandReader<Atom, Part> reader(0, lane);

  struct Loaded {
    typename WindowA::Pieces a;
    typename WindowB::Pieces b;
  } loaded[Shape::kAhead];
  int left = arguments.k - first;  // columns of the wave's that are not loaded yet
  const auto load = [&](Loaded& pieces) {
    if (left < Shape::kWaveDepth) window_a.narrow(left), window_b.narrow(left);
    window_a.load(pieces.a);
    window_b.load(pieces.b);
    left -= Shape::kDepth;
  };
  TILE_UNROLL for (int i = 0; i < Shape::kAhead; ++i) load(loaded[i]);
  arch::keep_order();

  Sums<Atom, kRows, kColumns> sums;
  sums.clear();
  int rounds = ceiling(arguments.k, Shape::kAhead * Shape::kDepth);
  do {  // what is loaded where K is 0 is 0, too
    TILE_UNROLL for (int i = 0; i < Shape::kAhead; ++i) {
      Operand<Atom, kRows, Shape::kWaveDepth> a;
      Operand<Atom, kColumns, Shape::kWaveDepth> b;
      pass(a, window_a, loaded[i].a, part, reader);
      pass(b, window_b, loaded[i].b, part, reader);
      load(loaded[i]);
      TILE_UNROLL for (int r = 0; r < kRows; ++r) sums.multiply(r, a, b);
    }
  } while (--rounds > 0);
  // What the end needs is on its way while waves meet.
  auto late = arch::argument_again(arguments);
  place.narrow(late);
  const GemmEpilogue<typename Shape::A> epilogue(late, place.batch, first_row, first_column);
  arch::barrier();

  // Each thread adds up eight sums of a line, of a product that gates eight of each half, as soon as all
  // waves have written it.
  constexpr int kEights = Table::kEights / kHalves;
  static_assert(Shape::kRows * kEights <= Shape::kThreads, "a thread ends with eight sums at most");
  const int line = thread / kEights, column = thread % kEights * 8;
  Vector<typename Atom::Sum, 8> total[kHalves] = {};
  TILE_UNROLL for (int from = 0; from < kRows; from += kFit) {
    if (from > 0) arch::barrier();
    TILE_UNROLL for (int r = from; r < kRows && r < from + kFit; ++r)
        Table::write(sums, r, own, (r - from) * Layout::kRows, lane);
    arch::barrier();
    const int in_part = line - from * Layout::kRows;
    if (in_part >= 0 && in_part < kFit * Layout::kRows) {
      TILE_UNROLL for (int half = 0; half < kHalves; ++half) {
        TILE_UNROLL for (int w = 0; w < Shape::kWaves; ++w) total[half] +=
            Table::read((SharedBytes)memory + w * kOfWave, in_part, column + half * kEights * 8);
      }
    }
  }
  if (line < Shape::kRows) {
    if constexpr (kHalves == 1)
      epilogue(line, column, total[0]);
    else
      epilogue(line, column, total[0], total[1]);
  }
}

}  // namespace wavesmith::kernels
