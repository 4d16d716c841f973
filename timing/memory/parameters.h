// The memory system of a GPU in the units of the cycle model: clocks of the engine, bytes per clock.
// Everything comes from the GPU's data file; what nobody has published is scaled from the GPU of the same
// architecture that was measured, and said so in `assumed`.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "gpus/gpu.h"

namespace wavesmith::timing {

struct MemoryParameters {
  double mhz = 1000;  ///< of the engine: what a clock is
  uint32_t xcds = 1, units = 1;
  uint32_t line = 128;  ///< bytes
  uint64_t l1_bytes = 0, scalar_bytes = 0, l2_bytes = 0, infinity_cache_bytes = 0;

  /// Clocks from a load's issue to its data, without waiting for anybody.
  double l1_latency = 0, l2_latency = 0, infinity_cache_latency = 0, memory_latency = 0, scalar_latency = 0;
  double store_latency = 0;  ///< clocks until a store is acknowledged

  /// Lines that a unit's L1 waits for at once.
  uint32_t misses = 64;
  /// The same, with lines that are stored, of an L1 that takes accesses in order, as pipelines see it: when
  /// so many are under way, nothing behind them goes on, not even a hit, and no vector access issues. 0: not
  /// known.
  uint32_t in_order_lines = 0;

  /// Bytes a clock: of one unit's L1, of one unit's way to the L2, of one XCD's L2, and of the whole GPU's
  /// levels behind them, as measured.
  double l1_rate = 64, unit_rate = 64, l2_rate = 2048, infinity_cache_rate = 0, memory_rate = 0;
  double memory_read_rate = 0, memory_write_rate = 0;  ///< memory_rate is that of a copy
  /// At which the L2s write back between two kernels what the first one stored, so that the other dies see
  /// it; 0: one L2 is all that there is, and keeps it.
  double write_back_rate = 0;

  double workgroup_clocks = 0;  ///< an XCD starts a workgroup every so many
  double wave_clocks = 0;       ///< ... and a wave of it

  /// Translations: an entry of the page table serves `page_bytes`; entries stay in the L2 while all that a
  /// kernel touches is smaller than `translated_bytes`; beyond, the GPU fetches `walks` of them a clock.
  double page_bytes = 65536, translated_bytes = 0, walk_rate = 0, walk_latency = 0;

  std::vector<std::string> assumed;  ///< numbers that were not in the data file
};

MemoryParameters memory_parameters(const gpus::Gpu& gpu);

}  // namespace wavesmith::timing
