// A memory for replays where nothing is known of the rest of the grid: the unit's own L1 and scalar cache
// exactly; what misses there comes from the L2, or from behind it when the whole grid's lines do not fit in.
#pragma once

#include <cstdint>
#include <list>
#include <unordered_map>
#include <vector>

#include "gpus/gpu.h"
#include "timing/memory_system.h"

namespace wavesmith::timing {

/// Where bytes went.
struct PortCounts {
  uint64_t l1_hits = 0, l1_misses = 0, stores = 0, scalar_hits = 0, scalar_misses = 0;
  uint64_t l2_first = 0;  ///< lines that this unit asks the L2 for the first time
};

class UnitPort final : public MemoryPort {
 public:
  explicit UnitPort(const gpus::Gpu& gpu);
  Completion access(uint64_t cycle, uint32_t unit, uint32_t wave, const WaveRecord& trace,
                    const AccessRecord& access) override;
  uint64_t fetch(uint64_t cycle, uint32_t unit, uint64_t address) override;
  [[nodiscard]] const PortCounts& counts() const { return counts_; }

 private:
  /// Lines in the order of use, the oldest forgotten.
  class Lines {
   public:
    explicit Lines(size_t most) : most_(most) {}
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

  uint64_t behind(uint64_t line, uint64_t cycle);

  uint64_t line_, scalar_line_ = 64;
  uint64_t l1_cycles_, l2_cycles_, memory_cycles_;
  double l2_clocks_;  ///< of a line, at the unit's share
  double l2_free_ = 0;
  uint64_t address_free_ = 0;
  Lines l1_, scalar_, l2_;
  std::vector<uint64_t> addresses_, touched_;
  PortCounts counts_;
};

}  // namespace wavesmith::timing
