// Assembly text to machine code, by LLVM's assembler.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "isa/target.h"

namespace wavesmith::isa {

/// Assembles AMDGPU assembly (labels, comments and directives as LLVM accepts them) to the bytes of its text
/// section. Error: BadInput with the line and LLVM's message.
Result<std::vector<uint8_t>> assemble(const Target& target, int wave_lanes, std::string_view text);

/// The wave-size features that LLVM wants for a target: "" where waves always have 64 lanes.
std::string_view wave_features(const Target& target, int wave_lanes);

}  // namespace wavesmith::isa
