// What a wait instruction waits for.
#pragma once

#include <cstdint>

#include "isa/instruction.h"

namespace wavesmith::isa {

/// For each counter the most that may still be outstanding when the wave goes on. Generations have a part of
/// them: vm, lgkm, exp on CDNA; and vs on RDNA3; load, store, ds, km, exp, sample, bvh on RDNA4.
/// Sources: AMD's ISA manuals, S_WAITCNT and S_WAIT_*; LLVM, "AMDGPU operand syntax", waitcnt.
struct WaitCounters {
  static constexpr uint16_t kAny = 0xffff;
  uint16_t vm = kAny, lgkm = kAny, exp = kAny, vs = kAny;
  uint16_t load = kAny, store = kAny, ds = kAny, km = kAny, sample = kAny, bvh = kAny;

  bool operator==(const WaitCounters&) const = default;
  /// True when it waits for anything.
  [[nodiscard]] bool waits() const { return *this != WaitCounters{}; }
};

/// Of an instruction that does not wait for counters: all kAny.
WaitCounters wait_counters(const Instruction& instruction);

}  // namespace wavesmith::isa
