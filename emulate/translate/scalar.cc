// Scalar instructions.
#include <fmt/format.h>

#include "emulate/translate/emitter.h"

namespace wavesmith::emulate {

using isa::Role;

Result<void> translate_scalar(Emitter& emitter, const isa::Instruction& instruction,
                              const Implementation& implementation) {
  const isa::Row& row = implementation.row;
  Uop uop;
  uint32_t* const results[] = {&uop.d, &uop.e, &uop.f};
  uint32_t* const sources[] = {&uop.a, &uop.b, &uop.c, &uop.f};
  size_t printed = 0, result = 0, source = 0;
  for (int i = 0; i < row.count; ++i) {
    const Role& role = row.roles[i];
    if (role.destination_too) continue;
    if (!role.printed) {
      if (role.use == Role::Use::Write) ++result;
      continue;
    }
    if (printed >= instruction.operands.size())
      return fail(ErrorKind::Internal, fmt::format("'{}' has fewer operands than its row", instruction.text));
    const isa::Operand& operand = instruction.operands[printed++];
    const auto offset = role.use == Role::Use::Write ? emitter.register_offset(operand)
                                                     : emitter.scalar_source(operand, role.type);
    if (!offset) return tl::unexpected(offset.error());
    (role.use == Role::Use::Write ? *results[result++] : *sources[source++]) = *offset;
  }
  uop.handler = implementation.handlers[emitter.wave32()][0];
  emitter.emit(uop);
  return {};
}

}  // namespace wavesmith::emulate
