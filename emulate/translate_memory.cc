// Loads, stores and atomics: an address micro-operation of the mnemonic's space, then the row's access.
#include <fmt/format.h>

#include "emulate/emitter.h"

namespace wavesmith::emulate {
namespace {

using isa::Access;
using isa::Direction;
using isa::Instruction;
using isa::Operand;

bool is_off(const Operand& operand) {
  return operand.kind == Operand::Kind::Special && operand.name == "off";
}
bool is_null(const Operand& operand) {
  return operand.kind == Operand::Kind::Special && operand.name == "null";
}

/// Scope and coherence bits by which a program says that it looks at what others write.
bool may_wait(const Instruction& instruction) {
  for (const char* bit : {"glc", "slc", "sc0", "sc1", "dlc", "scope"})
    if (instruction.has(bit)) return true;
  return false;
}

uint32_t address_word(const Instruction& instruction, const Access& access) {
  uint32_t word = access.bytes;
  if (access.direction != Direction::Load) word |= AddressWord::kWrite;
  if (access.direction == Direction::Atomic) word |= AddressWord::kAtomic | AddressWord::kMayWait;
  if (may_wait(instruction)) word |= AddressWord::kMayWait;
  return word;
}

tl::unexpected<Error> unsupported(const Instruction& instruction) {
  return fail(ErrorKind::Unsupported, fmt::format("unsupported operands of '{}'", instruction.text));
}

/// The printed operands of a vector memory instruction by what they are.
struct Operands {
  const Operand* result = nullptr;
  const Operand* address = nullptr;
  const Operand* data = nullptr;
  const Operand* second = nullptr;
  const Operand* scalar = nullptr;
};

Result<void> emit_access(Emitter& emitter, const Instruction& instruction,
                         const Implementation& implementation, const Operands& operands) {
  Uop uop;
  uop.handler = implementation.handlers[emitter.wave32()][0];
  if (!uop.handler) return unsupported(instruction);
  if (operands.result) {
    const auto offset = emitter.register_offset(*operands.result);
    if (!offset) return tl::unexpected(offset.error());
    uop.d = *offset;
  }
  if (operands.data) {
    const auto offset = emitter.register_offset(*operands.data);
    if (!offset) return tl::unexpected(offset.error());
    uop.a = *offset;
  }
  const Access& access = implementation.row.access;
  if (access.direction == Direction::Atomic) {
    if (!operands.result) uop.d = emitter.temporary_rows(2);
    if (access.dwords * 4 > access.bytes) uop.b = uop.a + access.bytes / 4 * kRowBytes;
    if (operands.second) {
      const auto offset = emitter.register_offset(*operands.second);
      if (!offset) return tl::unexpected(offset.error());
      uop.b = *offset;
    }
  }
  emitter.emit(uop);
  return {};
}

/// global_, flat_ and scratch_: `vdst, vaddr, saddr`, `vaddr, vdata, saddr`, or both for an atomic that
/// returns.
Result<void> translate_flat(Emitter& emitter, const Instruction& instruction,
                            const Implementation& implementation) {
  const std::string& name = instruction.mnemonic;
  const Access& access = implementation.row.access;
  const auto& printed = instruction.operands;
  const bool flat = name.starts_with("flat_");
  Operands operands;
  size_t next = 0;
  const size_t expected = 2 + !flat;
  if (printed.size() < expected) return unsupported(instruction);
  const bool atomic = access.direction == Direction::Atomic;
  if (access.direction == Direction::Load || (atomic && printed.size() > expected))
    operands.result = &printed[next++];
  operands.address = &printed[next++];
  if (access.direction == Direction::Store || atomic) operands.data = &printed[next++];
  if (next < printed.size()) operands.scalar = &printed[next++];

  const uint32_t word = address_word(instruction, access);
  const auto offset = static_cast<uint64_t>(instruction.value("offset"));
  const bool scalar_off = !operands.scalar || is_off(*operands.scalar) || is_null(*operands.scalar);
  if (name.starts_with("scratch_")) {
    const auto scalar =
        scalar_off ? Result<uint32_t>(emitter.constant(0)) : emitter.register_offset(*operands.scalar);
    if (!scalar) return tl::unexpected(scalar.error());
    Result<uint32_t> vector = 0u;
    if (is_off(*operands.address)) {
      vector = emitter.temporary_rows();
      emitter.emit(Micro::Splat, *vector, emitter.constant(0));
    } else {
      vector = emitter.register_offset(*operands.address);
    }
    if (!vector) return tl::unexpected(vector.error());
    emitter.emit(Address::Scratch, word, *vector, *scalar).imm = offset;
  } else {
    const auto vector = emitter.register_offset(*operands.address);
    if (!vector) return tl::unexpected(vector.error());
    if (scalar_off) {
      emitter.emit(flat ? Address::Flat : Address::Vaddr, word, *vector, 0).imm = offset;
    } else {
      const auto scalar = emitter.register_offset(*operands.scalar);
      if (!scalar) return tl::unexpected(scalar.error());
      emitter.emit(Address::Saddr, word, *vector, *scalar).imm = offset;
    }
  }
  return emit_access(emitter, instruction, implementation, operands);
}

/// read2 and write2: two accesses of a half of the data each, at two offsets.
Result<void> translate_lds_pair(Emitter& emitter, const Instruction& instruction) {
  const std::string& name = instruction.mnemonic;
  const auto& printed = instruction.operands;
  const bool wide = name.ends_with("64"),
             far = name.find("st64") != std::string::npos || name.find("stride64") != std::string::npos;
  const bool read = name.starts_with("ds_read") || name.starts_with("ds_load");
  const bool exchange = name.find("xchg") != std::string::npos;
  const bool write = !read;
  if (printed.size() < (read ? 2u : exchange ? 4u : 3u) || instruction.has("gds"))
    return unsupported(instruction);
  const uint64_t unit = (wide ? 8 : 4) * (far ? 64u : 1u);
  uint64_t offsets[] = {static_cast<uint64_t>(instruction.value("offset0")) * unit,
                        static_cast<uint64_t>(instruction.value("offset1")) * unit};
  const auto result = emitter.register_offset(printed[0]);
  const auto address = emitter.register_offset(printed[write && !exchange ? 0 : 1]);
  if (!result) return tl::unexpected(result.error());
  if (!address) return tl::unexpected(address.error());
  const uint32_t half = (wide ? 2 : 1) * kRowBytes;
  const auto row_of = [&](std::string_view mnemonic) {
    return find_implementation(mnemonic, emitter.target());
  };
  if (read &&
      offsets[1] == offsets[0] + half / kRowBytes * 4) {  // side by side: one access of twice the width
    const Implementation* both = row_of(wide ? "ds_read_b128" : "ds_read_b64");
    emitter.emit(Address::Lds, both->row.access.bytes | AddressWord::kOwn, *address, 0).imm = offsets[0];
    emitter.emit(both->handlers[emitter.wave32()][0], *result);
    return {};
  }
  const Implementation* one = row_of(exchange ? (wide ? "ds_wrxchg_rtn_b64" : "ds_wrxchg_rtn_b32")
                                     : read   ? (wide ? "ds_read_b64" : "ds_read_b32")
                                              : (wide ? "ds_write_b64" : "ds_write_b32"));
  uint32_t data[2] = {};
  for (size_t i = 0; write && i < 2; ++i) {
    const auto row = emitter.register_offset(printed[i + (exchange ? 2 : 1)]);
    if (!row) return tl::unexpected(row.error());
    data[i] = *row;
  }
  // An exchange's first result may be the second one's operand, and a read's first half its own address.
  uint32_t source = *address;
  if ((read || exchange) && *address >= *result && *address < *result + half) {
    source = emitter.temporary_rows();
    emitter.emit(Micro::Negate, source, *address, 0, 0);
  }
  if (exchange) {
    const uint32_t kept = emitter.temporary_rows(2);
    for (uint32_t row = 0; row < half; row += kRowBytes)
      emitter.emit(Micro::Negate, kept + row, data[1] + row, 0, 0);
    data[1] = kept;
  }
  for (uint32_t i = 0; i < 2; ++i) {
    const uint32_t word = one->row.access.bytes | AddressWord::kOwn | (write ? AddressWord::kWrite : 0);
    emitter.emit(Address::Lds, word, source, 0).imm = offsets[i];
    emitter.emit(one->handlers[emitter.wave32()][0], write && !exchange ? 0 : *result + i * half, data[i]);
  }
  return {};
}

Result<void> translate_lds(Emitter& emitter, const Instruction& instruction,
                           const Implementation& implementation) {
  const Access& access = implementation.row.access;
  if (access.places == 2) return translate_lds_pair(emitter, instruction);
  const std::string& name = instruction.mnemonic;
  const auto& printed = instruction.operands;
  Operands operands;
  size_t next = 0;
  const bool atomic = access.direction == Direction::Atomic, two = access.dwords * 4 > access.bytes;
  const bool result =
      access.direction == Direction::Load || (atomic && name.find("_rtn_") != std::string::npos);
  if (printed.size() < 1u + result + (access.direction == Direction::Store || atomic) + (atomic && two) ||
      instruction.has("gds"))
    return unsupported(instruction);
  if (result) operands.result = &printed[next++];
  operands.address = &printed[next++];
  if (access.direction == Direction::Store || atomic) operands.data = &printed[next++];
  if (atomic && two) operands.second = &printed[next++];
  // The older compare and store has the comparand first.
  if (name.starts_with("ds_cmpst_")) std::swap(operands.data, operands.second);
  const auto vector = emitter.register_offset(*operands.address);
  if (!vector) return tl::unexpected(vector.error());
  uint32_t word = access.bytes | AddressWord::kOwn;
  if (access.direction != Direction::Load) word |= AddressWord::kWrite;
  emitter.emit(Address::Lds, word, *vector, 0).imm = static_cast<uint64_t>(instruction.value("offset"));
  return emit_access(emitter, instruction, implementation, operands);
}

/// `sdst, sbase, soffset|imm offset:imm`.
Result<void> translate_scalar_memory(Emitter& emitter, const Instruction& instruction,
                                     const Implementation& implementation) {
  const auto& printed = instruction.operands;
  if (printed.size() < 2 || instruction.mnemonic.starts_with("s_buffer") ||
      instruction.mnemonic.starts_with("s_scratch"))
    return unsupported(instruction);
  const auto data = emitter.register_offset(printed[0]);
  const auto base = emitter.register_offset(printed[1]);
  if (!data) return tl::unexpected(data.error());
  if (!base) return tl::unexpected(base.error());
  uint64_t immediate = static_cast<uint64_t>(instruction.value("offset"));
  uint32_t offset = emitter.constant(0);
  if (printed.size() > 2) {
    if (printed[2].kind == Operand::Kind::Integer) {
      immediate += static_cast<uint64_t>(printed[2].bits);
    } else {
      const auto scalar = emitter.scalar_source(printed[2], isa::Type::U32);
      if (!scalar) return tl::unexpected(scalar.error());
      offset = *scalar;
    }
  }
  const bool load = implementation.row.access.direction == Direction::Load;
  emitter
      .emit(implementation.handlers[emitter.wave32()][0], load ? *data : 0, *base, offset, load ? 0 : *data)
      .imm = immediate;
  return {};
}

}  // namespace

Result<void> translate_memory(Emitter& emitter, const Instruction& instruction,
                              const Implementation& implementation) {
  const std::string& name = instruction.mnemonic;
  if (name.starts_with("global_") || name.starts_with("flat_") || name.starts_with("scratch_"))
    return translate_flat(emitter, instruction, implementation);
  if (name.starts_with("ds_")) return translate_lds(emitter, instruction, implementation);
  if (name.starts_with("s_")) return translate_scalar_memory(emitter, instruction, implementation);
  return unsupported(instruction);
}

}  // namespace wavesmith::emulate
