// What the wait checker knows of an instruction.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "check/register_words.h"
#include "check/wait/counters.h"
#include "emulate/run/events.h"
#include "isa/effects.h"

namespace wavesmith::check::wait {

/// How often a wait was executed, and whether it ever waited.
struct Tally {
  std::atomic<uint64_t> executed{0};  ///< before it was needed
  std::atomic<bool> needed{false};
  std::atomic<bool> listed{false};
};

struct SiteFacts {
  RegisterWords touched = {};  ///< read or written
  bool relative = false;       ///< registers that M0 chooses
  bool vector = false;         ///< of the VALU: where index mode holds
  bool plain = false;          ///< nothing but registers: neither waits nor raises nor meets others
  const emulate::Site* site = nullptr;
  /// What a load keeps of its result is not among what is read: the load writes around it.
  isa::Effects effects = {};
  isa::RegisterRange result = {};                       ///< arrives later
  isa::RegisterRange locked = {};                       ///< read later
  isa::Operand::Half half = isa::Operand::Half::Whole;  ///< of a VGPR that it loads or stores
  std::vector<Raise> raises = {};
  Limits limits = {};
  std::unique_ptr<Tally> tally = {};  ///< of one that waits
  bool flat = false;                  ///< the counters to wait for follow from the addresses
  bool to_lds = false;                ///< loads to LDS instead of registers
  bool lds = false;                   ///< may access LDS
  bool index_on = false, index_off = false;
};
SiteFacts facts_of(const emulate::Site& site, const isa::Target& target, int wave_lanes);

/// Whether an instruction may use that half of a VGPR that it names.
bool uses_half(const SiteFacts& facts, uint16_t vgpr, isa::Operand::Half half);

/// The registers that an instruction with `relative`, or a vector one in index mode, reads and writes.
isa::Effects relative_effects(const SiteFacts& facts, uint32_t m0);

/// "v2", "s[4:7]", "vcc".
std::string name_of(isa::RegisterRange range);

}  // namespace wavesmith::check::wait
