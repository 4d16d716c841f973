// Instructions counted by pipe.
#pragma once

#include <vector>

#include "analysis/code.h"
#include "analysis/report.h"

namespace wavesmith::analysis {

/// Counts the listed blocks, each once; all blocks if `which` is empty. Floating-point operations per lane of
/// a VALU instruction; a fused multiply-add counts as two.
double vector_operations_of(std::string_view mnemonic);

Mix mix_of(const Code& code, const std::vector<Block>& blocks, const std::vector<uint32_t>& which);

/// Adds one instruction.
void count(Mix& mix, const isa::Instruction& instruction, const isa::Row* row, int wave_lanes);

}  // namespace wavesmith::analysis
