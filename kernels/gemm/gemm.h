// C = A * B, the tile of a workgroup by the product of panels. Both operands come as rows along K.
#pragma once

#include "kernels/gemm/epilogue.h"
#include "tile/arch/here.h"
#include "tile/registers.h"
#include "tile/view.h"

namespace wavesmith::kernels {

using tile::Access;
using tile::Along;

/// Of products of matrices whose elements are of types A and B.
template <class A_, class B_, int kRows_, int kColumns_, int kDepth_, int kWaveRows_, int kWaveColumns_>
struct GemmShape {
  using A = A_;
  using Atom = tile::arch::Best<B_, A_>;  // sums are given B first
  static constexpr int kRows = kRows_, kColumns = kColumns_, kDepth = kDepth_;
  static constexpr int kWaveRows = kWaveRows_,
                       kWaveColumns = kWaveColumns_;  ///< waves along rows and columns
  static constexpr int kThreads = kWaveRows * kWaveColumns * tile::arch::kHere.wave_lanes;
};

template <class Shape, Along kAlongA, Along kAlongB, Access kAccess>
TILE_DEVICE void gemm(const GemmArguments& arguments) {
  using namespace tile;
  using Atom = typename Shape::Atom;
  using Element = typename Atom::Element;
  using Layout = AtomLayout<Atom>;
  constexpr auto kWritten = [](Along along) {
    return along == Along::Row ? Written::ByRows : Written::ByColumns;
  };
  using TileA = SharedTile<Atom, Shape::kRows, Shape::kDepth, kWritten(kAlongA)>;
  using TileB = SharedTile<Atom, Shape::kColumns, Shape::kDepth, kWritten(kAlongB)>;
  constexpr int kRows = Shape::kRows / Shape::kWaveRows / Layout::kRows;  // atoms of a wave
  constexpr int kColumns = Shape::kColumns / Shape::kWaveColumns / Layout::kRows;
  using WindowA = Window<TileA, Shape::kThreads, kAlongA, kAccess>;
  using WindowB = Window<TileB, Shape::kThreads, kAlongB, kAccess>;
  constexpr int kBytes = WindowA::kSharedBytes + WindowB::kSharedBytes;
  static_assert(2 * kBytes <= arch::kHere.shared_bytes,
                "two buffers of both tiles do not fit into shared memory");
  TILE_SHARED static char memory[2 * kBytes];

  const int thread = arch::thread_id(), lane = thread % Layout::kLanes;
  const int wave = arch::uniform(thread / Layout::kLanes);
  const int batch = arch::workgroup_id_y();
  const int first_row = arch::workgroup_id() / arguments.tiles_n * Shape::kRows;
  const int first_column = arch::workgroup_id() % arguments.tiles_n * Shape::kColumns;

  const auto* const matrix_a = static_cast<const Element*>(arguments.a) + batch * arguments.batch_a;
  const auto* const matrix_b = static_cast<const Element*>(arguments.b) + batch * arguments.batch_b;
  WindowA window_a(matrix_a, arguments.m, arguments.k, arguments.stride_a, first_row, 0, thread);
  WindowB window_b(matrix_b, arguments.n, arguments.k, arguments.stride_b, first_column, 0, thread);
  const int wave_row = wave / Shape::kWaveColumns * (Shape::kRows / Shape::kWaveRows);
  const int wave_column = wave % Shape::kWaveColumns * (Shape::kColumns / Shape::kWaveColumns);
  const OperandReader<Atom, TileA> reader_a(wave_row, lane);
  const OperandReader<Atom, TileB> reader_b(wave_column, lane);

  const auto tile_a = [&](int buffer) { return TileA{(SharedBytes)memory + buffer * kBytes}; };
  const auto tile_b = [&](int buffer) {
    return TileB{(SharedBytes)memory + buffer * kBytes + WindowA::kSharedBytes};
  };

  typename WindowA::Pieces pieces_a;
  typename WindowB::Pieces pieces_b;
  // Of A's and B's columns those beyond K are cleared: the last step's may have some, and the loads ahead
  // have no others.
  int left = arguments.k;  // columns that are not loaded yet
  const bool whole = arguments.k % kPieceElements<typename Atom::Element> == 0;
  const auto bounds = [&] {
    if (left < Shape::kDepth) {
      window_a.narrow(left);
      window_b.narrow(left);
      if (!whole && left < 0) {
        window_a.clear_beyond(pieces_a, left + Shape::kDepth);
        window_b.clear_beyond(pieces_b, left + Shape::kDepth);
      }
    }
  };
  const auto load = [&] {
    window_a.load(pieces_a);
    window_b.load(pieces_b);
    left -= Shape::kDepth;
  };
  const auto store = [&](int buffer) {
    window_a.store(pieces_a, tile_a(buffer));
    window_b.store(pieces_b, tile_b(buffer));
  };

  Sums<Atom, kRows, kColumns> sums;
  sums.clear();
  Operand<Atom, kRows, Shape::kDepth> a;
  Operand<Atom, kColumns, Shape::kDepth> b[2];

  bounds();
  load();
  bounds();
  store(0);
  load();
  bounds();
  store(1);
  load();
  arch::barrier();
  TILE_UNROLL for (int i = 0; i < kRows; ++i) reader_a.read(a, i, tile_a(0));
  TILE_UNROLL for (int j = 0; j < kColumns; ++j) reader_b.read(b[0], j, tile_b(0));

  // A step multiplies what is in registers. While it does so the operands of the next step come from shared
  // memory, those of the step after that go there from registers, and their successors are on their way from
  // global memory.
  const auto step = [&](auto parity) {
    constexpr int kNow = decltype(parity)::kValue, kNext = 1 - kNow;
    constexpr int kBefore = (kRows + 3) / 4;  // rows of products that are under way while the waves meet
    constexpr int kProducts = kColumns * (Shape::kDepth / Layout::kShape.k);  // of a row
    TILE_UNROLL for (int i = 0; i < kBefore; ++i) sums.multiply(i, a, b[kNow]);
    bounds();
    arch::barrier();
    store(kNow);
    load();
    TILE_UNROLL for (int j = 0; j < kColumns; ++j) reader_b.read(b[kNext], j, tile_b(kNext));
    TILE_UNROLL for (int i = 0; i < kBefore; ++i) reader_a.read(a, i, tile_a(kNext));
    TILE_UNROLL for (int i = kBefore; i < kRows; ++i) {
      sums.multiply(i, a, b[kNow]);
      reader_a.read(a, i, tile_a(kNext));
    }

    constexpr int kReads = kRows * decltype(reader_a)::kPieces + kColumns * decltype(reader_b)::kPieces;
    constexpr int kStores = WindowA::kCount + WindowB::kCount;
    constexpr int kPer = (kProducts * (kRows - kBefore)) / (kReads + kStores);
    if constexpr (kPer > 0) {
      TILE_UNROLL for (int i = 0; i < kStores; ++i) {
        arch::order<arch::kMatrix, kPer>();
        arch::order<arch::kSharedWrite, 1>();
        arch::order<arch::kMatrix, kPer>();
        arch::order<arch::kSharedRead, 1>();
        arch::order<arch::kGlobalLoad, 1>();
      }
      TILE_UNROLL for (int i = 0; i < kReads - kStores; ++i) {
        arch::order<arch::kMatrix, kPer>();
        arch::order<arch::kSharedRead, 1>();
      }
    }
  };
  for (int pairs = ceiling(arguments.k, 2 * Shape::kDepth); pairs > 0; --pairs) {
    step(Constant<0>{});
    step(Constant<1>{});
  }

  arch::barrier();
  constexpr int kPart = 2 * kBytes / (Shape::kWaveRows * Shape::kWaveColumns);
  const GemmArguments late = arch::argument_again<GemmArguments>();
  const GemmEpilogue<typename Shape::A> epilogue(late, batch, first_row, first_column);
  for_each_eight<kPart>(sums, (SharedBytes)memory + wave * kPart, lane, [&](int row, int column, auto eight) {
    epilogue(wave_row + row, wave_column + column, eight);
  });
}

}  // namespace wavesmith::kernels
