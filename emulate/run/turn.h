// A turn of a workgroup: each of its waves gets a slice, one after the other. A wave that goes through memory
// in leaps gives way after each of them and goes on when the others have made theirs: side by side, as on a
// GPU, they use the host's memory page by page, where one alone would come back to each page once a wave.
#pragma once

#include <cstdint>
#include <utility>

#include "emulate/run/workgroup.h"

namespace wavesmith::emulate {

/// Begins a turn: `slice` instructions for each wave; none at all end with the basic block.
void grant(Workgroup& group, int64_t slice);

/// The wave goes on with what it has left of its slice.
void take_up(Wave& wave);

/// The wave gives way when its basic block ends, if it may.
inline void give_way_soon(Wave& wave) {
  if (wave.share == Share::MayGiveWay) wave.kept += std::exchange(wave.budget, 0);
}

/// Called by a wave that gives way at the end of a basic block: which one goes on at its `resume`, perhaps
/// the same one. nullptr: the slice is over.
Wave* give_way(Wave& wave);

/// Whether a wave has not come back to its slice since it gave way.
[[nodiscard]] bool has_given_way(const Workgroup& group, int64_t slice);

/// Instructions executed in this turn.
[[nodiscard]] int64_t executed(const Workgroup& group, int64_t slice);

}  // namespace wavesmith::emulate
