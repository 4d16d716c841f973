// Products of halves with weights of 4 bits, which become halves on their way to shared memory: a number q of
// a group along K becomes scale * (q - zero point) of the group, in floats, and is rounded to A's type.
#pragma once

#include "kernels/gemm/gemm.h"
#include "tile/arch/wait_states.h"
#include "tile/nibbles.h"
#include "tile/rounding.h"

namespace wavesmith::kernels {

/// Numbers of the type that scales and zero points have, which is known at run time only: read in halves,
/// without a branch. Outside reads as 0.
struct GroupNumbers {
  tile::arch::Buffer buffer;
  int type;  ///< tile::Type

  struct Halves {
    tile::u16 low, high;
  };
  TILE_DEVICE Halves load(tile::u32 offset) const {
    const bool is_f32 = type == static_cast<int>(tile::Type::F32);
    const tile::u32 outside = tile::arch::kOutside;
    return {tile::arch::load<tile::u16>(buffer, is_f32 ? offset : outside),
            tile::arch::load<tile::u16>(buffer, is_f32 && offset != outside ? offset + 2 : offset)};
  }
  TILE_DEVICE static float number(Halves halves, int type) {
    const float upper = tile::bits_as<float>(static_cast<tile::u32>(halves.high) << 16 | halves.low);
    return type == static_cast<int>(tile::Type::F16)
               ? static_cast<float>(tile::bits_as<tile::f16>(halves.high))
               : upper;
  }
};

/// A window of a tile's rows (columns of B) and columns (numbers along K), by which threads walk along K.
template <class Tile, int kThreads>
struct Int4Window {
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
    GroupNumbers::Halves scales[kLoads], zeros[kLoads];
  };

  const GemmGroups groups;
  const char *base, *scales, *zeros;
  tile::i64 bytes;             ///< from base to the matrix's end
  tile::u32 scale_bytes;       ///< of the tile's scales
  tile::u32 offset[kLoads];    ///< of packed numbers
  tile::u32 of_group[kLoads];  ///< of the scales of the row's first group
  int column, left;            ///< the thread's first number, and the numbers from the window's first on
  int first;                   ///< number that the window begins with
  int shared_offset[kTogether];

  TILE_DEVICE Int4Window(const GemmArguments& g, const void* matrix, int batch, int first_row, int thread)
      : groups(g.groups_b), left(g.k), first(0) {
    const int row = thread / kInRow;
    column = thread % kInRow * kTogether * kInPiece;
    base = static_cast<const char*>(matrix) + first_row * g.stride_b;
    bytes = (g.n - 1 - first_row) * g.stride_b + g.k / 2;
    const int size = tile::size_of(static_cast<tile::Type>(groups.type));
    const tile::i64 start = (batch * groups.batch_stride + first_row * groups.stride) * size;
    scales = static_cast<const char*>(groups.scales) + start;
    zeros = static_cast<const char*>(groups.zeros) + start;
    const tile::i64 last =
        (g.n - 1 - first_row) * groups.stride + ((g.k - 1) >> groups.shift) * groups.group_stride;
    scale_bytes = static_cast<tile::u32>((last + 1) * size);
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
    const GroupNumbers of_scales{arch::buffer(scales, scale_bytes), groups.type};
    const GroupNumbers of_zeros{arch::buffer(zeros, groups.zeros ? scale_bytes : 0), groups.type};
    const u32 size = tile::size_of(static_cast<tile::Type>(groups.type));
    const u32 group =
        static_cast<u32>((first + column) >> groups.shift) * static_cast<u32>(groups.group_stride) * size;
    TILE_UNROLL for (int i = 0; i < kLoads; ++i) {
      if constexpr (sizeof(Packed) == kPieceBytes)
        pieces.packed[i] = arch::load_piece(numbers, offset[i]);
      else
        pieces.packed[i] = arch::load<Packed>(numbers, offset[i]);
      const u32 at = column < left ? of_group[i] + group : arch::kOutside;
      pieces.scales[i] = of_scales.load(at);
      pieces.zeros[i] = of_zeros.load(at);
    }
    base += Tile::kColumns / 2;
    bytes -= Tile::kColumns / 2;
    first += Tile::kColumns;
    left -= Tile::kColumns;
  }

  TILE_DEVICE void store(const Pieces& pieces, Tile tile) const {
    TILE_UNROLL for (int i = 0; i < kLoads; ++i) {
      const float scale = GroupNumbers::number(pieces.scales[i], groups.type);
      // Negative, for sums go two by two where differences do not.
      const float zero = -8.0f - GroupNumbers::number(pieces.zeros[i], groups.type);
      TILE_UNROLL for (int p = 0; p < kTogether; ++p) {
        constexpr int kStep = kRowStep * Tile::kPieces * tile::kPieceBytes;
        tile::shared_write(
            tile.memory + shared_offset[p] + i * kStep,
            tile::rounded<Element>((tile::nibbles_plus_8(pieces.packed[i][p]) + zero) * scale));
      }
    }
  }
};

/// The feed whose B is of 4 bits.
template <class TileA, class TileB, int kThreads>
struct GemmFeedInt4 : GemmFeedThroughRegisters<TileA, TileB, kThreads, Along::Row, Along::Row, Access::Dwords,
                                               GemmColumns<0>, Int4Window<TileB, kThreads>> {
  using Window = Int4Window<TileB, kThreads>;
  using Base = GemmFeedThroughRegisters<TileA, TileB, kThreads, Along::Row, Along::Row, Access::Dwords,
                                        GemmColumns<0>, Window>;
  TILE_DEVICE GemmFeedInt4(const GemmArguments& g, const void* a, const void* b, int row, int column,
                           int thread, tile::SharedBytes shared)
      : Base(g, a, row, thread, shared, Window(g, b, tile::arch::workgroup_id_z(), column, thread)) {}
  TILE_DEVICE void wait() {
    // It has branches, behind which B's numbers are made.
    tile::arch::keep_products();
    Base::wait();
  }
};

/// A tile's shape whose B is of 4 bits.
template <class Shape_>
struct GemmInt4Shape : Shape_ {
  template <class TileA, class TileB, Along kAlongA, Along kAlongB, Access kAccess>
  using Feed = GemmFeedInt4<TileA, TileB, Shape_::kThreads>;
};

}  // namespace wavesmith::kernels
