// Loads, stores and atomics: an address micro-operation of the mnemonic's space, then the row's access.
#include <fmt/format.h>

#include "emulate/run/control.h"
#include "emulate/translate/memory.h"
#include "emulate/translate/plain.h"
#include "isa/coherence.h"
#include "isa/effects.h"
#include "isa/mnemonic.h"

namespace wavesmith::emulate {
namespace {

using isa::Access;
using isa::Direction;
using isa::Instruction;
using isa::Operand;
using isa::Space;

/// Scope and coherence bits by which a program says that it looks at what others write.
bool may_wait(const Instruction& instruction) {
  for (const char* bit : {"glc", "slc", "sc0", "sc1", "dlc", "scope"})
    if (instruction.has(bit)) return true;
  return false;
}

}  // namespace

uint32_t address_word(const Instruction& instruction, const Access& access) {
  uint32_t word = access.bytes;
  if (access.direction != Direction::Load) word |= AddressWord::kWrite;
  if (access.direction == Direction::Atomic) word |= AddressWord::kAtomic | AddressWord::kMayWait;
  if (may_wait(instruction)) word |= AddressWord::kMayWait;
  return word;
}

void emit_fence(Emitter& emitter, const Instruction& instruction, const Access& access) {
  const bool needed = access.direction == Direction::Load
                          ? isa::reaches_other_workgroups(instruction)
                          : access.direction == Direction::Atomic && !control::kHostKeepsOrder;
  if (needed) emitter.emit(control::fence);
}

tl::unexpected<Error> unsupported_operands(const Instruction& instruction) {
  return fail(ErrorKind::Unsupported, fmt::format("unsupported operands of '{}'", instruction.text));
}

Result<void> emit_access(Emitter& emitter, const Instruction& instruction,
                         const Implementation& implementation, const MemoryOperands& operands) {
  Uop uop;
  const bool clears = implementation.row.access.merges && emitter.sram_ecc();
  uop.handler = implementation.handlers[emitter.wave32()][clears];
  if (!uop.handler) return unsupported_operands(instruction);
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

Result<void> emit_access_to_lds(Emitter& emitter, const Instruction& instruction,
                                const Implementation& implementation) {
  const Access& access = implementation.row.access;
  const uint32_t rows = emitter.temporary_rows(access.dwords);
  emitter.emit(implementation.handlers[emitter.wave32()][0], rows);
  const Implementation& to = access_of(Direction::Store, access.dwords * 4);
  const uint32_t word = access.dwords * 4u | AddressWord::kOwn | AddressWord::kWrite;
  emitter.emit(Address::ByLane, word, 0, 0, access.dwords * 4u).imm =
      static_cast<uint64_t>(instruction.value("offset"));
  emitter.emit(to.handlers[emitter.wave32()][0], 0, rows);
  return {};
}

namespace {

/// `vdata, saddr|off`: a dword for each lane from a scalar address.
Result<void> translate_by_lane(Emitter& emitter, const Instruction& instruction,
                               const Implementation& implementation) {
  const auto& printed = instruction.operands;
  if (printed.size() < 2) return unsupported_operands(instruction);
  const bool off = is_named(printed[1], "off") || is_named(printed[1], "null");
  const auto scalar = off ? Result<uint32_t>(emitter.constant(0)) : emitter.register_offset(printed[1]);
  if (!scalar) return tl::unexpected(scalar.error());
  const Access& access = implementation.row.access;
  emitter.emit(Address::SaddrByLane, address_word(instruction, access), 0, *scalar).imm =
      static_cast<uint64_t>(instruction.value("offset"));
  MemoryOperands operands;
  (access.direction == Direction::Load ? operands.result : operands.data) = &printed[0];
  return emit_access(emitter, instruction, implementation, operands);
}

/// Loaded into temporary rows, then lanes exchange.
Result<void> emit_transposed(Emitter& emitter, const Instruction& instruction,
                             const Implementation& implementation, const Operand& result) {
  const Access& access = implementation.row.access;
  const Implementation& load = access_of(Direction::Load, access.dwords * 4);
  const Handler exchange = implementation.handlers[emitter.wave32()][0];
  if (!exchange) return unsupported_operands(instruction);
  const auto to = emitter.register_offset(result);
  if (!to) return tl::unexpected(to.error());
  const uint32_t rows = emitter.temporary_rows(access.dwords);
  for (uint32_t i = 0; i < access.dwords; ++i)
    emitter.emit(Micro::Splat, rows + i * kRowBytes, emitter.constant(0));
  emitter.emit(load.handlers[emitter.wave32()][0], rows);
  emitter.emit(exchange, *to, rows);
  return {};
}

/// global_, flat_ and scratch_: `vdst, vaddr, saddr`, `vaddr, vdata, saddr`, or both for an atomic that
/// returns.
Result<void> translate_flat(Emitter& emitter, const Instruction& instruction,
                            const Implementation& implementation) {
  const Access& access = implementation.row.access;
  const auto& printed = instruction.operands;
  const Space space = isa::space_of(instruction.mnemonic);
  const bool flat = space == Space::Flat, scratch = space == Space::Scratch;
  if (implementation.row.facts.by_lane) return translate_by_lane(emitter, instruction, implementation);
  if (access.transposes != 0 && !implementation.handlers[emitter.wave32()][0])
    return fail(ErrorKind::Unsupported, fmt::format("'{}' in a wave64", instruction.text));
  MemoryOperands operands;
  size_t next = 0;
  const bool to_lds = access.direction == Direction::Load && isa::loads_to_lds(instruction);
  const size_t expected = 2 + !flat - to_lds;
  if (printed.size() < expected) return unsupported_operands(instruction);
  const bool atomic = access.direction == Direction::Atomic;
  if ((access.direction == Direction::Load && !to_lds) || (atomic && printed.size() > expected))
    operands.result = &printed[next++];
  operands.address = &printed[next++];
  if (access.direction == Direction::Store || atomic) operands.data = &printed[next++];
  if (next < printed.size()) operands.scalar = &printed[next++];

  if (!scratch) emit_fence(emitter, instruction, access);
  const uint32_t word = address_word(instruction, access);
  const auto offset = static_cast<uint64_t>(instruction.value("offset"));
  const bool scalar_off =
      !operands.scalar || is_named(*operands.scalar, "off") || is_named(*operands.scalar, "null");
  if (scratch) {
    const auto scalar =
        scalar_off ? Result<uint32_t>(emitter.constant(0)) : emitter.register_offset(*operands.scalar);
    if (!scalar) return tl::unexpected(scalar.error());
    Result<uint32_t> vector = 0u;
    if (is_named(*operands.address, "off")) {
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
  if (to_lds) return emit_access_to_lds(emitter, instruction, implementation);
  if (access.transposes != 0) return emit_transposed(emitter, instruction, implementation, *operands.result);
  return emit_access(emitter, instruction, implementation, operands);
}

/// `sdst, sbase, soffset|imm offset:imm`.
Result<void> translate_scalar_memory(Emitter& emitter, const Instruction& instruction,
                                     const Implementation& implementation) {
  const auto& printed = instruction.operands;
  const bool buffer = isa::is_scalar_buffer(instruction.mnemonic);
  if (printed.size() < 2) return unsupported_operands(instruction);
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
      .emit(implementation.handlers[emitter.wave32()][buffer], load ? *data : 0, *base, offset,
            load ? 0 : *data)
      .imm = immediate;
  return {};
}

}  // namespace

Result<void> translate_memory(Emitter& emitter, const Instruction& instruction,
                              const Implementation& implementation) {
  switch (isa::space_of(instruction.mnemonic)) {
    case Space::Global:
    case Space::Flat:
    case Space::Scratch:
      return translate_flat(emitter, instruction, implementation);
    case Space::Lds:
      return translate_lds(emitter, instruction, implementation);
    case Space::Buffer:
    case Space::Typed:
      return translate_buffer(emitter, instruction, implementation);
    case Space::Scalar:
      return translate_scalar_memory(emitter, instruction, implementation);
  }
  return unsupported_operands(instruction);
}

}  // namespace wavesmith::emulate
