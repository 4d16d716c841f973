// One instruction that is not dual and does not change the flow of control: by its row, or as control; under
// the modes that may hold where it stands.
#include <fmt/format.h>

#include <algorithm>
#include <vector>

#include "emulate/run/host_mode.h"
#include "emulate/translate/emitter.h"

namespace wavesmith::emulate {
namespace {

/// An instruction that has a row, by its shape.
Result<void> translate_row(Emitter& emitter, const isa::Instruction& instruction,
                           const Implementation& implementation) {
  switch (implementation.row.shape) {
    case isa::Shape::Lane:
      return translate_lane(emitter, instruction, implementation);
    case isa::Shape::Packed:
      return translate_packed(emitter, instruction, implementation);
    case isa::Shape::Wave:
      return translate_wave(emitter, instruction, implementation);
    case isa::Shape::Scalar:
      return translate_scalar(emitter, instruction, implementation);
    case isa::Shape::Matrix:
      return translate_matrix(emitter, instruction, implementation);
    default:
      return translate_memory(emitter, instruction, implementation);
  }
}

}  // namespace

Result<void> translate_plain(Emitter& emitter, const isa::Instruction& instruction) {
  const Implementation* const implementation = find_implementation(instruction.mnemonic, emitter.target());
  if (!implementation) return translate_control(emitter, instruction);
  const auto mode =
      emitter.mode_varies() ? host_mode_of(implementation->row, instruction.mnemonic) : std::nullopt;
  if (!mode) return translate_row(emitter, instruction, *implementation);
  emitter.emit(control::follow_mode, mode->word());
  const auto done = translate_row(emitter, instruction, *implementation);
  emitter.emit(control::follow_mode, HostMode{}.word());
  return done;
}

/// M0's bits 12 to 15 name the first, second and third source, and the result (CDNA3 ISA, "VGPR indexing").
/// The instruction works on rows that stand for those registers.
Result<void> translate_indexed(Emitter& emitter, isa::Instruction instruction) {
  const Implementation* const implementation = find_implementation(instruction.mnemonic, emitter.target());
  size_t results = 1;
  if (implementation) {
    const isa::Row& row = implementation->row;
    results = static_cast<size_t>(std::count_if(row.roles, row.roles + row.count, [](const isa::Role& role) {
      return role.printed && role.use == isa::Role::Use::Write;
    }));
  }
  struct Copy {
    uint32_t stand_in, registers, bit, rows;
  };
  std::vector<Copy> copies;
  int used = 0;
  for (size_t i = 0; i < instruction.operands.size(); ++i) {
    isa::Operand& operand = instruction.operands[i];
    if (operand.kind != isa::Operand::Kind::Vgpr) continue;
    if (used + operand.count > kIndexedRows)
      return fail(ErrorKind::Unsupported, fmt::format("M0-relative registers of '{}'", instruction.text));
    const uint32_t stand_in = vgpr_offset(kFirstIndexed + used);
    const uint32_t bit = i < results ? 15 : 12 + static_cast<uint32_t>(i - results);
    if (bit <= 15) {
      copies.push_back({stand_in, vgpr_offset(operand.index), bit, operand.count});
      operand.index = static_cast<uint16_t>(kFirstIndexed + used);
      used += operand.count;
    }
  }
  for (const Copy& copy : copies)
    emitter.emit(control::load_indexed, copy.stand_in, copy.registers, copy.bit, copy.rows);
  if (const auto done = translate_plain(emitter, instruction); !done) return done;
  for (const Copy& copy : copies)
    if (copy.bit == 15)
      emitter.emit(control::store_indexed, copy.stand_in, copy.registers, copy.bit, copy.rows);
  return {};
}

}  // namespace wavesmith::emulate
