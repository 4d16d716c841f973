// Tiles of K and V for waves that take turns: past the registers to a ring of stages in shared memory, and
// from there to operands, piece by piece.
#pragma once

#include "kernels/attention/shape.h"
#include "tile/chain.h"
#include "tile/direct.h"
#include "tile/transposed.h"

namespace wavesmith::kernels {

/// tile::DirectWindow whose loads ask nothing of the VALU, which the other group needs: it alone compares
/// numbers of 64 bits.
template <class Tile, int kThreads, class Order = tile::InOrder>
struct TurnsWindow : tile::DirectWindow<Tile, kThreads, Order> {
  using Base = tile::DirectWindow<Tile, kThreads, Order>;
  using Base::Base;
  /// Bytes of the window's matrix from the window on, as far as a buffer has them.
  TILE_DEVICE tile::u32 in_range() const {
    static_assert(sizeof(typename Base::Element) % 2 == 0, "an even number is no more than a buffer has");
    const int high = tile::arch::late(static_cast<int>(this->bytes >> 32));
    return high < 0 ? 0 : high > 0 ? 0xfffffffe : static_cast<tile::u32>(this->bytes);
  }
  /// Sets off one of the kCount loads to a tile.
  TILE_DEVICE void load(int i, tile::arch::Words from, tile::SharedBytes tile) const {
    tile::arch::load_to_shared(from, this->offset[i], tile + this->first + i * kThreads * tile::kPieceBytes);
  }
  TILE_DEVICE void advance() {
    this->base += this->step;
    this->bytes -= this->step;
  }
};

template <class Shape>
struct TurnsMemory {
  using Atom = typename Shape::Atom;
  using TileK = tile::SharedTile<Atom, Shape::kKeys, Shape::kKeyColumns>;
  using TileV = tile::TransposedTile<Atom, Shape::kHeadSize, Shape::kKeys>;
  using WindowK = TurnsWindow<TileK, Shape::kThreads, tile::ChainOrder<Atom>>;
  using WindowV = TurnsWindow<TileV, Shape::kThreads>;
  static constexpr int kStages = 4, kStage = TileK::kBytes + TileV::kBytes;
  static constexpr int kTiles = kStages * kStage;
};

/// The tiles of K and V, on their way to shared memory and there.
template <class Shape>
struct TurnsFeed {
  using Memory = TurnsMemory<Shape>;
  using Atom = typename Shape::Atom;
  using Element = typename Atom::Element;
  static constexpr int kOfK = Memory::WindowK::kCount, kOfV = Memory::WindowV::kCount;  ///< loads
  tile::SharedBytes memory;
  int reading = 0, loading = 0;  ///< stages: where they begin
  tile::u32 in_range = 0;        ///< of the matrix whose loads are being set off
  tile::arch::Words words{};
  typename Memory::WindowK window_k;
  typename Memory::WindowV window_v;
  tile::OperandReader<Atom, typename Memory::TileK> reader_k;
  tile::OperandReader<Atom, typename Memory::TileV> reader_v;

  template <class OfWave>
  TILE_DEVICE TurnsFeed(const OfWave& queries, int key, int thread, tile::SharedBytes shared)
      : memory(shared),
        window_k(queries.keys(), queries.sequence.length_k, queries.g.head_size, queries.g.stride_k.row, key,
                 thread),
        window_v(queries.values(), queries.sequence.length_k, queries.g.head_size_v, queries.g.stride_v.row,
                 key, thread),
        reader_k(0, queries.lane),
        reader_v(0, queries.lane) {
    constexpr tile::i64 kBytes = Shape::kKeys * static_cast<int>(sizeof(Element));
    window_k.step = kBytes * queries.g.stride_k.row;
    window_v.step = kBytes * queries.g.stride_v.row;
    window_k.narrow(queries.g.head_size);
    window_v.narrow(queries.g.head_size_v);
  }
  /// Setting off a stage's loads has parts, none longer than a product: two before the loads of K, two before
  /// those of V, and each load.
  static constexpr int kParts = 2 + kOfK + 2 + kOfV;
  template <int kPart>
  TILE_DEVICE void load() {
    if constexpr (kPart < 2 + kOfK) {
      load_part<kPart>(window_k, memory + loading);
    } else if constexpr (kPart < kParts) {
      load_part<kPart - 2 - kOfK>(window_v, memory + loading + Memory::TileK::kBytes);
      if constexpr (kPart + 1 == kParts) loading = after(loading);
    }
  }
  TILE_DEVICE void load_all() {
    tile::repeat<kParts>([&](auto part) { load<decltype(part)::kValue>(); });
  }
  /// Reads a piece of the stage's K or V, counted in the order in which products take them.
  template <int kRows, int kColumns>
  TILE_DEVICE void read_k(tile::Operand<Atom, kRows, kColumns>& k, int i) const {
    k.at[i % kRows][i / kRows] =
        reader_k.piece(i % kRows, i / kRows, typename Memory::TileK{memory + reading});
  }
  template <int kRows, int kColumns>
  TILE_DEVICE void read_v(tile::Operand<Atom, kRows, kColumns>& v, int i) const {
    const typename Memory::TileV tile{memory + reading + Memory::TileK::kBytes};
    v.at[i % kRows][i / kRows] = reader_v.piece(i % kRows, i / kRows, tile);
  }
  TILE_DEVICE void advance() { reading = after(reading); }

  /// All waves meet when their reads and loads have come but for the last `kLater` loads.
  template <int kLater>
  TILE_DEVICE static void meet() {
    tile::arch::keep_order();
    tile::arch::wait_loads<kLater>();
    tile::arch::barrier();
    tile::arch::keep_order();
  }

 private:
  template <int kPart, class Window>
  TILE_DEVICE void load_part(Window& window, tile::SharedBytes tile) {
    if constexpr (kPart == 0) {
      in_range = window.in_range();
    } else if constexpr (kPart == 1) {
      words = tile::arch::buffer_words(window.base, in_range);
      window.advance();
    } else {
      window.load(kPart - 2, words, tile);
    }
  }
  TILE_DEVICE static int after(int stage) {
    return stage + Memory::kStage < Memory::kTiles ? stage + Memory::kStage : 0;
  }
};

}  // namespace wavesmith::kernels
