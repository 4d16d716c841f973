// Products of halves with weights of 4 bits, which become halves on their way to shared memory: what a group
// along K shares makes floats of its numbers, which are rounded to A's type. A format (int4.h, mx4.h) says
// what eight numbers and the group's factors become.
#pragma once

#include "kernels/gemm/gemm.h"
#include "tile/arch/wait_states.h"
#include "tile/rounding.h"

namespace wavesmith::kernels {

/// A window of a tile's rows (columns of B) and columns (numbers along K), by which threads walk along K.
template <class Tile, int kThreads, class Format>
struct PackedWindow {
  using Element = typename Tile::Element;
  static constexpr int kInPiece = tile::kPieceElements<Element>;         ///< numbers; 4 bytes
  static constexpr int kCount = Tile::kRows * Tile::kPieces / kThreads;  ///< pieces per thread
  static constexpr int kWrites = kCount;  ///< instructions that write them to shared memory
  /// Pieces of a row that a thread loads at once: at most the least group's.
  static constexpr int kTogether = [] {
    int most = kCount < Tile::kPieces ? kCount : Tile::kPieces;
    while (most > 4 || kCount % most != 0) most /= 2;
    return most;
  }();
  static constexpr int kLoads = kCount / kTogether;
  static constexpr int kInRow = Tile::kPieces / kTogether;
  static constexpr int kSharedBytes = Tile::kBytes;
  static constexpr int kRowStep = kThreads / kInRow;
  static_assert(kCount * kThreads == Tile::kRows * Tile::kPieces && kRowStep % Tile::kPeriod == 0,
                "threads share the pieces evenly, and the swizzle repeats from load to load");
  using Packed = tile::Vector<tile::u32, kTogether>;

  struct Pieces {
    Packed packed[kLoads];
    typename Format::Factors factors[kLoads];
  };

  const GemmGroups groups;
  const Format format;
  const char* base;
  tile::i64 bytes;             ///< from base to the matrix's end
  tile::u32 offset[kLoads];    ///< of packed numbers
  tile::u32 of_group[kLoads];  ///< of the factors of the row's first group
  int column, left;            ///< the thread's first number, and the numbers from the window's first on
  int first;                   ///< number that the window begins with
  int shared_offset[kTogether];

  TILE_DEVICE PackedWindow(const GemmArguments& g, const void* matrix, int batch, int first_row, int thread)
      : groups(g.groups_b),
        format(groups, (batch * groups.batch_stride + first_row * groups.stride) * Format::size_of(groups),
               static_cast<tile::u32>(((g.n - 1 - first_row) * groups.stride +
                                       ((g.k - 1) >> groups.shift) * groups.group_stride + 1) *
                                      Format::size_of(groups))),
        left(g.k),
        first(0) {
    const int row = thread / kInRow;
    column = thread % kInRow * kTogether * kInPiece;
    base = static_cast<const char*>(matrix) + first_row * g.stride_b;
    bytes = (g.n - 1 - first_row) * g.stride_b + g.k / 2;
    const int size = Format::size_of(groups);
    TILE_UNROLL for (int i = 0; i < kLoads; ++i) {
      offset[i] = static_cast<tile::u32>((row + i * kRowStep) * g.stride_b + column / 2);
      of_group[i] = static_cast<tile::u32>((row + i * kRowStep) * groups.stride) * size;
    }
    TILE_UNROLL for (int p = 0; p < kTogether; ++p) shared_offset[p] =
        Tile::offset(row, column / kInPiece + p);
  }
  TILE_DEVICE void narrow(int /*left*/) {}
  TILE_DEVICE void clear_beyond(Pieces& /*pieces*/, int /*left*/) const {}

  TILE_DEVICE void load(Pieces& pieces) {
    using namespace tile;
    const i64 in_range = bytes < 0 ? 0 : bytes > 0xfffffffe ? 0xfffffffe : bytes;
    const arch::Buffer numbers = arch::buffer(base, static_cast<u32>(in_range));
    const auto of_groups = format.reader();
    const u32 size = Format::size_of(groups);
    const u32 group =
        static_cast<u32>((first + column) >> groups.shift) * static_cast<u32>(groups.group_stride) * size;
    TILE_UNROLL for (int i = 0; i < kLoads; ++i) {
      if constexpr (sizeof(Packed) == kPieceBytes)
        pieces.packed[i] = arch::load_piece(numbers, offset[i]);
      else
        pieces.packed[i] = arch::load<Packed>(numbers, offset[i]);
      pieces.factors[i] = of_groups.load(column < left ? of_group[i] + group : arch::kOutside);
    }
    base += Tile::kColumns / 2;
    bytes -= Tile::kColumns / 2;
    first += Tile::kColumns;
    left -= Tile::kColumns;
  }

  TILE_DEVICE void store(const Pieces& pieces, Tile tile) const {
    TILE_UNROLL for (int i = 0; i < kLoads; ++i) {
      const auto widen = format.widener(pieces.factors[i]);
      TILE_UNROLL for (int p = 0; p < kTogether; ++p) {
        constexpr int kStep = kRowStep * Tile::kPieces * tile::kPieceBytes;
        tile::shared_write(tile.memory + shared_offset[p] + i * kStep,
                           tile::rounded<Element>(widen(pieces.packed[i][p])));
      }
    }
  }
};

/// The feed whose B is of 4 bits.
template <class TileA, class TileB, int kThreads, class Format>
struct GemmFeedPacked
    : GemmFeedThroughRegisters<TileA, TileB, kThreads, Along::Row, Along::Row, Access::Dwords, GemmColumns<0>,
                               PackedWindow<TileB, kThreads, Format>> {
  using Window = PackedWindow<TileB, kThreads, Format>;
  using Base = GemmFeedThroughRegisters<TileA, TileB, kThreads, Along::Row, Along::Row, Access::Dwords,
                                        GemmColumns<0>, Window>;
  TILE_DEVICE GemmFeedPacked(const GemmArguments& g, const void* a, const void* b, int row, int column,
                             int thread, tile::SharedBytes shared)
      : Base(g, a, row, thread, shared, Window(g, b, tile::arch::workgroup_id_z(), column, thread)) {}
  TILE_DEVICE void wait() {
    // It has branches, behind which B's numbers are made.
    tile::arch::keep_products();
    Base::wait();
  }
};

/// A tile's shape whose B is of 4 bits.
template <class Shape_, class Format>
struct GemmPackedShape : Shape_ {
  template <class TileA, class TileB, Along kAlongA, Along kAlongB, Access kAccess>
  using Feed = GemmFeedPacked<TileA, TileB, Shape_::kThreads, Format>;
};

}  // namespace wavesmith::kernels
