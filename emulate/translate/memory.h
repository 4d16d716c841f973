// What the translators of memory instructions share.
#pragma once

#include "emulate/translate/emitter.h"

namespace wavesmith::emulate {

/// The printed operands of a vector memory instruction by what they are.
struct MemoryOperands {
  const isa::Operand* result = nullptr;
  const isa::Operand* address = nullptr;
  const isa::Operand* data = nullptr;
  const isa::Operand* second = nullptr;
  const isa::Operand* scalar = nullptr;
};

inline bool is_named(const isa::Operand& operand, std::string_view name) {
  return operand.kind == isa::Operand::Kind::Special && operand.name == name;
}

/// The AddressWord of an instruction's address micro-operation.
uint32_t address_word(const isa::Instruction& instruction, const isa::Access& access);

tl::unexpected<Error> unsupported_operands(const isa::Instruction& instruction);

/// What goes before an access that is coherent with other workgroups: what the wave has written is there for
/// them before it loads. Atomics are as strong by themselves on x86-64.
void emit_fence(Emitter& emitter, const isa::Instruction& instruction, const isa::Access& access);

/// The access that follows the address micro-operation.
Result<void> emit_access(Emitter& emitter, const isa::Instruction& instruction,
                         const Implementation& implementation, const MemoryOperands& operands);

/// A load whose data goes straight to LDS, at M0 + offset + lane * size: through temporary rows.
Result<void> emit_access_to_lds(Emitter& emitter, const isa::Instruction& instruction,
                                const Implementation& implementation);

Result<void> translate_buffer(Emitter& emitter, const isa::Instruction& instruction,
                              const Implementation& implementation);
Result<void> translate_lds(Emitter& emitter, const isa::Instruction& instruction,
                           const Implementation& implementation);

}  // namespace wavesmith::emulate
