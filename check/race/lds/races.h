// Races in LDS as findings.
#pragma once

#include <set>
#include <utility>

#include "check/race/race_launch.h"
#include "check/race/unused_reads.h"

namespace wavesmith::check {

/// A conflict in LDS, and the access that found it.
struct LdsRace {
  const emulate::WaveView& wave;
  const emulate::Site& site;
  const emulate::MemoryAccess& access;
  const StoredData& data;
  const emulate::MemoryAccess* loaded;  ///< by a load to LDS, from device memory; nullptr: it is none
  const WaveAccesses& made;
  const LdsConflict& conflict;
  uint64_t lanes;
  Extent3 workgroup;
  Findings::Order order;
};

/// Of a workgroup. Where the value that is read is never used, a race is a hint; that is known later on.
class LdsRaces {
 public:
  LdsRaces(const RaceLaunch& launch, uint32_t waves);

  void executes(uint32_t wave, const emulate::Site& site, uint64_t exec) {
    unused_.executes(wave, site, exec);
  }
  void ends(uint32_t wave) { unused_.ends(wave); }
  void meets() { unused_.meets(); }
  void tell(const LdsRace& race);

 private:
  const RaceLaunch& launch_;
  std::set<std::pair<uint32_t, const emulate::Site*>> used_;  ///< reads by wave: each was told as a race
  UnusedReads unused_;
};

}  // namespace wavesmith::check
