// Accesses to memory whose addresses are known lane by lane: strides, LDS's phases and conflicts, cache
// lines.
#pragma once

#include <functional>
#include <vector>

#include "analysis/code.h"
#include "analysis/report.h"
#include "analysis/values/lane_values.h"
#include "gpus/gpu.h"

namespace wavesmith::analysis {

/// Finds every vector memory and LDS access of the code, except those to private memory, with all lanes
/// active. The part of an address that is the same for all lanes is assumed to be aligned to a cache line.
/// `first_wave` gives the values of a workgroup's first wave, for what depends on its number: a swizzle that
/// exchanges lanes by it names as many bytes in each wave.
std::vector<AccessPattern> find_accesses(const Code& code, const LaneValues& values,
                                         const std::function<const LaneValues&()>& first_wave,
                                         const gpus::Gpu& gpu);

/// Adds what a wave's pass through the sorted `blocks` moves from and to memory behind L1 (Cycles::load_bytes
/// to Cycles::memory), and what `by` needs for it. `block_of` is by instruction.
void add_memory(Cycles& cycles, const std::vector<uint32_t>& blocks, const std::vector<uint32_t>& block_of,
                const std::vector<AccessPattern>& accesses, const gpus::Gpu& gpu, ServedBy by);

}  // namespace wavesmith::analysis
