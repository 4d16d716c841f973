// Memory that is not the GPU's own: another GPU's behind a link, or the host's behind PCIe.
#pragma once

#include <cstdint>
#include <span>
#include <unordered_map>
#include <vector>

#include "emulate/run/events.h"
#include "timing/memory/coalesce.h"

namespace wavesmith::timing {

/// The path from a GPU to memory that is not its own.
struct FarPath {
  double rate = 0;  ///< bytes per clock, in each direction
  double latency =
      0;  ///< clocks that a load takes longer than one of own memory; until a waiting wave sees a flag
};

/// A range of addresses. `path`: to memory that is not the GPU's own. `writer`: the path by which others
/// write to the GPU's own memory while a kernel runs, which may wait for that.
struct FarRegion {
  uint64_t begin = 0, end = 0;
  const FarPath* path = nullptr;
  const FarPath* writer = nullptr;
};

/// The region of ascending ones that an address lies in; nullptr: none.
const FarRegion* far_region(std::span<const FarRegion> regions, uint64_t address);

/// Bytes that were moved over a path.
struct FarBytes {
  const FarPath* path = nullptr;
  double read = 0, written = 0;
};
/// Adds bytes to the sum for their path.
void add_far(std::vector<FarBytes>& sum, const FarPath* path, double read, double written);

/// Counts what a workgroup moves over each path.
class FarCounter final : public emulate::WorkgroupListener {
 public:
  /// `bytes` outlives the workgroup.
  FarCounter(std::span<const FarRegion> regions, uint32_t line, std::vector<FarBytes>& bytes);
  void access(const emulate::WaveView& wave, const emulate::Site& site,
              const emulate::MemoryAccess& access) override;

 private:
  std::span<const FarRegion> regions_;
  uint32_t line_;
  std::vector<FarBytes>& bytes_;
  std::unordered_map<const emulate::Site*, uint64_t> asked_;  ///< the address that an instruction last read
  std::vector<std::pair<const FarPath*, std::vector<uint64_t>>> addresses_;
  Coalesced coalesced_;
};

}  // namespace wavesmith::timing
