// What a workgroup did, recorded so that its waves can be replayed through the pipelines of a compute unit
// (timing/unit/compute_unit.h) and their accesses through the memory system (timing/memory/system.h): for
// each wave the instructions in the order of execution, and with each access to memory the addresses of the
// lanes.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "base/extent3.h"
#include "isa/instruction.h"

namespace wavesmith::timing {

/// Where an access goes. Private memory is memory too, swizzled; Scalar goes through the scalar cache.
enum class AccessSpace : uint8_t { Global, Lds, Private, Scalar };
enum class AccessKind : uint8_t { Load, Store, Atomic };

/// Accesses that differ in where they begin only cost the same if that is by a multiple of so many bytes: the
/// banks of LDS come again, and lines of caches begin.
inline constexpr uint64_t kShapePeriod = 256;

/// One access of a wave, compact: most are affine in the lane.
struct AccessRecord {
  static constexpr uint32_t kNoShape = ~uint32_t{0};
  AccessSpace space = AccessSpace::Global;
  AccessKind kind = AccessKind::Load;
  /// Lane l at base + l * stride; otherwise at base + an offset, one for each active lane, from `first` on.
  bool affine = true;
  bool returns = false;   ///< an atomic that gives the former value
  bool bypasses = false;  ///< a load that no cache near the wave may answer
  uint16_t bytes = 4;     ///< of each lane
  uint32_t first = 0;     ///< index into WaveRecord::offsets
  /// Its number among AccessShapes: those of a launch that have the same one have everything in common but
  /// `base`, and that modulo kShapePeriod. kNoShape: it is not known to share one.
  uint32_t shape = kNoShape;
  uint64_t lanes = 0;  ///< that access memory
  uint64_t base = 0;
  int64_t stride = 0;
};

/// The record of one wave.
struct WaveRecord {
  uint32_t index = 0;                  ///< in its workgroup
  uint64_t executed = 0;               ///< instructions; `sites` may hold the first of them only
  std::vector<uint32_t> sites;         ///< instructions in order: indices into the CodeTable
  std::vector<AccessRecord> accesses;  ///< in order; how many an instruction has stands in access_counts
  std::vector<uint8_t> access_counts;  ///< one for each of `sites` whose Instruction is a memory instruction
  std::vector<uint64_t> offsets;       ///< of accesses that are not affine; those of one shape stand once

  /// The address of each active lane, in the order of lanes.
  void expand(const AccessRecord& access, std::vector<uint64_t>& to) const {
    to.clear();
    if (!access.affine) {
      const int count = __builtin_popcountll(access.lanes);
      to.assign(offsets.begin() + access.first, offsets.begin() + access.first + count);
      for (uint64_t& address : to) address += access.base;
      return;
    }
    for (uint64_t rest = access.lanes; rest != 0; rest &= rest - 1)
      to.push_back(access.base + static_cast<uint64_t>(access.stride * __builtin_ctzll(rest)));
  }
};

/// The record of one workgroup.
struct WorkgroupRecord {
  Extent3 id{0, 0, 0};
  std::vector<WaveRecord> waves;
  [[nodiscard]] uint64_t instructions() const {
    uint64_t sum = 0;
    for (const WaveRecord& wave : waves) sum += wave.sites.size();
    return sum;
  }
};

}  // namespace wavesmith::timing
