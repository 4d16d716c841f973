#include "check/wait/lds_exposure.h"

#include <algorithm>
#include <bit>
#include <utility>

namespace wavesmith::check::wait {

void LdsExposure::count(const LdsPlace& place, int by) {
  if (counts_.empty()) counts_.assign(bytes_ / 4 + 1, 0);
  for (uint64_t left = place.lanes; left; left &= left - 1) {
    const uint32_t first = place.address[std::countr_zero(left)];
    for (uint32_t d = first / 4; d <= (first + place.bytes - 1) / 4 && d < counts_.size(); ++d)
      counts_[d] = static_cast<uint16_t>(counts_[d] + by);
  }
}

bool LdsExposure::touches(const LdsPlace& place) const {
  for (uint64_t left = place.lanes; left; left &= left - 1) {
    const uint32_t first = place.address[std::countr_zero(left)];
    for (uint32_t d = first / 4; d <= (first + place.bytes - 1) / 4 && d < counts_.size(); ++d)
      if (counts_[d]) return true;
  }
  return false;
}

void LdsExposure::show(uint32_t wave, Number number, InFlight& flight) {
  flight.shown = true;
  for (const LdsPlace& place : flight.places) count(place, 1);
  shown_.push_back({wave, number});
}

void LdsExposure::withdraw(uint32_t wave, Number number, InFlight& flight) {
  if (!std::exchange(flight.shown, false)) return;
  for (const LdsPlace& place : flight.places) count(place, -1);
  std::erase_if(shown_, [&](const Shown& one) { return one.wave == wave && one.number == number; });
}

uint64_t shared_lanes(const LdsPlace& a, const LdsPlace& b) {
  uint64_t lanes = 0;
  for (uint64_t left = a.lanes; left; left &= left - 1) {
    const int lane = std::countr_zero(left);
    for (uint64_t others = b.lanes; others; others &= others - 1) {
      const uint32_t other = b.address[std::countr_zero(others)], own = a.address[lane];
      if (own >= other + b.bytes || other >= own + a.bytes) continue;
      lanes |= uint64_t{1} << lane;
      break;
    }
  }
  return lanes;
}

}  // namespace wavesmith::check::wait
