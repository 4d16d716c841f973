// Teams: threads of a wave that share a column. A team has up to 32 lanes, which follow each other.
#pragma once

#include "kernels/linalg/arguments.h"
#include "kernels/linalg/scalar.h"
#include "tile/arch/lanes.h"

namespace wavesmith::kernels {

/// All waves of the workgroup are here, and see what each has written to any memory.
TILE_DEVICE void meet() {
  __builtin_amdgcn_fence(__ATOMIC_RELEASE, "workgroup");
  // LLVM 22 leaves out the fence's own wait where a barrier heads a loop that is entered with nothing under
  // way, whatever its body leaves under way.
  tile::arch::wait_for_memory();
  __builtin_amdgcn_s_barrier();
  __builtin_amdgcn_fence(__ATOMIC_ACQUIRE, "workgroup");
}

/// What the lanes of this wave have written to any memory, its other lanes see.
TILE_DEVICE void meet_in_wave() {
  __builtin_amdgcn_fence(__ATOMIC_RELEASE, "wavefront");
  __builtin_amdgcn_wave_barrier();
  __builtin_amdgcn_fence(__ATOMIC_ACQUIRE, "wavefront");
}

/// The value of another lane of the wave.
template <class S>
TILE_DEVICE S from_lane_of(S value, int lane) {
  if constexpr (kIsComplex<S>) {
    return {from_lane_of(value.re, lane), from_lane_of(value.im, lane)};
  } else if constexpr (sizeof(S) == 8) {
    const auto words = tile::bits_as<tile::Vector<int, 2>>(value);
    return tile::bits_as<S>(
        tile::Vector<int, 2>{tile::arch::from_lane(words[0], lane), tile::arch::from_lane(words[1], lane)});
  } else {
    return tile::bits_as<S>(tile::arch::from_lane(tile::bits_as<int>(value), lane));
  }
}

struct Team {
  int size;          ///< lanes
  int lane;          ///< this one
  int number;        ///< of this team
  int count;         ///< teams of the workgroup
  int lane_in_wave;  ///< of the team's first lane

  TILE_DEVICE explicit Team(const LinalgArguments& g)
      : size(1 << g.team_shift),
        lane(tile::arch::thread_id() & (size - 1)),
        number(tile::arch::thread_id() >> g.team_shift),
        count(g.threads >> g.team_shift),
        lane_in_wave(tile::arch::lane_id() & ~(size - 1)) {}

  /// The same for all lanes of the team.
  template <class S>
  TILE_DEVICE S sum(S value) const {
    TILE_KEEP_LOOP for (int distance = 1; distance < size; distance *= 2) value =
        value + from_lane_of(value, tile::arch::lane_id() ^ distance);
    return value;
  }
  template <class T>
  TILE_DEVICE T largest(T value) const {
    TILE_KEEP_LOOP for (int distance = 1; distance < size; distance *= 2) {
      const T other = from_lane_of(value, tile::arch::lane_id() ^ distance);
      value = other > value ? other : value;
    }
    return value;
  }
  /// The first row from `first` on for which this lane stands: row i is that of lane i modulo the lanes.
  TILE_DEVICE int own_row(int first) const { return first + ((lane - first) & (size - 1)); }
};

/// The largest of some numbers, and the first place where it is.
template <class T>
struct Largest {
  T size = T(-1);
  int place = 0;

  TILE_DEVICE void take(T other, int at) {
    const bool better = other > size || (other == size && at < place);
    size = better ? other : size;
    place = better ? at : place;
  }
  /// Of all lanes of the team.
  TILE_DEVICE void combine(const Team& team) {
    TILE_KEEP_LOOP for (int distance = 1; distance < team.size; distance *= 2) {
      const int lane = tile::arch::lane_id() ^ distance;
      take(from_lane_of(size, lane), tile::arch::from_lane(place, lane));
    }
  }
};

}  // namespace wavesmith::kernels
