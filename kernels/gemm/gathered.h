// Products whose A is what a window sees of images, gathered while it is multiplied: an implicit product, of
// which no matrix is ever written.
#pragma once

#include "kernels/gemm/gather.h"
#include "kernels/gemm/gemm.h"

namespace wavesmith::kernels {

/// The window on A. A thread's pieces are some rows of one column, so all of them are of one tap, which goes
/// on as the columns do. Taps outside of the image are bits of each row, found once; such a piece has an
/// offset outside of every buffer.
template <class Tile, int kThreads>
struct GatheredWindow : tile::Window<Tile, kThreads, Along::Row> {
  using Base = tile::Window<Tile, kThreads, Along::Row>;
  using Base::kCount, Base::column, Base::offset, Base::bytes, Base::base;
  using u32 = tile::u32;
  static_assert(Base::kLast == kThreads, "each thread has as many pieces");
  static constexpr u32 kSize = sizeof(typename Tile::Element), kAll = ~0u;

  u32 outside[kCount];   ///< a bit for each tap
  u32 tap, channel, at;  ///< `at`: bytes from a row's first tap to the thread's
  u32 channels, next, next_line, next_plane, ends_line, ends_plane;  ///< GemmGather's, in vector registers

  TILE_DEVICE GatheredWindow(const GemmGatheredArguments& all, const void* images, int first_row, int thread)
      : Base(images, 1, 0, 0, 0, 0, thread) {
    int place[kCount][kGatherSpace];
    find_rows(tile::arch::argument_again(all), first_row, thread, place);
    find_outside(tile::arch::argument_again(all).gather, place);
    find_tap(tile::arch::argument_again(all).gather);
  }

  TILE_DEVICE void narrow(int left) {
    TILE_UNROLL for (int i = 0; i < kCount; ++i) outside[i] = column < left ? outside[i] : kAll;
  }

  TILE_DEVICE void load(typename Base::Pieces& pieces) {
    const tile::arch::Buffer buffer = tile::arch::buffer(base, static_cast<u32>(bytes));
    TILE_UNROLL for (int i = 0; i < kCount; ++i) pieces.at[i] =
        tile::arch::load_piece(buffer, (offset[i] + at) | bits(outside[i]));
    constexpr u32 kStep = Tile::kColumns;
    const bool last = channel + kStep >= channels;
    const u32 moved = next + (bits(ends_line) & next_line) + (bits(ends_plane) & next_plane);
    at += kStep * kSize + (last ? moved : 0);
    channel += last ? kStep - channels : kStep;
    tap += last;
  }

 private:
  /// Where the windows of the thread's rows begin.
  TILE_DEVICE void find_rows(const GemmGatheredArguments& all, int first_row, int thread,
                             int (&place)[kCount][kGatherSpace]) {
    const GemmGather& g = all.gather;
    bytes = g.bytes;
    TILE_UNROLL for (int i = 0; i < kCount; ++i) {
      const u32 row = static_cast<u32>(first_row + thread / Tile::kPieces + i * (kThreads / Tile::kPieces));
      const u32 image = g.images.quotient(row), in_image = row - image * g.images.divisor;
      const u32 plane = g.planes.quotient(in_image), in_plane = in_image - plane * g.planes.divisor;
      const u32 line = g.lines.quotient(in_plane), in_line = in_plane - line * g.lines.divisor;
      const u32 places[] = {plane, line, in_line};
      u32 elements = image * static_cast<u32>(g.stride_image);
      TILE_UNROLL for (int d = 0; d < kGatherSpace; ++d) {
        place[i][d] = g.first[d] + static_cast<int>(places[d]) * g.step[d];
        elements += static_cast<u32>(place[i][d]) * static_cast<u32>(g.stride[d]);
      }
      offset[i] = elements * kSize;
      outside[i] = static_cast<int>(row) < all.m ? 0 : kAll;
    }
  }
  /// Which taps of each row are outside of its image.
  TILE_DEVICE void find_outside(const GemmGather& g, const int (&place)[kCount][kGatherSpace]) {
    const auto is_outside = [&](int i, int d, int t) {
      return static_cast<u32>(place[i][d] + t * g.dilation[d]) >= static_cast<u32>(g.size[d]);
    };
    u32 of_line[kCount] = {};
    for (int x = 0; x < g.taps[2]; ++x) {
      tile::arch::keep_branch();  // the compiler would do many taps at once
      TILE_UNROLL for (int i = 0; i < kCount; ++i) of_line[i] |= is_outside(i, 2, x) ? 1u << x : 0;
    }
    const u32 whole_line = kAll >> (32 - g.taps[2]);
    for (int shift = 0, y = 0, z = 0; z < g.taps[0]; shift += g.taps[2]) {
      tile::arch::keep_branch();
      TILE_UNROLL for (int i = 0; i < kCount; ++i) outside[i] |=
          (is_outside(i, 0, z) || is_outside(i, 1, y) ? whole_line : of_line[i]) << shift;
      const bool last = ++y == g.taps[1];
      y = last ? 0 : y, z += last;
    }
  }
  /// With which tap the thread begins.
  TILE_DEVICE void find_tap(const GemmGather& g) {
    channels = in_vector(g.channels.divisor), next = in_vector(g.next);
    next_line = in_vector(g.next_line), next_plane = in_vector(g.next_plane);
    ends_line = in_vector(g.ends_line), ends_plane = in_vector(g.ends_plane);
    const u32 k = static_cast<u32>(tile::arch::workgroup_id_z() * g.first_k + column);
    tap = g.channels.quotient(k);
    channel = k - tap * channels;
    // Behind the lines and planes of the window that end before the tap.
    const u32 before = (1u << tap) - 1;
    at = k * kSize + next * tap + next_line * static_cast<u32>(__builtin_popcount(ends_line & before)) +
         next_plane * static_cast<u32>(__builtin_popcount(ends_plane & before));
  }
  TILE_DEVICE static u32 in_vector(u32 value) {
    return tile::bits_as<u32>(tile::arch::in_vector(tile::bits_as<float>(value)));
  }
  /// All bits as the tap's.
  [[nodiscard]] TILE_DEVICE u32 bits(u32 of) const {
    return static_cast<u32>(static_cast<int>(of << (31 - tap % 32)) >> 31);
  }
};

template <class TileA, class TileB, int kThreads, int kAtOnce, int kStages>
struct GemmFeedGathered
    : GemmFeedThroughRegisters<TileA, TileB, kThreads, Along::Row, Along::Row, Access::Dwords, GemmColumns<0>,
                               tile::Window<TileB, kThreads, Along::Row>, kAtOnce, GemmRows,
                               GatheredWindow<TileA, kThreads>, kStages> {
  using WindowA = GatheredWindow<TileA, kThreads>;
  using WindowB = tile::Window<TileB, kThreads, Along::Row>;
  using Base = GemmFeedThroughRegisters<TileA, TileB, kThreads, Along::Row, Along::Row, Access::Dwords,
                                        GemmColumns<0>, WindowB, kAtOnce, GemmRows, WindowA, kStages>;
  TILE_DEVICE GemmFeedGathered(const GemmGatheredArguments& g, const void* a, const void* b, int row,
                               int column, int thread, tile::SharedBytes shared)
      : Base(g.k, shared, WindowA(g, a, row, thread), WindowB(b, g.n, g.k, g.stride_b, column, 0, thread)) {}
};

/// A tile's shape whose A is gathered.
template <class Shape_>
struct GemmGatheredShape : Shape_ {
  using Arguments = GemmGatheredArguments;
  template <class TileA, class TileB, Along kAlongA, Along kAlongB, Access kAccess>
  using Feed = GemmFeedGathered<TileA, TileB, Shape_::kThreads, Shape_::kSlots == kTwoSteps ? 2 : 1,
                                Shape_::kSlots == kOneStage ? 1 : 2>;
};

}  // namespace wavesmith::kernels
