// The cost of code: busy cycles of each pipe, and the clock of one wave alone. Modelled from isa/cost and,
// for LDS without conflicts, from gpus/lds_phases.h. Memory is assumed to respond at once: the time of loads
// is counted at the waits (waits.h).
#pragma once

#include <vector>

#include "analysis/code.h"
#include "analysis/graph.h"
#include "analysis/report.h"
#include "gpus/gpu.h"
#include "isa/cost/cost.h"

namespace wavesmith::analysis {

struct Costs {
  std::vector<isa::Cost> of;        ///< by instruction
  std::vector<double> data_cycles;  ///< by instruction: of LDS or L1, which the compute unit's SIMDs share
  std::vector<uint8_t> left_out;    ///< by instruction, or empty: as if it were not there (what-if)
  std::vector<double> clock;  ///< by instruction: issued so many cycles after its block began, a wave alone
  std::vector<double> block_cycles;  ///< by block: until the next one may begin, a wave alone
};

/// Finds the cost of each instruction. `accesses` tell the bank conflicts and cache lines that are known.
Costs find_costs(const Code& code, const Graph& graph, const gpus::Gpu& gpu,
                 const std::vector<AccessPattern>& accesses = {});

/// Whether code runs repeatedly, so that a pass finds in caches what the previous one left.
enum class Repeated : uint8_t { No, Yes };

/// Cycles of one pass through the blocks in their order.
Cycles cycles_of(const Code& code, const Graph& graph, const gpus::Gpu& gpu, const Costs& costs,
                 const std::vector<uint32_t>& blocks, Repeated repeated = Repeated::Yes);

/// Cycles of LDS for a conflict-free access of `bytes` per lane.
double lds_cycles(const gpus::Gpu& gpu, isa::Direction direction, uint32_t bytes, int wave_lanes);

/// Cycles until a memory instruction's data arrive; 0: unknown.
double load_latency(const Code& code, uint32_t instruction, const gpus::Gpu& gpu, ServedBy by);

/// The number of SIMDs that share LDS and the vector memory path.
uint32_t sharing_simds(const gpus::Gpu& gpu);

}  // namespace wavesmith::analysis
