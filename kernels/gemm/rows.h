// Which rows of A a tile has.
#pragma once

#include "kernels/gemm/arguments.h"
#include "tile/shared.h"

namespace wavesmith::kernels {

/// Those that follow each other, from the tile's first on.
struct GemmRows {
  using Order = tile::InOrder;
  int first, count;  ///< row with which a window begins, rows of A

  TILE_DEVICE GemmRows(const GemmArguments& g, int row) : first(row), count(g.m) {}
  TILE_DEVICE static Order order() { return {}; }
};

}  // namespace wavesmith::kernels
