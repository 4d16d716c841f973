// Buffer instructions: `vdata, vaddr|off, srsrc, soffset`, without vdata when the data goes to LDS.
#include <fmt/format.h>

#include "emulate/translate_memory.h"

namespace wavesmith::emulate {

using isa::Direction;

Result<void> translate_buffer(Emitter& emitter, const isa::Instruction& instruction,
                              const Implementation& implementation) {
  const isa::Access& access = implementation.row.access;
  const auto& printed = instruction.operands;
  const bool to_lds = instruction.has("lds");
  if (printed.size() != (to_lds ? 3u : 4u) || instruction.has("tfe") || instruction.has("addr64") ||
      (to_lds && access.direction != Direction::Load))
    return unsupported_operands(instruction);
  const size_t first = to_lds ? 0 : 1;
  MemoryOperands operands;
  const bool returns = instruction.has("glc") || instruction.has("sc0") || [&] {
    const isa::Modifier* hint = instruction.find("th");
    return hint && hint->text.find("RETURN") != std::string::npos;
  }();
  if (!to_lds) {
    if (access.direction == Direction::Load || (access.direction == Direction::Atomic && returns))
      operands.result = &printed[0];
    if (access.direction != Direction::Load) operands.data = &printed[0];
  }
  const bool offset = instruction.has("offen"), index = instruction.has("idxen");
  Uop uop;
  uop.d = address_word(instruction, access);
  if (offset || index) {
    const auto vector = emitter.register_offset(printed[first]);
    if (!vector) return tl::unexpected(vector.error());
    uop.a = *vector + (offset && index ? kRowBytes : 0);
    uop.e = *vector;
  }
  const auto resource = emitter.register_offset(printed[first + 1]);
  if (!resource) return tl::unexpected(resource.error());
  uop.b = *resource;
  const auto scalar = emitter.scalar_source(printed[first + 2], isa::Type::U32);
  if (!scalar) return tl::unexpected(scalar.error());
  uop.c = *scalar;
  uop.f = (static_cast<uint32_t>(instruction.value("offset")) & BufferWord::kImmediate) |
          (offset ? BufferWord::kOffset : 0) | (index ? BufferWord::kIndex : 0) |
          (emitter.target().selects_buffer_bounds() ? BufferWord::kNewer : 0);
  uop.handler = engine().address[static_cast<size_t>(Address::Buffer)][emitter.wave32()];
  emitter.emit(uop);
  if (to_lds) return emit_access_to_lds(emitter, instruction, implementation);
  return emit_access(emitter, instruction, implementation, operands);
}

}  // namespace wavesmith::emulate
