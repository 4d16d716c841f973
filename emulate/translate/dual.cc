// Dual-issue (VOPD) instructions: two operations that read their sources before either writes its result.
#include <fmt/format.h>

#include <algorithm>

#include "emulate/translate/emitter.h"

namespace wavesmith::emulate {
namespace {

using isa::Operand;

/// The instruction that a half stands for: v_dual_add_f32 is v_add_f32.
isa::Instruction half(const isa::Instruction& dual, int lanes) {
  isa::Instruction single = dual;
  single.second.clear();
  single.mnemonic = "v_" + dual.mnemonic.substr(sizeof("v_dual_") - 1);
  // Its VCC is not printed.
  if (single.mnemonic == "v_cndmask_b32" && single.operands.size() == 3)
    single.operands.push_back({.kind = Operand::Kind::Special, .name = lanes == 32 ? "vcc_lo" : "vcc"});
  return single;
}

bool reads(const isa::Instruction& instruction, uint16_t vgpr) {
  return std::any_of(
      instruction.operands.begin() + 1, instruction.operands.end(),
      [&](const Operand& operand) { return operand.kind == Operand::Kind::Vgpr && operand.index == vgpr; });
}

}  // namespace

Result<void> translate_dual(Emitter& emitter, const isa::Instruction& instruction) {
  isa::Instruction first = half(instruction, emitter.lanes());
  const isa::Instruction second = half(instruction.second.front(), emitter.lanes());
  if (first.operands.empty() || second.operands.empty() || !is_row(first.operands[0]))
    return fail(ErrorKind::Unsupported, fmt::format("unsupported instruction '{}'", instruction.text));
  const uint16_t result = first.operands[0].index;
  const bool late = reads(second, result);
  const uint32_t stand_in = vgpr_offset(kFirstIndexed);
  if (late) {
    emitter.emit(Micro::CopyRow, stand_in, vgpr_offset(result));
    first.operands[0].index = kFirstIndexed;
  }
  if (const auto done = translate_plain(emitter, first); !done) return done;
  emitter.begin();
  if (const auto done = translate_plain(emitter, second); !done) return done;
  if (late) emitter.emit(Micro::CopyRow, vgpr_offset(result), stand_in);
  return {};
}

}  // namespace wavesmith::emulate
