// Accesses to memory whose addresses are known lane by lane: strides, LDS's phases and conflicts, cache
// lines.
#pragma once

#include <vector>

#include "analysis/code.h"
#include "analysis/report.h"
#include "analysis/values/lane_values.h"
#include "gpus/gpu.h"

namespace wavesmith::analysis {

/// Every vector memory and LDS access of the code but those to private memory, all lanes taking part. The
/// part of an address that is the same for all lanes is taken to be aligned to a cache line.
/// What a wave's pass through `blocks`, sorted, asks of the memory behind L1: Cycles::load_bytes to
/// Cycles::memory. `block_of` is each instruction's.
void add_memory(Cycles& cycles, const std::vector<uint32_t>& blocks, const std::vector<uint32_t>& block_of,
                const std::vector<AccessPattern>& accesses, const gpus::Gpu& gpu);

std::vector<AccessPattern> find_accesses(const Code& code, const LaneValues& values, const gpus::Gpu& gpu);

}  // namespace wavesmith::analysis
