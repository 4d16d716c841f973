// Races as findings: their rules, severities and words.
#pragma once

#include <string_view>

#include "check/race/lane_writes.h"
#include "check/race/race_launch.h"

namespace wavesmith::check {

/// What mends a race between the waves of a workgroup.
constexpr std::string_view kBarrier =
    "put a barrier (__syncthreads) between the two, and before the place is used again";

/// Two lanes of a wave that write to one address.
struct LaneRace {
  const emulate::WaveView& wave;
  const emulate::Site& site;
  const emulate::MemoryAccess& access;
  const LaneConflict& conflict;
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
  uint64_t bytes = 0;
  bool equal = false;  ///< all that was written there is the same
  GlobalFault fault;
  Findings::Order order;
};
void tell_global_conflict(const RaceLaunch& launch, const GlobalRace& race);

/// What is wrong with two accesses of waves of one workgroup to device memory.
struct WaveRace {
  enum class Rule : uint8_t { None, ReadWrite, WriteWrite, SameValue, AtomicPlain, NotSeen, NotAcquired };
  Rule rule;
  Severity severity;
  const WaveConflict& conflict;
  Extent3 workgroup;
  Findings::Order order;
};
/// None: it is no race.
WaveRace::Rule rule_of(RaceLaunch& launch, const WaveConflict& conflict, Severity& severity);
void tell_wave_conflict(const RaceLaunch& launch, const WaveRace& race);

/// A loop around it begins with a plain look at the place: LLVM expands atomics so, and a stale value only
/// costs another turn.
bool compares_and_swaps(const emulate::Site& site);

}  // namespace wavesmith::check
