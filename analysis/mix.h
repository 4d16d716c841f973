// Instructions counted by pipe.
#pragma once

#include <vector>

#include "analysis/code.h"
#include "analysis/report.h"

namespace wavesmith::analysis {

/// Of the listed blocks, each once; of all when `which` is empty.
Mix mix_of(const Code& code, const std::vector<Block>& blocks, const std::vector<uint32_t>& which);

/// Adds one instruction.
void count(Mix& mix, const isa::Instruction& instruction, const isa::Row* row, int wave_lanes);

}  // namespace wavesmith::analysis
