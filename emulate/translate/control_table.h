// Instructions that are translated one by one instead of from a family's row: control, messages, hardware
// registers.
#pragma once

#include <span>
#include <string_view>

#include "base/result.h"
#include "isa/instruction.h"
#include "isa/row.h"
#include "isa/target.h"

namespace wavesmith::emulate {

class Emitter;

struct ControlEntry {
  std::string_view mnemonics;  ///< in all generations, separated by spaces
  /// Emits the instruction; nullptr for what changes the flow of control, which Program translates.
  Result<void> (*translate)(Emitter&, const isa::Instruction&);
  isa::Generations generations = isa::kEvery;
  isa::Fidelity fidelity = isa::Fidelity::Exact;
  std::string_view note = {};  ///< of one that is not exact: how it differs
};

std::span<const ControlEntry> control_entries();

/// The entry of a mnemonic; nullptr when there is none.
const ControlEntry* find_control(std::string_view mnemonic, const isa::Target& target);

}  // namespace wavesmith::emulate
