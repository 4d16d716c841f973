// Memory that is not the GPU's own: another GPU's behind a link, or the host's behind PCIe.
#pragma once

#include <cstdint>
#include <span>
#include <unordered_map>
#include <vector>

#include "emulate/run/events.h"
#include "timing/memory/coalesce.h"

namespace wavesmith::timing {

/// How it is reached.
struct Way {
  double rate = 0;  ///< bytes per clock, in each direction
  double latency =
      0;  ///< clocks that a load takes longer than one of own memory; until a waiting wave sees a flag
};

/// A range of addresses. `way`: to memory that is not the GPU's own. `writer`: the way by which others write
/// to the GPU's own memory while a kernel runs, which may wait for that.
struct FarRegion {
  uint64_t begin = 0, end = 0;
  const Way* way = nullptr;
  const Way* writer = nullptr;
};

/// The region of ascending ones that an address lies in; nullptr: none.
const FarRegion* far_region(std::span<const FarRegion> regions, uint64_t address);

/// Bytes that went over a way.
struct FarBytes {
  const Way* way = nullptr;
  double read = 0, written = 0;
};
/// Adds up by ways.
void add_far(std::vector<FarBytes>& sum, const Way* way, double read, double written);

/// Counts what a workgroup moves over each way.
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
  std::vector<std::pair<const Way*, std::vector<uint64_t>>> addresses_;
  Coalesced coalesced_;
};

}  // namespace wavesmith::timing
