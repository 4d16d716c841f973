// The memory that pipelines replay against (timing/unit/compute_unit.h): each unit that is replayed has its
// L1 and its share of what lies behind (timing/memory/unit.h); accesses are coalesced into lines.
#pragma once

#include <memory>
#include <vector>

#include "timing/memory/coalesce.h"
#include "timing/memory/system.h"
#include "timing/memory/unit.h"

namespace wavesmith::timing {

class GridPort final : public MemoryPort {
 public:
  /// `regions`, `active`, `die_bytes`: of each unit's UnitMemory, see there. With no regions every line that
  /// a unit has not asked for yet comes from memory.
  /// `code_cached`: the instruction cache has the kernel's code from a launch before; otherwise it comes from
  /// the L2, line by line.
  GridPort(const MemoryParameters& parameters, std::vector<RegionHits> regions, double active,
           double die_bytes, bool code_cached = false);

  Completion access(uint64_t cycle, uint32_t unit, uint32_t wave, const WaveRecord& record,
                    const AccessRecord& access) override;
  uint64_t fetch(uint64_t cycle, uint32_t unit, uint64_t address) override;

  /// The memory of a unit; made when it is asked for first.
  UnitMemory& unit(uint32_t number) {
    return number < units_.size() && units_[number] ? *units_[number] : make_unit(number);
  }
  /// What a unit's accesses came to; nothing for one that made none.
  [[nodiscard]] MemoryCounts counts(uint32_t unit) const;

 private:
  MemoryParameters parameters_;
  std::vector<RegionHits> regions_;
  uint32_t line_bits_;  ///< of an address within a line, or 0: its size is no power of two
  double active_, die_bytes_;
  bool code_cached_;
  std::vector<std::unique_ptr<UnitMemory>> units_;
  /// What accesses of one shape have in common.
  struct Shape {
    Coalesced coalesced;  ///< from the least of its lines on
    double clocks = 0;    ///< that the address unit takes; 0: not worked out yet
    uint64_t least = 0;   ///< of its lines, from the one in which it begins on
    uint64_t reach = 0;   ///< from the least of its lines to the largest
  };
  const Shape& shape_of(const WaveRecord& record, const AccessRecord& access, uint64_t begins);
  [[nodiscard]] uint64_t line_of(uint64_t address) const {
    return line_bits_ ? address >> line_bits_ : address / parameters_.line;
  }
  double read_scalars(UnitMemory& memory, const WaveRecord& record, const AccessRecord& access, double now);
  UnitMemory& make_unit(uint32_t number);
  std::vector<Shape> shapes_;  ///< by number
  Shape shape_;                ///< of the last access whose shape has none
  std::vector<uint64_t> addresses_;
};

}  // namespace wavesmith::timing
