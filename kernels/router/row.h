// A token's row of logits in the registers of the lanes that share it, and its scores.
#pragma once

#include "kernels/router/arguments.h"
#include "kernels/router/configurations.h"
#include "tile/precise.h"
#include "tile/reduce.h"
#include "tile/typed_view.h"

namespace wavesmith::kernels {

/// `kLanes` lanes per token, each with the logits of `kEach` experts.
template <int kLanes_, int kEach_>
struct RouterShape {
  static constexpr int kLanes = kLanes_, kEach = kEach_;
  static constexpr int kRows = kRouterThreads / kLanes;  ///< tokens of a workgroup
  static_assert(kEach % 8 == 0 && kLanes <= tile::arch::kHere.wave_lanes);

  /// This lane among those of its token, and the token among the workgroup's.
  TILE_DEVICE static int lane() { return tile::arch::thread_id() % kLanes; }
  TILE_DEVICE static int row() { return tile::arch::thread_id() / kLanes; }
  TILE_DEVICE static tile::i64 token() { return tile::i64{tile::arch::workgroup_id()} * kRows + row(); }
};

/// The experts of a lane: `count` of them, from `first` on.
struct LaneExperts {
  int first, count;
};

/// Rows of the workgroup's tokens.
template <class Shape>
TILE_DEVICE tile::TypedView rows_of(const RouterScores& g, const void* matrix, int type, long stride) {
  return {matrix,   static_cast<tile::Type>(type),
          g.tokens, g.experts,
          stride,   tile::arch::workgroup_id() * Shape::kRows,
          0};
}

/// Whether pieces begin there.
TILE_DEVICE bool is_whole(const void* at) { return reinterpret_cast<tile::u64>(at) % tile::kPieceBytes == 0; }

/// Elements that follow each other from byte `at` on, as floats; `whole`: they are whole pieces of the
/// memory. All loads are under way before the first is waited for.
template <class T, int kCount>
TILE_DEVICE void load_floats(float (&values)[kCount], tile::arch::Buffer from, tile::u32 at, bool whole) {
  using namespace tile;
  if (arch::late(whole)) {
    constexpr int kElements = kPieceElements<T>;
    Piece pieces[kCount / kElements];
    TILE_UNROLL for (int i = 0; i < kCount / kElements; ++i) pieces[i] =
        arch::load_whole_piece(from, at + i * kPieceBytes);
    TILE_UNROLL for (int i = 0; i < kCount; ++i) values[i] =
        static_cast<float>(bits_as<Vector<T, kElements>>(pieces[i / kElements])[i % kElements]);
  } else {
    T elements[kCount];
    TILE_UNROLL for (int i = 0; i < kCount; ++i) elements[i] = arch::load<T>(from, at + i * sizeof(T));
    TILE_UNROLL for (int i = 0; i < kCount; ++i) values[i] = static_cast<float>(elements[i]);
  }
}

/// Logits, minus infinity behind the lane's experts: they add nothing to a softmax.
template <class Shape>
struct RouterRow {
  float x[Shape::kEach];

  /// `whole`: the lane's experts begin at a multiple of 8. What lies behind the last token reads as 0.
  TILE_DEVICE void load(const tile::TypedView& view, LaneExperts experts, bool whole) {
    using namespace tile;
    const u32 at = (Shape::row() * view.stride + experts.first) * size_of(view.type);
    whole = whole && view.aligned;
    if (arch::late(view.type == Type::F32))
      load_floats<float>(x, view.buffer, at, whole);
    else if (arch::late(view.type == Type::F16))
      load_floats<f16>(x, view.buffer, at, whole);
    else
      load_floats<bf16>(x, view.buffer, at, whole);
    TILE_UNROLL for (int i = 0; i < Shape::kEach; ++i) x[i] = i < experts.count ? x[i] : -kInfinity;
  }
  /// The largest; NaN is none.
  TILE_DEVICE float largest() const {
    return tile::reduce_lanes<Shape::kLanes>(tile::reduce_values(x, tile::Max{}), tile::Max{});
  }
  /// The sum of powers of e, of differences to the largest.
  TILE_DEVICE float total(float most) const;
};

/// e^(x - most), which may be 0 where it is below 2^-126.
TILE_DEVICE float power_of(float x, float most) { return tile::exp2((x - most) * tile::kLog2OfE); }

template <class Shape>
TILE_DEVICE float RouterRow<Shape>::total(float most) const {
  float powers[Shape::kEach];
  TILE_UNROLL for (int i = 0; i < Shape::kEach; ++i) powers[i] = power_of(x[i], most);
  return tile::reduce_lanes<Shape::kLanes>(tile::reduce_values(powers, tile::Sum{}), tile::Sum{});
}

}  // namespace wavesmith::kernels
