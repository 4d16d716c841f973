// What the code around an instruction does with what it reads.
#pragma once

#include <cstdint>
#include <span>

#include "isa/instruction.h"
#include "isa/target.h"

namespace wavesmith::check {

/// The code from an address on, as far as it may be looked at.
using CodeAt = std::span<const uint8_t> (*)(uint64_t pc);

/// Whether nothing is accessed between a split barrier's signal and its wait. `code`: from the signal on.
bool meets_at_once(uint64_t pc, std::span<const uint8_t> code, const isa::Target& target, int wave_lanes);

/// Whether a load, or an atomic, is that of a spin loop: what it gives decides whether it is made again, the
/// same as before and of the same address, and nothing is stored meanwhile.
bool polls(const isa::Instruction& first, CodeAt code_at, const isa::Target& target, int wave_lanes);

}  // namespace wavesmith::check
