// Dual-issue (VOPD) instructions: two operations that read their sources before either writes its result.
#include <fmt/format.h>

#include <algorithm>

#include "emulate/translate/emitter.h"
#include "isa/effects.h"

namespace wavesmith::emulate {
namespace {

using isa::Operand;

bool reads(const isa::Instruction& instruction, uint16_t vgpr) {
  return std::any_of(
      instruction.operands.begin() + 1, instruction.operands.end(),
      [&](const Operand& operand) { return operand.kind == Operand::Kind::Vgpr && operand.index == vgpr; });
}

}  // namespace

Result<void> translate_dual(Emitter& emitter, const isa::Instruction& instruction) {
  isa::Instruction first = isa::single_of(instruction, emitter.lanes());
  const isa::Instruction second = isa::single_of(instruction.second.front(), emitter.lanes());
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
