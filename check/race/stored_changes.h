// What a store changes: a value that is there already tells nobody anything.
#pragma once

#include <cstdint>
#include <cstring>

namespace wavesmith::check {

/// Of a lane's store.
inline constexpr uint32_t kWidestStore = 16;

template <uint32_t kElement>
uint64_t changes_of(const uint8_t* there, const uint8_t* data, uint32_t count) {
  uint64_t changes = 0;
  for (uint32_t i = 0; i < count; ++i)
    changes |= uint64_t{std::memcmp(there + i * kElement, data + i * kElement, kElement) != 0} << i;
  return changes;
}

/// Which elements of a store change what is there, a bit each.
inline uint64_t changes_of(uint64_t address, uint32_t bytes, uint32_t element, const uint8_t* data) {
  const auto* const there = reinterpret_cast<const uint8_t*>(address);
  switch (element) {
    case 1:
      return changes_of<1>(there, data, bytes);
    case 2:
      return changes_of<2>(there, data, bytes / 2);
    case 4:
      return changes_of<4>(there, data, bytes / 4);
    case 8:
      return changes_of<8>(there, data, bytes / 8);
    case 12:
      return changes_of<12>(there, data, bytes / 12);
    default:
      return changes_of<kWidestStore>(there, data, bytes / kWidestStore);
  }
}

}  // namespace wavesmith::check
