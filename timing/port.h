// The memory as one compute unit of a grid sees it: its own L1 and scalar cache line by line; what misses
// there comes from the L2, the Infinity Cache or the memory, in the shares that the grid's workgroups have
// lines in common, and at the unit's share of their bandwidth.
#pragma once

#include <algorithm>
#include <cstdint>
#include <list>
#include <unordered_map>
#include <vector>

#include "gpus/gpu.h"
#include "timing/memory_system.h"
#include "timing/sharing.h"

namespace wavesmith::timing {

/// Where bytes went.
struct PortCounts {
  uint64_t l1_hits = 0, l1_misses = 0, stores = 0, scalar_hits = 0, scalar_misses = 0;
  uint64_t l2_hits = 0, infinity_cache_hits = 0, memory_lines = 0;
};

class UnitPort final : public MemoryPort {
 public:
  /// `active`: units of the GPU that share what is not a unit's own.
  UnitPort(const gpus::Gpu& gpu, const Sharing& sharing, double active);
  Completion access(uint64_t cycle, uint32_t unit, uint32_t wave, const WaveRecord& trace,
                    const AccessRecord& access) override;
  uint64_t fetch(uint64_t cycle, uint32_t unit, uint64_t address) override;
  [[nodiscard]] const PortCounts& counts() const { return counts_; }

 private:
  /// Lines in the order of use, the oldest forgotten.
  class Lines {
   public:
    explicit Lines(size_t most) : most_(most) { at_.reserve(std::min<size_t>(most, 1 << 16)); }
    /// When the line is there, if it is; otherwise it is from `ready` on.
    uint64_t* find(uint64_t line);
    void insert(uint64_t line, uint64_t ready);

   private:
    struct Entry {
      uint64_t line, ready;
    };
    size_t most_;
    std::list<Entry> order_;
    std::unordered_map<uint64_t, std::list<Entry>::iterator> at_;
  };

  uint64_t behind(uint64_t line, uint64_t cycle, bool store);
  /// True for `share` of the calls, evenly spread.
  static bool draw(double share, double& remainder) {
    remainder += share;
    if (remainder < 1) return false;
    remainder -= 1;
    return true;
  }

  uint64_t line_, scalar_line_ = 64;
  Sharing sharing_;
  uint64_t l1_cycles_, l2_cycles_, cache_cycles_, memory_cycles_;
  double l2_clocks_, cache_clocks_, memory_clocks_;  ///< of a line, at the unit's share
  double l2_free_ = 0, cache_free_ = 0, memory_free_ = 0;
  double l2_left_ = 0, cache_left_ = 0;
  uint64_t address_free_ = 0;
  Lines l1_, scalar_, l2_;
  std::vector<uint64_t> addresses_, touched_;
  PortCounts counts_;
};

}  // namespace wavesmith::timing
