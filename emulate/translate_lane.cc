// Vector instructions: operands and modifiers become rows, then the row's handler runs.
#include <fmt/format.h>

#include "emulate/emitter.h"

namespace wavesmith::emulate {
namespace {

using isa::Operand;
using isa::Role;
using isa::Type;

Result<uint32_t> modified_source(Emitter& emitter, const Operand& operand, Type type) {
  auto row = emitter.row_source(operand, type);
  if (!row || (!operand.negate && !operand.absolute)) return row;
  const uint32_t sign = type == Type::F16 || type == Type::BF16 ? 0x8000u : 0x80000000u;
  uint32_t source = *row;
  const bool wide = type == Type::F64;
  const uint32_t result = emitter.temporary_rows(wide ? 2 : 1);
  if (wide) {
    emitter.emit(Micro::ClearSign, result, source, 0, 0);
    source += kRowBytes;
  }
  const uint32_t high = wide ? result + kRowBytes : result;
  if (operand.absolute) emitter.emit(Micro::ClearSign, high, source, 0, sign), source = high;
  if (operand.negate) emitter.emit(Micro::Negate, high, source, 0, sign);
  return result;
}

}  // namespace

Result<void> translate_lane(Emitter& emitter, const isa::Instruction& instruction,
                            const Implementation& implementation) {
  if (instruction.encoding == isa::Encoding::Dpp || instruction.encoding == isa::Encoding::E64Dpp ||
      instruction.encoding == isa::Encoding::Sdwa || !instruction.modifiers.empty())
    return fail(ErrorKind::Unsupported, fmt::format("modifiers of '{}'", instruction.text));
  const isa::Row& row = implementation.row;
  Uop uop;
  uint32_t* const results[] = {&uop.d, &uop.e};
  uint32_t* const sources[] = {&uop.a, &uop.b, &uop.c, &uop.f};
  size_t printed = 0, result = 0, source = 0;
  bool scalar_first = false;
  for (int i = 0; i < row.count; ++i) {
    const Role& role = row.roles[i];
    if (role.destination_too) continue;
    if (role.printed && printed >= instruction.operands.size())
      return fail(ErrorKind::Internal, fmt::format("'{}' has fewer operands than its row", instruction.text));
    Result<uint32_t> offset = scalar_offset(scalar_index::kVcc);
    if (role.printed) {
      const Operand& operand = instruction.operands[printed++];
      if (role.use == Role::Use::Write)
        offset = emitter.register_offset(operand);
      else if (role.type == Type::LaneMask)
        offset = emitter.scalar_source(operand, Type::U64);
      else if (source == 0 && !is_row(operand) && !operand.negate && !operand.absolute) {
        offset = emitter.scalar_source(operand, role.type);
        scalar_first = true;
      } else {
        offset = modified_source(emitter, operand, role.type);
      }
    }
    if (!offset) return tl::unexpected(offset.error());
    (role.use == Role::Use::Write ? *results[result++] : *sources[source++]) = *offset;
  }
  uop.handler = implementation.handlers[emitter.wave32()][scalar_first];
  emitter.emit(uop);
  return {};
}

}  // namespace wavesmith::emulate
