// LDS instructions.
#include <fmt/format.h>

#include "emulate/translate/memory.h"
#include "emulate/translate/plain.h"

namespace wavesmith::emulate {

using isa::Access;
using isa::Direction;
using isa::Instruction;
using isa::LdsLane;

namespace {

/// read2 and write2: two accesses of a half of the data each, at two offsets.
Result<void> translate_lds_pair(Emitter& emitter, const Instruction& instruction, const Access& access) {
  const auto& printed = instruction.operands;
  const bool wide = access.bytes == 8;
  const bool read = access.direction == Direction::Load, exchange = access.direction == Direction::Atomic;
  const bool write = !read;
  if (printed.size() < (read ? 2u : exchange ? 4u : 3u) || instruction.has("gds"))
    return unsupported_operands(instruction);
  const uint64_t unit = (wide ? 8 : 4) * (access.far ? 64u : 1u);
  uint64_t offsets[] = {static_cast<uint64_t>(instruction.value("offset0")) * unit,
                        static_cast<uint64_t>(instruction.value("offset1")) * unit};
  const auto result = emitter.register_offset(printed[0]);
  const auto address = emitter.register_offset(printed[write && !exchange ? 0 : 1]);
  if (!result) return tl::unexpected(result.error());
  if (!address) return tl::unexpected(address.error());
  const uint32_t half = (wide ? 2 : 1) * kRowBytes;
  if (read &&
      offsets[1] == offsets[0] + half / kRowBytes * 4) {  // side by side: one access of twice the width
    const Implementation& both = access_of(Direction::Load, 2 * access.bytes);
    emitter.emit(Address::Lds, both.row.access.bytes | AddressWord::kOwn, *address, 0).imm = offsets[0];
    emitter.emit(both.handlers[emitter.wave32()][0], *result);
    return {};
  }
  const Implementation& one = access_of(access.direction, access.bytes);
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
    const uint32_t word = one.row.access.bytes | AddressWord::kOwn | (write ? AddressWord::kWrite : 0);
    emitter.emit(Address::Lds, word, source, 0).imm = offsets[i];
    emitter.emit(one.handlers[emitter.wave32()][0], write && !exchange ? 0 : *result + i * half, data[i]);
  }
  return {};
}

/// The 16-bit offset of ds_swizzle_b32 from its printed macro. Source: LLVM, "AMDGPU operand syntax",
/// swizzle.
Result<uint64_t> swizzle_offset(const Instruction& instruction) {
  const isa::Modifier* const macro = instruction.find("offset:swizzle");
  if (!macro) return static_cast<uint64_t>(instruction.value("offset"));
  const std::vector<int64_t>& values = macro->values;
  const std::string& text = macro->text;
  const auto value = [&](size_t i) { return i < values.size() ? static_cast<uint64_t>(values[i]) : 0; };
  const auto bitmask = [](uint64_t keep, uint64_t set, uint64_t flip) {
    return keep | set << 5 | flip << 10;
  };
  if (const size_t quote = text.find('"'); quote != std::string::npos && text.size() >= quote + 6) {
    uint64_t keep = 0, set = 0, flip = 0;
    for (size_t i = 0; i < 5; ++i) {
      const char bit = text[quote + 1 + i];
      const uint64_t place = uint64_t{1} << (4 - i);
      if (bit == 'p' || bit == 'i') keep |= place;
      if (bit == '1') set |= place;
      if (bit == 'i') flip |= place;
    }
    return bitmask(keep, set, flip);
  }
  if (text.starts_with("QUAD_PERM")) return 0x8000 | value(0) | value(1) << 2 | value(2) << 4 | value(3) << 6;
  if (text.starts_with("SWAP")) return bitmask(31, 0, value(0));
  if (text.starts_with("REVERSE")) return bitmask(31, 0, value(0) - 1);
  if (text.starts_with("BROADCAST")) return bitmask(32 - value(0), value(1), 0);
  if (text.starts_with("ROTATE")) return 0xc000 | value(0) << 10 | value(1) << 5;
  if (text.starts_with("FFT")) return 0xe000 | value(0);
  return unsupported_operands(instruction);
}

/// Instructions between lanes: `vdst, vaddr[, vdata]`, or `vdst` alone.
Result<void> translate_lds_lane(Emitter& emitter, const Instruction& instruction,
                                const Implementation& implementation) {
  const LdsLane lane = implementation.row.access.lane;
  const auto& printed = instruction.operands;
  Uop uop;
  uop.handler = implementation.handlers[emitter.wave32()][0];
  uint32_t* const places[] = {&uop.d, &uop.a, &uop.b};
  for (size_t i = 0; i < printed.size() && i < 3; ++i) {
    const auto offset = emitter.register_offset(printed[i]);
    if (!offset) return tl::unexpected(offset.error());
    *places[i] = *offset;
  }
  if (lane == LdsLane::Permute || lane == LdsLane::BackPermute || lane == LdsLane::BackPermuteInvalid) {
    // RDNA3 permutes within half a wave. Sources: RDNA3 ISA manual, DS_BPERMUTE_B32; LLVM,
    // supportsWaveWideBPermute.
    uop.c = emitter.wave32() || !emitter.target().permutes_whole_wave() ? 32 : 64;
  }
  uop.imm = static_cast<uint64_t>(instruction.value("offset"));
  if (lane == LdsLane::Swizzle) {
    const auto offset = swizzle_offset(instruction);
    if (!offset) return tl::unexpected(offset.error());
    uop.imm = *offset;
  }
  emitter.emit(uop);
  return {};
}

}  // namespace

Result<void> translate_lds(Emitter& emitter, const Instruction& instruction,
                           const Implementation& implementation) {
  const Access& access = implementation.row.access;
  if (access.places == 2) return translate_lds_pair(emitter, instruction, access);
  if (instruction.has("gds")) return unsupported_operands(instruction);
  if (access.direction == Direction::None) return translate_lds_lane(emitter, instruction, implementation);
  const auto& printed = instruction.operands;
  MemoryOperands operands;
  if (implementation.row.facts.by_lane) {
    if (printed.empty()) return unsupported_operands(instruction);
    (access.direction == Direction::Load ? operands.result : operands.data) = &printed[0];
    emitter.emit(Address::ByLane, 4 | AddressWord::kOwn, 0, 0, 4).imm =
        static_cast<uint64_t>(instruction.value("offset"));
    return emit_access(emitter, instruction, implementation, operands);
  }
  size_t next = 0;
  const bool atomic = access.direction == Direction::Atomic, two = access.dwords * 4 > access.bytes;
  const bool result = access.direction == Direction::Load || (atomic && instruction.returns_old_value());
  if (printed.size() < 1u + result + (access.direction == Direction::Store || atomic) + (atomic && two) ||
      instruction.has("gds"))
    return unsupported_operands(instruction);
  if (result) operands.result = &printed[next++];
  operands.address = &printed[next++];
  if (access.direction == Direction::Store || atomic) operands.data = &printed[next++];
  if (atomic && two) operands.second = &printed[next++];
  if (implementation.row.facts.comparand_first) std::swap(operands.data, operands.second);
  const auto vector = emitter.register_offset(*operands.address);
  if (!vector) return tl::unexpected(vector.error());
  uint32_t word = access.bytes | AddressWord::kOwn;
  if (access.direction != Direction::Load) word |= AddressWord::kWrite;
  emitter.emit(Address::Lds, word, *vector, 0).imm = static_cast<uint64_t>(instruction.value("offset"));
  return emit_access(emitter, instruction, implementation, operands);
}

}  // namespace wavesmith::emulate
