// What the pipelines of a compute unit ask of the memory behind them. The compute unit owns issue, wait
// counters, LDS and its own queues; a MemoryPort owns address coalescing, caches, links, DRAM and
// translation, with its own idea of what the rest of the grid does meanwhile.
#pragma once

#include <cstdint>

#include "timing/trace.h"

namespace wavesmith::timing {

/// Cycles are of the shader clock, from the start of the replay; they may be asked for a little out of order
/// (SIMDs are replayed side by side), never by more than a few hundred.
struct Completion {
  uint64_t accepted = 0;  ///< the address unit can take the compute unit's next vector access
  uint64_t done =
      0;  ///< loads: data are in the registers (or in LDS); stores: acknowledged, as the counters see
};

class MemoryPort {
 public:
  virtual ~MemoryPort() = default;
  /// A vector access (Global or Private) or a scalar load, issued at `cycle` by wave `wave` (a number that
  /// differs among all waves of the replay) of compute unit `unit` (of those that are replayed).
  virtual Completion access(uint64_t cycle, uint32_t unit, uint32_t wave, const WaveRecord& trace,
                            const AccessRecord& access) = 0;
  /// The instruction cache's line of that address misses in the sequencer's own cache: when it arrives.
  virtual uint64_t fetch(uint64_t cycle, uint32_t unit, uint64_t address) = 0;
};

/// Fixed latencies: every load hits; for tests, and where only the pipelines are asked about.
class FixedLatency final : public MemoryPort {
 public:
  uint32_t vector_cycles = 120, scalar_cycles = 60, store_cycles = 60, fetch_cycles = 40, issue_cycles = 1;
  Completion access(uint64_t cycle, uint32_t, uint32_t, const WaveRecord&,
                    const AccessRecord& access) override {
    if (access.space == AccessSpace::Scalar) return {cycle + 1, cycle + scalar_cycles};
    return {cycle + issue_cycles, cycle + (access.kind == AccessKind::Store ? store_cycles : vector_cycles)};
  }
  uint64_t fetch(uint64_t cycle, uint32_t, uint64_t) override { return cycle + fetch_cycles; }
};

}  // namespace wavesmith::timing
