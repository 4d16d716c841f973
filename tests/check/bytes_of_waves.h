// Which waves of a launch access which bytes of device memory.
#pragma once

#include <cstdint>
#include <unordered_map>

#include "emulate/run/events.h"

namespace wavesmith::mutants {

/// Of a wave in its launch, for workgroups of at most 64 waves.
inline uint64_t number_of(const Extent3& workgroup, uint32_t wave) {
  return (uint64_t{workgroup[2]} << 46 | uint64_t{workgroup[1]} << 30 | workgroup[0]) << 6 | wave;
}

/// Calls `visit(address)` for each byte that an access touches.
template <class Visit>
void each_byte(const emulate::MemoryAccess& access, Visit visit) {
  for (size_t lane = 0; lane < emulate::kRowLanes; ++lane)
    for (uint32_t i = 0; i < access.bytes && (access.lanes >> lane & 1); ++i) visit(access.address[lane] + i);
}

/// By byte, who accesses it: a wave, or a workgroup, or several.
class BytesOfWaves {
 public:
  static constexpr uint64_t kSeveral = ~uint64_t{0};
  void add(const emulate::MemoryAccess& access, uint64_t who) {
    each_byte(access, [&](uint64_t byte) {
      const auto [place, fresh] = who_.try_emplace(byte, who);
      if (!fresh && place->second != who) place->second = kSeveral;
    });
  }
  /// Whether somebody else than `who` does, of whom there are several where it is kSeveral.
  [[nodiscard]] bool by_another(uint64_t byte, uint64_t who) const {
    const auto found = who_.find(byte);
    return found != who_.end() && (found->second != who || who == kSeveral);
  }
  [[nodiscard]] const std::unordered_map<uint64_t, uint64_t>& all() const { return who_; }

 private:
  std::unordered_map<uint64_t, uint64_t> who_;
};

}  // namespace wavesmith::mutants
