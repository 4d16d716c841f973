// Buffer instructions: `vdata, vaddr|off, srsrc, soffset`, without vdata when the data goes to LDS.
#include <fmt/format.h>

#include <algorithm>

#include "emulate/translate/memory.h"
#include "emulate/translate/plain.h"
#include "isa/effects.h"
#include "isa/memory/format.h"

namespace wavesmith::emulate {

using isa::Direction;

namespace {

/// The FormatCode that a tbuffer instruction names: `format:[BUF_DATA_FORMAT_8_8,BUF_NUM_FORMAT_UINT]`,
/// `format:[BUF_FMT_8_8_UINT]`, or a number. What is not printed is 8 and UNORM.
Result<uint32_t> format_code(const isa::Instruction& instruction, bool unified) {
  uint32_t data = 1, number = 0;
  const isa::Modifier* const format = instruction.find("format");
  if (!format) return unified ? isa::FormatCode::kUnified | 1 : data;
  if (!format->values.empty()) {
    const auto code = static_cast<uint32_t>(format->values[0]);
    return unified ? isa::FormatCode::kUnified | (code < 64 ? code : 0) : code & 0x7f;
  }
  const auto place = [](const auto& names, std::string_view name) {
    return static_cast<size_t>(std::find(names.begin(), names.end(), name) - names.begin());
  };
  size_t at = instruction.text.find("format:[");
  std::string_view names = instruction.text;
  names = names.substr(at == std::string_view::npos ? names.size() : at + 8);
  names = names.substr(0, names.find(']'));
  while (!names.empty()) {
    const size_t comma = names.find(',');
    std::string_view name = names.substr(0, comma);
    names = comma == std::string_view::npos ? std::string_view{} : names.substr(comma + 1);
    size_t found = 0, count = 0;
    if (name.starts_with("BUF_FMT_") && unified) {
      found = place(isa::formats::kUnified, name.substr(8)), count = isa::formats::kUnified.size();
      if (found < count) return isa::FormatCode::kUnified | static_cast<uint32_t>(found);
    } else if (name.starts_with("BUF_DATA_FORMAT_")) {
      found = place(isa::formats::kData, name.substr(16)), count = isa::formats::kData.size();
      data = static_cast<uint32_t>(found);
    } else if (name.starts_with("BUF_NUM_FORMAT_")) {
      found = place(isa::formats::kNumber, name.substr(15)), count = isa::formats::kNumber.size();
      number = static_cast<uint32_t>(found);
    }
    if (found >= count) return fail(ErrorKind::Unsupported, fmt::format("format of '{}'", instruction.text));
  }
  return data | number << 4;
}

}  // namespace

Result<void> translate_buffer(Emitter& emitter, const isa::Instruction& instruction,
                              const Implementation& implementation) {
  const isa::Access& access = implementation.row.access;
  const auto& printed = instruction.operands;
  const bool to_lds = instruction.has("lds");
  if (printed.size() != (to_lds ? 3u : 4u) || instruction.has("addr64") ||
      (instruction.has("tfe") && (to_lds || access.direction != Direction::Load)) ||
      (to_lds && access.direction != Direction::Load))
    return unsupported_operands(instruction);
  const size_t first = to_lds ? 0 : 1;
  MemoryOperands operands;
  if (!to_lds) {
    if (access.direction == Direction::Load ||
        (access.direction == Direction::Atomic && instruction.returns_old_value()))
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
  if (isa::space_of(instruction.mnemonic) == isa::Space::Typed) {
    const auto code = format_code(instruction, emitter.target().has_unified_formats());
    if (!code) return tl::unexpected(code.error());
    uop.d |= AddressWord::kTyped | *code << AddressWord::kFormatAt;
  }
  const Address kind = access.formatted ? Address::FormattedBuffer : Address::Buffer;
  uop.handler = engine().address[static_cast<size_t>(kind)][emitter.wave32()];
  emit_fence(emitter, instruction, access);
  emitter.emit(uop);
  if (to_lds) return emit_access_to_lds(emitter, instruction, implementation);
  if (auto done = emit_access(emitter, instruction, implementation, operands); !done) return done;
  if (instruction.has("tfe")) {
    // One register more says which accesses failed: none do.
    const auto result = emitter.register_offset(printed[0]);
    if (!result) return unsupported_operands(instruction);
    const uint32_t zero = emitter.temporary_rows();
    emitter.emit(Micro::Splat, zero, emitter.constant(0));
    const Implementation& copy = copy_of(isa::Shape::Lane, isa::Type::U32);
    emitter.emit(copy.handlers[emitter.wave32()][0], *result + access.dwords * kRowBytes, zero);
  }
  return {};
}

}  // namespace wavesmith::emulate
