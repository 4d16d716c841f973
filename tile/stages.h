// Stages in shared memory that the copy engine fills for warpgroups: one warp sets off the copies, the others
// wait for them and give stages back.
#pragma once

#include "tile/arch/ptx_tensor.h"
#include "tile/vector.h"

namespace tile {

/// Which stage comes next, and which time around.
template <int kCount>
struct StageTurn {
  int stage = 0;
  u32 parity = 0;
  TILE_DEVICE void advance() {
    if (++stage == kCount) stage = 0, parity ^= 1;
  }
};

/// The barriers of `kCount` stages: those that say that a stage is full, and those that it is free.
template <int kCount>
struct Stages {
  static constexpr int kBytes = 2 * kCount * static_cast<int>(sizeof(ptx::Barrier));
  using Turn = StageTurn<kCount>;
  ptx::Barrier* barriers;

  /// `readers` give a stage back.
  TILE_DEVICE void begin(u32 readers) const {
    TILE_UNROLL for (int i = 0; i < kCount; ++i) {
      ptx::begin_barrier(barriers + i, 1);
      ptx::begin_barrier(barriers + kCount + i, readers);
    }
  }
  TILE_DEVICE ptx::Barrier* full(const Turn& turn) const { return barriers + turn.stage; }
  TILE_DEVICE ptx::Barrier* free(const Turn& turn) const { return barriers + kCount + turn.stage; }

  /// Waits until a stage may be filled; so many bytes will come to it.
  TILE_DEVICE void fill(const Turn& turn, u32 bytes) const {
    ptx::wait_phase(free(turn), turn.parity ^ 1);
    ptx::expect_bytes(full(turn), bytes);
  }
  TILE_DEVICE void wait(const Turn& turn) const { ptx::wait_phase(full(turn), turn.parity); }
  TILE_DEVICE void give_back(const Turn& turn) const { ptx::arrive(free(turn)); }
};

}  // namespace tile
