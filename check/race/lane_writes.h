// Lanes of a wave that write to one place.
//
// Lanes of one store have no order, so that of different values either may stay. What lanes write by stores
// one behind the other comes in that order on the GPU, and yet belongs to threads that nothing orders in the
// source: that, and equal values, are told on request.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <unordered_map>

#include "check/race/site_facts.h"
#include "emulate/run/events.h"

namespace wavesmith::check {

struct LaneConflict {
  uint64_t address;
  int lane, other_lane;
  bool equal;
  const emulate::Site* other_site = nullptr;  ///< nullptr: the same store
};

/// Two lanes of a store that write different values to one address.
std::optional<LaneConflict> lanes_that_differ(const emulate::WaveView& wave, const StoredData& data,
                                              const emulate::MemoryAccess& access);

/// What a wave's lanes wrote since it has last waited for its stores.
class LaneWrites {
 public:
  /// Adds a store. Returns two lanes that write the same value to one place.
  std::optional<LaneConflict> add(const emulate::WaveView& wave, const emulate::Site& site,
                                  const StoredData& data, const emulate::MemoryAccess& access);
  void forget() {
    if (!written_.empty()) written_.clear();
  }

 private:
  struct Byte {
    const emulate::Site* site;
    uint8_t lane, value;
  };
  static constexpr size_t kMost = 1 << 16;
  std::unordered_map<uint64_t, Byte> written_;
};

}  // namespace wavesmith::check
