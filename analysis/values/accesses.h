// Accesses to memory whose addresses are known lane by lane: strides, LDS's phases and conflicts, cache
// lines.
#pragma once

#include <vector>

#include "analysis/code.h"
#include "analysis/report.h"
#include "analysis/values/lane_values.h"
#include "gpus/gpu.h"

namespace wavesmith::analysis {

/// Finds every vector memory and LDS access of the code, except those to private memory, with all lanes
/// active. The part of an address that is the same for all lanes is assumed to be aligned to a cache line.
/// Adds what a wave's pass through the sorted `blocks` moves from and to memory behind L1 (Cycles::load_bytes
/// to Cycles::memory), and what `by` needs for it. `block_of` is by instruction.
void add_memory(Cycles& cycles, const std::vector<uint32_t>& blocks, const std::vector<uint32_t>& block_of,
                const std::vector<AccessPattern>& accesses, const gpus::Gpu& gpu, ServedBy by);

std::vector<AccessPattern> find_accesses(const Code& code, const LaneValues& values, const gpus::Gpu& gpu);

}  // namespace wavesmith::analysis
