// Races as findings: their rules, severities and words.
#pragma once

#include "check/race/race_launch.h"

namespace wavesmith::check {

/// A conflict in LDS, and the access that found it.
struct LdsRace {
  const emulate::WaveView& wave;
  const emulate::Site& site;
  const emulate::MemoryAccess& access;
  const StoredData& data;
  const WaveAccesses& made;
  const LdsConflict& conflict;
  uint64_t lanes;
  Extent3 workgroup;
  Findings::Order order;
};
void tell_lds_conflict(const RaceLaunch& launch, const LdsRace& race);

/// Two lanes of one store that write different values to one address.
struct LaneRace {
  const emulate::WaveView& wave;
  const emulate::Site& site;
  const emulate::MemoryAccess& access;
  uint64_t address;
  uint64_t lanes;
  Extent3 workgroup;
  Findings::Order order;
};
void tell_lane_conflict(const RaceLaunch& launch, const LaneRace& race);

/// A conflict between workgroups.
struct GlobalRace {
  struct Side {
    GlobalKind kind;
    uint32_t workgroup;  ///< number
    const Accessor* accessor;
  };
  Side first, second;
  uint64_t address;
  uint64_t bytes;
  bool equal;    ///< all that was written there is the same
  bool ordered;  ///< but not so that the second sees what the first wrote
  bool written_back;
  Findings::Order order;
};
void tell_global_conflict(const RaceLaunch& launch, const GlobalRace& race);

}  // namespace wavesmith::check
