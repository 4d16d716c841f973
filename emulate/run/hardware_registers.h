// The hardware registers that s_getreg and s_setreg name.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "emulate/run/wave.h"
#include "isa/target.h"

namespace wavesmith::emulate {

/// A register by meaning; its number differs between generations, which is why instructions print its name.
enum class HardwareRegister : uint32_t {
  Mode,
  Status,
  TrapStatus,
  HardwareId,
  HardwareId1,
  HardwareId2,
  GprAllocation,
  LdsAllocation,
  Waits,
  MemoryBases,
  FlatScratchLow,
  FlatScratchHigh,
  XnackMask,
  ComplexId,
  ShaderCycles,
  ShaderCyclesHigh,
  SchedulerMode,
  Zero,
};

/// The register of a printed name (HW_REG_MODE) or number; nothing for one that is not served.
std::optional<HardwareRegister> hardware_register(std::string_view name);

uint32_t read_register(Wave& wave, HardwareRegister which);
/// Writes the bits of `mask`; those that a wave may not write stay.
void write_register(Wave& wave, HardwareRegister which, uint32_t value, uint32_t mask);

/// Counts of the GPU's two clocks: the constant one of 100 MHz, and the shader's.
uint64_t realtime_clock(Wave& wave);
uint64_t shader_clock(Wave& wave);

}  // namespace wavesmith::emulate
