// Products along the places of images: B is what a window sees at each of them, gathered while it is
// multiplied (the weights' gradient of a convolution).
#pragma once

#include "kernels/gemm/gather.h"
#include "kernels/gemm/gemm.h"

namespace wavesmith::kernels {

/// The window on B, whose columns, along K, are places. A thread's pieces are eight channels of a tap, always
/// the same, of a few places, each of which goes ahead by as many as a step has.
template <class Tile, int kThreads>
struct PlacesWindow : tile::Window<Tile, kThreads, Along::Column> {
  using Base = tile::Window<Tile, kThreads, Along::Column>;
  using Base::kCount, Base::kInPiece, Base::column, Base::offset, Base::bytes, Base::base,
      Base::shared_offset;
  using u32 = tile::u32;
  static_assert(Base::kLast == kThreads, "each thread has a block");
  static constexpr u32 kSize = sizeof(typename Tile::Element);
  static constexpr int kFar = -(1 << 30);  ///< outside, as well a step later

  int at[kCount][kGatherSpace];                                     ///< of the image, what the tap sees
  int end[kGatherSpace];                                            ///< the same, behind the last place
  int size[kGatherSpace];                                           ///< of the image
  int ahead[kGatherSpace], back[kGatherSpace], step[kGatherSpace];  ///< GemmGatherSteps', in vector registers
  u32 ahead_bytes, back_bytes[kGatherSpace];

  TILE_DEVICE PlacesWindow(const GemmPlacesArguments& all, const void* images, int first_row, int first_place,
                           int thread)
      : Base(images, 1, 0, 0, 0, 0, thread) {
    find_tap(tile::arch::argument_again(all), first_row);
    find_places(tile::arch::argument_again(all).gather, first_place);
    find_steps(tile::arch::argument_again(all));
  }

  TILE_DEVICE void narrow(int left) {
    TILE_UNROLL for (int i = 0; i < kCount; ++i) at[i][0] = column + i < left ? at[i][0] : kFar;
  }

  TILE_DEVICE void load(typename Base::Pieces& pieces) {
    const tile::arch::Buffer buffer = tile::arch::buffer(base, static_cast<u32>(bytes));
    TILE_UNROLL for (int i = 0; i < kCount; ++i) {
      bool inside = true;
      TILE_UNROLL for (int d = 0; d < kGatherSpace; ++d) inside &=
          static_cast<u32>(at[i][d]) < static_cast<u32>(size[d]);
      pieces.at[i] = tile::arch::load_piece(buffer, inside ? offset[i] : tile::arch::kOutside);
    }
    TILE_UNROLL for (int i = 0; i < kCount; ++i) {
      u32 moved = ahead_bytes;
      int carried = 0;
      TILE_UNROLL for (int d = kGatherSpace; d-- > 0;) {
        const int next = at[i][d] + ahead[d] + carried;
        const bool over = next >= end[d];
        at[i][d] = over ? next - back[d] : next;
        moved += over ? back_bytes[d] : 0;
        carried = over && d > 0 ? step[d - 1] : 0;
      }
      offset[i] += moved;
    }
  }

 private:
  /// Which channels of which tap the thread has.
  TILE_DEVICE void find_tap(const GemmPlacesArguments& all, int first_row) {
    const GemmGather& g = all.gather;
    const u32 row = static_cast<u32>(first_row + shared_offset);
    const u32 tap = g.channels.quotient(row), plane = all.steps.of_plane.quotient(tap);
    const u32 in_plane = tap - plane * all.steps.of_plane.divisor;
    const u32 line = all.steps.of_line.quotient(in_plane);
    const u32 taps[] = {plane, line, in_plane - line * all.steps.of_line.divisor};
    TILE_UNROLL for (int d = 0; d < kGatherSpace; ++d) {
      const int seen = g.first[d] + static_cast<int>(taps[d]) * g.dilation[d];
      TILE_UNROLL for (int i = 0; i < kCount; ++i) at[i][d] = seen;
      end[d] = seen + all.steps.back[d];
      size[d] = g.size[d];
    }
    if (static_cast<int>(tap) >= all.steps.taps) size[0] = 0;
    TILE_UNROLL for (int i = 0; i < kCount; ++i) offset[i] = (row - tap * g.channels.divisor) * kSize;
  }
  /// Which places it begins with.
  TILE_DEVICE void find_places(const GemmGather& g, int first_place) {
    bytes = g.bytes;
    TILE_UNROLL for (int i = 0; i < kCount; ++i) {
      const u32 number = static_cast<u32>(first_place + column + i);
      const u32 image = g.images.quotient(number), in_image = number - image * g.images.divisor;
      const u32 plane = g.planes.quotient(in_image), in_plane = in_image - plane * g.planes.divisor;
      const u32 line = g.lines.quotient(in_plane), in_line = in_plane - line * g.lines.divisor;
      const u32 places[] = {plane, line, in_line};
      u32 elements = image * static_cast<u32>(g.stride_image);
      TILE_UNROLL for (int d = 0; d < kGatherSpace; ++d) {
        at[i][d] += static_cast<int>(places[d]) * g.step[d];
        elements += static_cast<u32>(at[i][d]) * static_cast<u32>(g.stride[d]);
      }
      offset[i] += elements * kSize;
    }
  }
  TILE_DEVICE void find_steps(const GemmPlacesArguments& all) {
    const GemmGatherSteps& steps = all.steps;
    ahead_bytes = in_vector(steps.ahead_bytes);
    TILE_UNROLL for (int d = 0; d < kGatherSpace; ++d) {
      ahead[d] = in_vector(steps.ahead[d]), back[d] = in_vector(steps.back[d]);
      step[d] = in_vector(all.gather.step[d]), back_bytes[d] = in_vector(steps.back_bytes[d]);
    }
  }
  template <class T>
  TILE_DEVICE static T in_vector(T value) {
    return tile::bits_as<T>(tile::arch::in_vector(tile::bits_as<float>(value)));
  }
};

template <class TileA, class TileB, int kThreads, int kAtOnce>
struct GemmFeedPlaces
    : GemmFeedThroughRegisters<TileA, TileB, kThreads, Along::Column, Along::Column, Access::Dwords,
                               GemmColumns<0>, PlacesWindow<TileB, kThreads>, kAtOnce> {
  using WindowA = tile::Window<TileA, kThreads, Along::Column>;
  using WindowB = PlacesWindow<TileB, kThreads>;
  using Base = GemmFeedThroughRegisters<TileA, TileB, kThreads, Along::Column, Along::Column, Access::Dwords,
                                        GemmColumns<0>, WindowB, kAtOnce>;
  TILE_DEVICE GemmFeedPlaces(const GemmPlacesArguments& g, const void* a, const void* b, int row, int column,
                             int thread, tile::SharedBytes shared)
      : GemmFeedPlaces(g, a, b, row, column, thread, shared,
                       tile::arch::workgroup_id_z() * g.gather.first_k) {}

 private:
  /// From that place on.
  TILE_DEVICE GemmFeedPlaces(const GemmPlacesArguments& g, const void* a, const void* b, int row, int column,
                             int thread, tile::SharedBytes shared, int first)
      : GemmFeedPlaces(g, a, b, row, column, thread, shared, first, left_of(g, first)) {}
  /// A's bytes are those of whole dwords, and end with the last place.
  TILE_DEVICE GemmFeedPlaces(const GemmPlacesArguments& g, const void* a, const void* b, int row, int column,
                             int thread, tile::SharedBytes shared, int first, int places)
      : Base(places, shared, WindowA(a, (g.m + 1) / 2 * 2, places, g.stride_a, row, 0, thread),
             WindowB(g, b, column, first, thread)) {}
  TILE_DEVICE static int left_of(const GemmPlacesArguments& g, int first) {
    const int left = g.steps.places - first;
    return left < g.k ? left : g.k;
  }
};

/// A tile's shape whose B is gathered along the places.
template <class Shape_>
struct GemmPlacesShape : Shape_ {
  using Arguments = GemmPlacesArguments;
  template <class TileA, class TileB, Along kAlongA, Along kAlongB, Access kAccess>
  using Feed = GemmFeedPlaces<TileA, TileB, Shape_::kThreads, Shape_::kSlots == kTwoSteps ? 2 : 1>;
};

}  // namespace wavesmith::kernels
