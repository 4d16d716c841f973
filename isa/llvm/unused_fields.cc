#include "isa/llvm/unused_fields.h"

#include <cstring>

namespace wavesmith::isa {
namespace {

struct Field {
  uint32_t encoding;  ///< bits 31-26 of the instruction
  int low;            ///< the field's lowest bit; eight bits that name a VGPR
};

// AMD, "RDNA3 Instruction Set Architecture", sections "DS" (the same in CDNA) and "VOPD".
constexpr uint32_t kDs = 0b110110, kVopd = 0b110010;
constexpr Field kFields[] = {
    {kDs, 56},    // VDST, of operations that return nothing
    {kVopd, 9},   // VSRCX1, of operations with one source
    {kVopd, 41},  // VSRCY1
};

/// A register that every operation with the field takes: tuples must be aligned on CDNA.
constexpr uint64_t kRegister = 4;

uint64_t word(std::span<const uint8_t> bytes) {
  uint64_t value;
  std::memcpy(&value, bytes.data(), sizeof value);
  return value;
}
void set_word(std::span<uint8_t> bytes, uint64_t value) { std::memcpy(bytes.data(), &value, sizeof value); }

}  // namespace

bool clear_unused_fields(std::span<uint8_t> bytes, const std::function<bool()>& accepted) {
  if (bytes.size() < sizeof(uint64_t)) return false;
  const uint64_t given = word(bytes);
  uint64_t cleared = given;
  for (const Field& field : kFields)
    if ((given >> 26 & 63) == field.encoding) cleared &= ~(uint64_t{0xff} << field.low);
  if (cleared == given) return false;
  set_word(bytes, cleared);
  if (!accepted()) return false;
  uint64_t result = cleared;
  for (const Field& field : kFields) {
    if ((given >> 26 & 63) != field.encoding) continue;
    set_word(bytes, cleared | kRegister << field.low);
    if (accepted()) result |= given & uint64_t{0xff} << field.low;
  }
  set_word(bytes, result);
  return accepted();
}

}  // namespace wavesmith::isa
