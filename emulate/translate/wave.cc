// Instructions across lanes (isa/wave.h).
#include <fmt/format.h>

#include "emulate/engine/packed_flags.h"
#include "emulate/translate/emitter.h"

namespace wavesmith::emulate {

using isa::Role;
using isa::Type;

Result<void> translate_wave(Emitter& emitter, const isa::Instruction& instruction,
                            const Implementation& implementation) {
  const isa::Row& row = implementation.row;
  Uop uop;
  uint32_t* const results[] = {&uop.d, &uop.a};
  uint32_t* const sources[] = {&uop.a, &uop.b, &uop.c};
  size_t printed = 0, result = 0, source = 0;
  uint32_t options = 0;  // of V_PERMLANE*: 1 fetches inactive lanes, 2 gives 0 for them
  for (int i = 0; i < row.count; ++i) {
    const Role& role = row.roles[i];
    if (!role.printed) continue;
    if (printed >= instruction.operands.size())
      return fail(ErrorKind::Internal, fmt::format("'{}' has fewer operands than its row", instruction.text));
    const isa::Operand& operand = instruction.operands[printed++];
    const auto offset = role.use == Role::Use::Write && role.type == Type::Row ? emitter.row_register(operand)
                        : role.use == Role::Use::Write ? emitter.register_offset(operand)
                        : role.type == Type::Row       ? emitter.row_source(operand, Type::U32)
                                                       : emitter.scalar_source(operand, role.type);
    if (!offset) return tl::unexpected(offset.error());
    options |= (operand.negate ? kScalarNegate : 0) | (operand.absolute ? kScalarAbsolute : 0);
    if (operand.half == isa::Operand::Half::High) options |= 1u << (printed - 1);  // V_SWAP_B16
    *(role.use == Role::Use::Write ? results[result++] : sources[source++]) = *offset;
  }
  for (const isa::Modifier& modifier : instruction.modifiers) {
    if (modifier.name == "op_sel") {
      options |= instruction.value("op_sel", 0, 0) != 0 ? 1 : 0;
      options |= instruction.value("op_sel", 0, 1) != 0 ? 2 : 0;
    } else if (modifier.name == "fi") {
      options |= instruction.value("fi") != 0 ? 1 : 0;
    } else if (modifier.name == "bound_ctrl") {
      options |= instruction.value("bound_ctrl") != 0 ? 2 : 0;
    } else if (modifier.name == "clamp") {
      options |= kScalarClamp;
    } else if (modifier.name == "mul") {
      options |= instruction.value("mul") == 2 ? kScalarTwice : kScalarFourfold;
    } else if (modifier.name == "div") {
      options |= kScalarHalf;
    } else {
      return fail(ErrorKind::Unsupported, fmt::format("unsupported modifier of '{}'", instruction.text));
    }
  }
  uop.handler = implementation.handlers[0][0];
  uop.e = options;
  emitter.emit(uop);
  return {};
}

}  // namespace wavesmith::emulate
