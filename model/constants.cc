#include "model/constants.h"

namespace wavesmith::model {

std::span<const Constant> constants() {
  using namespace constant;
  static constexpr Constant kAll[] = {
      kLoopCycles,         kStoreCycles,  kDefaultL2Cycles,  kDefaultInfinityCycles, kDefaultMemoryCycles,
      kExtraStream,        kSharedDies,   kDefaultL2Share,   kKernelSeconds,         kReduceSeconds,
      kDispatchCycles,     kPowerLanes,   kWaveRowCycles,    kWaveElementCycles,     kBlockRowCycles,
      kBlockElementCycles, kLdsRowCycles, kLdsElementCycles, kThreePassRowCycles,    kThreePassElementCycles,
      kTunedRows,
  };
  return kAll;
}

}  // namespace wavesmith::model
