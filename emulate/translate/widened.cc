#include "emulate/translate/widened.h"

#include <algorithm>

namespace wavesmith::emulate {

Widened::Lookup Widened::find(const MatrixPlan::Input& input, uint32_t offset) {
  const auto same = std::find_if(slots_.begin(), slots_.end(), [&](const Slot& slot) {
    return slot.used && slot.offset == offset && slot.input == input;
  });
  const auto oldest = std::min_element(slots_.begin(), slots_.end(),
                                       [](const Slot& a, const Slot& b) { return a.last < b.last; });
  const bool ready = same != slots_.end();
  Slot& slot = ready ? *same : *oldest;
  if (!ready) slot = Slot{true, 0, offset, input};
  slot.last = ++now_;
  return {static_cast<uint8_t>(&slot - slots_.data()), ready};
}

void Widened::written(uint32_t offset, uint32_t registers) {
  for (Slot& slot : slots_)
    if (slot.offset < offset + registers * kRowBytes &&
        offset < slot.offset + slot.input.registers * uint32_t{kRowBytes})
      slot = Slot{};
}

void Widened::passed(const isa::Instruction& instruction) {
  // Registers that are chosen at run time are not printed.
  if (instruction.mnemonic.find("movrel") != std::string::npos ||
      instruction.mnemonic.find("gpr_idx") != std::string::npos)
    return forget();
  for (const isa::Operand& operand : instruction.operands) {
    if (operand.kind == isa::Operand::Kind::Vgpr) written(vgpr_offset(operand.index), operand.count);
    if (operand.kind == isa::Operand::Kind::Agpr) written(agpr_offset(operand.index), operand.count);
  }
  for (const isa::Instruction& second : instruction.second) passed(second);
}

void Widened::forget() { slots_ = {}; }

}  // namespace wavesmith::emulate
