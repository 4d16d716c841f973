// Products whose groups are along K: group g has K's columns of A and rows of B from one offset to the next,
// and a D of its own: the gradients of grouped products' weights. How long a group is the device alone knows;
// a workgroup reads its group's offsets and then computes an ordinary product, that of an empty group of no
// step.
#pragma once

#include "kernels/gemm/epilogue.h"

namespace wavesmith::kernels {

/// A tile of D of the group that the grid's z counts; elements of A and B have kBytes.
template <int kBytes>
struct RaggedPlace : GemmPlace {
  int first = 0, count = 0;  ///< of the group's along K

  TILE_DEVICE explicit RaggedPlace(const GemmArguments& g) : GemmPlace(g) {
    first = offset(g, batch);
    const int end = offset(g, batch + 1);
    count = end > first ? end - first : 0;
  }
  /// The product's K is the group's. Of A and B there is one matrix, from which a batch is 0 away.
  TILE_DEVICE void narrow(GemmArguments& g) const {
    g.a = static_cast<const char*>(g.a) + first * g.stride_a * kBytes;
    g.b = static_cast<const char*>(g.b) + first * g.stride_b * kBytes;
    g.k = count;
  }

 private:
  /// Those outside of K count as the nearest: where nothing is multiplied K is 0.
  TILE_DEVICE static int offset(const GemmArguments& g, int group) {
    const int given = tile::arch::uniform(tile::arch::load_global_as<int>(g.group_offsets, group));
    return given < 0 ? 0 : given > g.k ? g.k : given;
  }
};

/// A tile's shape of products with groups along K, where A's and B's elements along M and N lie together.
template <class Shape_>
struct GemmRaggedShape : Shape_ {
  using Place = RaggedPlace<sizeof(typename Shape_::Atom::Element)>;
};

}  // namespace wavesmith::kernels
