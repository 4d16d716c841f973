// Instructions counted by pipe.
#pragma once

#include <vector>

#include "analysis/code.h"
#include "analysis/report.h"

namespace wavesmith::analysis {

/// Of the listed blocks, each once; of all when `which` is empty.
/// Floating-point operations of a VALU instruction, a lane: a fused multiply-add is two.
double vector_operations_of(std::string_view mnemonic);

Mix mix_of(const Code& code, const std::vector<Block>& blocks, const std::vector<uint32_t>& which);

/// Adds one instruction.
void count(Mix& mix, const isa::Instruction& instruction, const isa::Row* row, int wave_lanes);

}  // namespace wavesmith::analysis
