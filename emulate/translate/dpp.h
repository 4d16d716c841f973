// Data-parallel primitives: which lane each lane's first source comes from.
#pragma once

#include <array>
#include <cstdint>

#include "base/result.h"
#include "isa/instruction.h"

namespace wavesmith::emulate {

/// A DPP control, resolved for a wave size.
struct DppTable {
  alignas(64) std::array<uint32_t, 64> lane{};  ///< where lane l reads from
  std::array<int8_t, 4>
      pack{};                 ///< of each sixteen lanes: the sixteen that all of them read from; -1: several
  uint64_t inside = 0;        ///< lanes whose source exists
  uint64_t written = 0;       ///< lanes that row_mask and bank_mask leave enabled
  bool inactive_too = false;  ///< `fi`: sources in inactive lanes are read like others
  bool bound_ctrl = false;    ///< a lane without source reads 0 (otherwise it does not write)

  bool operator==(const DppTable&) const = default;
  /// Whether the instruction may have to run with fewer lanes.
  [[nodiscard]] bool narrows(int lanes) const {
    const uint64_t every = lanes == 64 ? ~uint64_t{0} : 0xffffffffu;
    return (written & every) != every || (!bound_ctrl && !(inactive_too && (inside & every) == every));
  }
};

/// Whether the instruction is in DPP encoding. Comparisons are printed without the suffix that says so.
bool is_dpp(const isa::Instruction& instruction);

/// The control of an instruction in DPP encoding; tables are shared and live as long as the program.
Result<const DppTable*> dpp_table(const isa::Instruction& instruction, int lanes);

/// Every lane reads lane `of_quad` (0 to 3) of its four, active or not.
const DppTable* quad_table(int of_quad);

}  // namespace wavesmith::emulate
