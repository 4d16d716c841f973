// Accesses to memory whose addresses are known lane by lane: strides, LDS's phases and conflicts, cache
// lines.
#pragma once

#include <vector>

#include "analysis/code.h"
#include "analysis/lane_values.h"
#include "analysis/report.h"
#include "gpus/gpu.h"

namespace wavesmith::analysis {

/// Every vector memory and LDS access of the code but those to private memory, all lanes taking part. The
/// part of an address that is the same for all lanes is taken to be aligned to a cache line.
std::vector<Access> find_accesses(const Code& code, const LaneValues& values, const gpus::Gpu& gpu);

}  // namespace wavesmith::analysis
