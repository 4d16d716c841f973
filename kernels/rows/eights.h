// The eights of a matrix that a thread takes where an operation does not take rows.
#pragma once

#include "kernels/rows/configurations.h"
#include "kernels/rows/eight_grid.h"
#include "tile/typed_view.h"

namespace wavesmith::kernels {

/// Which eights a thread takes: 2^shift threads stand side by side in a row, and the rows of a thread's
/// eights are `step` apart.
template <int kEights>
struct EightPlace {
  static_assert(kEights <= kMostEights);
  int first_row;  ///< of the workgroup
  int row;        ///< from there
  int column, step;

  TILE_DEVICE EightPlace(int workgroup, int columns, int shift) {
    const int blocks = tile::ceiling(columns, 8 << shift), thread = tile::arch::thread_id();
    step = kRowThreads >> shift;
    first_row = workgroup / blocks * step * kEights;
    row = thread >> shift;
    column = ((workgroup % blocks << shift) + (thread & ((1 << shift) - 1))) * 8;
  }
};

/// The eights of a thread.
template <int kEights>
struct Eights {
  tile::Eight at[kEights];

  TILE_DEVICE void store(const tile::TypedView& view, const EightPlace<kEights>& place) const {
    TILE_UNROLL for (int i = 0; i < kEights; ++i) view.store(place.row + i * place.step, place.column, at[i]);
  }
};

/// The same under way from memory, all of them before the first is waited for.
template <int kEights>
struct ArrivingEights {
  tile::Pieces at[kEights];

  TILE_DEVICE ArrivingEights(const tile::TypedView& view, const EightPlace<kEights>& place) {
    view.load_pieces(at, place.row, place.step, place.column);
  }
  TILE_DEVICE Eights<kEights> arrived(const tile::TypedView& view) const {
    Eights<kEights> eights;
    view.arrived(eights.at, at);
    return eights;
  }
};
template <int kEights>
TILE_DEVICE Eights<kEights> load_eights(const tile::TypedView& view, const EightPlace<kEights>& place) {
  return ArrivingEights<kEights>(view, place).arrived(view);
}

}  // namespace wavesmith::kernels
