// What code costs: the cycles of pipes, and the clock of one wave alone. Modelled from isa/cost and, for LDS,
// from gpus/lds_phases.h without conflicts; memory is taken to answer at once, so what loads cost is the
// waits' affair.
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

/// `accesses` say what is known of conflicts and cache lines.
Costs find_costs(const Code& code, const Graph& graph, const gpus::Gpu& gpu,
                 const std::vector<AccessPattern>& accesses = {});

/// Whether code runs again and again, so that a pass finds what the one before left.
enum class Repeated : uint8_t { No, Yes };

/// One pass through the blocks, in their order.
Cycles cycles_of(const Code& code, const Graph& graph, const gpus::Gpu& gpu, const Costs& costs,
                 const std::vector<uint32_t>& blocks, Repeated repeated = Repeated::Yes);

/// Cycles of LDS that an access of `bytes` a lane takes without conflicts.
double lds_cycles(const gpus::Gpu& gpu, isa::Direction direction, uint32_t bytes, int wave_lanes);

/// What answers vector loads.
enum class ServedBy : uint8_t { L2, Memory };

/// Cycles until a memory instruction's data is there; 0: nobody knows.
double load_latency(const Code& code, uint32_t instruction, const gpus::Gpu& gpu, ServedBy by = ServedBy::L2);

/// SIMDs that share LDS and the vector memory path.
uint32_t sharing_simds(const gpus::Gpu& gpu);

}  // namespace wavesmith::analysis
