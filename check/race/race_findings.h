// Races as findings: their rules, severities and words.
#pragma once

#include <functional>
#include <optional>

#include "check/race/lane_writes.h"
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

/// Of one who reads and one who writes: the reader's wave and instruction. nullopt: it is no such race.
struct LdsReader {
  uint32_t wave;
  const emulate::Site& site;
};
std::optional<LdsReader> reader_of(const RaceLaunch& launch, const LdsRace& race);

/// The same race as an error or, where the value that is read is never used, as a hint: once it is known.
/// It must be one with a reader.
std::function<void(bool used)> teller_of(const RaceLaunch& launch, const LdsRace& race);

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
void tell_wave_conflict(const RaceLaunch& launch, const WaveRace& race);

/// A loop around it begins with a plain look at the place: LLVM expands atomics so, and a stale value only
/// costs another turn.
bool compares_and_swaps(const emulate::Site& site);

}  // namespace wavesmith::check
