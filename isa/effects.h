// The registers that an instruction reads and writes, with those that are not printed.
//
// Writes to VGPRs happen in the lanes of EXEC only, so they leave the rest of the register as it was; whoever
// follows values has to know (Effects::masked). Where hardware keeps other parts of a register that is
// written (half of it, a DPP row, a single lane), the register counts as read as well.
#pragma once

#include <cstdint>
#include <vector>

#include "isa/instruction.h"
#include "isa/row.h"
#include "isa/target.h"

namespace wavesmith::isa {

/// Numbers of registers: VGPRs, AGPRs, then scalar registers as instructions encode them.
namespace reg {
inline constexpr uint16_t kVgpr = 0, kAgpr = 256, kSgpr = 512;
inline constexpr uint16_t kVcc = kSgpr + 106, kTtmp = kSgpr + 108, kM0 = kSgpr + 124, kExec = kSgpr + 126,
                          kScc = kSgpr + 128, kCount = kSgpr + 129;
/// SGPRs that a kernel is charged for: s0 to s105, and VCC.
inline constexpr uint16_t kSgprEnd = kSgpr + 108;
}  // namespace reg

/// `count` registers from `first` on.
struct RegisterRange {
  uint16_t first = 0, count = 0;
  [[nodiscard]] bool has(uint16_t r) const { return r >= first && r < first + count; }
  [[nodiscard]] bool overlaps(RegisterRange other) const {
    return first < other.first + other.count && other.first < first + count;
  }
  friend bool operator==(const RegisterRange&, const RegisterRange&) = default;
};

struct Effects {
  std::vector<RegisterRange> reads, writes;
  bool masked = false;     ///< VGPRs are written in the lanes of EXEC only
  bool all_lanes = false;  ///< VGPRs are read in lanes that EXEC has not
  bool unknown = false;    ///< registers that depend on M0, or an instruction that is not known

  [[nodiscard]] bool reads_register(uint16_t r) const;
  [[nodiscard]] bool writes_register(uint16_t r) const;
};

/// The registers that an operand names; count 0 for one that names none.
RegisterRange registers_of(const Operand& operand, int wave_lanes);

/// `row` is the instruction's; nullptr for control, and for a dual instruction.
Effects effects_of(const Instruction& instruction, const Row* row, const Target& target, int wave_lanes);

/// A half of a dual-issue (VOPD) instruction as the instruction that it stands for: v_dual_add_f32 is
/// v_add_f32.
Instruction single_of(const Instruction& half, int wave_lanes);

/// The operands of a memory instruction by what they are; nullptr for what there is none of.
struct MemoryOperands {
  const Operand* result = nullptr;
  const Operand* address = nullptr;  ///< a VGPR; nullptr where it is "off"
  const Operand* data = nullptr;
  const Operand* second = nullptr;    ///< of a compare and swap, or of write2
  const Operand* scalar = nullptr;    ///< base or offset in SGPRs
  const Operand* resource = nullptr;  ///< of buffers
};
MemoryOperands memory_operands(const Instruction& instruction, const Row& row);

/// What a memory instruction addresses, by its mnemonic.
Space space_of(std::string_view mnemonic);
/// Whether a load's data goes to LDS instead of registers.
bool loads_to_lds(const Instruction& instruction);

}  // namespace wavesmith::isa
