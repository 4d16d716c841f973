// How LDS serves a wave: in phases. A phase takes some of the lanes, whose dwords go to different banks in
// one cycle; dwords of one bank that differ take a cycle each. Which lanes make a phase depends on the width
// of the access and on the generation, so one swizzle does not suit all widths. A GPU's file says it as text:
// "32 banks, 16 lanes" takes 16 lanes in order per phase; "32 banks, lanes 0-3+20-23 4-7+16-19 ..." names the
// lanes of each phase among the first 32, and those above follow in the same way.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "gpus/gpu.h"

namespace wavesmith::gpus {

enum class LdsAccess : uint8_t {
  Read,
  Write,
  Atomic,
  Load,  ///< what a load from memory to LDS writes there
};
inline constexpr int kLdsAccesses = 4;

/// The phases of one kind of access.
struct LdsPhases {
  uint32_t banks = 32;           ///< each a dword wide
  std::vector<uint64_t> phases;  ///< the lanes of each, in order
  Source source;
};

/// The phases for a wave of `wave_lanes` lanes that access `bytes` bytes each (1 to 16).
const LdsPhases& lds_phases(const Gpu& gpu, LdsAccess access, uint32_t bytes, uint32_t wave_lanes);

/// Whether the text of every width can be read and puts each lane into one phase.
Result<void> check_lds_phases(const Gpu& gpu);

struct LdsCycles {
  uint32_t cycles = 0;     ///< that LDS is taken
  uint32_t conflicts = 0;  ///< of these, those beyond one a phase that has lanes
};

/// The cost of an access. `addresses` holds an offset in LDS for each lane of the wave, valid where `lanes`
/// has a bit. Lanes that read or write the same dword do not conflict; atomics on one dword go one after
/// another.
LdsCycles lds_cycles(const Gpu& gpu, LdsAccess access, uint32_t bytes, uint32_t wave_lanes,
                     std::span<const uint32_t> addresses, uint64_t lanes);
/// The same for known phases, which is faster.
LdsCycles lds_cycles(const LdsPhases& phases, LdsAccess access, uint32_t bytes,
                     std::span<const uint32_t> addresses, uint64_t lanes);

}  // namespace wavesmith::gpus
