#include "check/race/lane_writes.h"

#include <bit>
#include <cmath>
#include <cstring>

namespace wavesmith::check {
namespace {

using emulate::MemoryAccess;

constexpr uint32_t kWidest = 16;  // bytes of a lane's store

/// Whether no two lanes can meet: each begins where the one before it has ended, or further on.
bool ascends(const MemoryAccess& access) {
  uint64_t end = 0;
  for (uint64_t left = access.lanes; left; left &= left - 1) {
    const uint64_t address = access.address[std::countr_zero(left)];
    if (address < end) return false;
    end = address + access.bytes;
  }
  return true;
}

/// Whether no two lanes have one address, surely: few that lie apart share a place here.
bool differs(const MemoryAccess& access) {
  uint8_t seen[1024] = {};
  const int shift = std::bit_width(access.bytes) - 1;
  uint8_t meets = 0;
  for (uint64_t left = access.lanes; left; left &= left - 1) {
    const uint64_t element = access.address[std::countr_zero(left)] >> shift;
    uint8_t& place = seen[(element ^ element >> 10) % sizeof seen];  // rows are often a power of two apart
    meets |= place;
    place = 1;
  }
  return meets == 0;
}

/// Whether either may stay: the same bytes, or NaNs of f32, whose bits no program tells apart.
bool same_values(const uint8_t* a, const uint8_t* b, uint32_t bytes) {
  if (std::memcmp(a, b, bytes) == 0) return true;
  for (uint32_t i = 0; i < bytes; i += 4) {
    uint32_t one, other;
    if (bytes - i < 4) return false;
    std::memcpy(&one, a + i, 4);
    std::memcpy(&other, b + i, 4);
    const auto is_nan = [](uint32_t bits) { return std::isnan(std::bit_cast<float>(bits)); };
    if (one != other && !(is_nan(one) && is_nan(other))) return false;
  }
  return true;
}

}  // namespace

std::optional<LaneConflict> lanes_that_differ(const emulate::WaveView& wave, const StoredData& data,
                                              const MemoryAccess& access) {
  if (access.scalar || access.side_by_side || access.bytes > kWidest || data.first < 0 || ascends(access) ||
      differs(access))
    return std::nullopt;
  constexpr uint32_t kSlots = 128;
  uint8_t lane_at[kSlots] = {};  // lane + 1, by a hash of its address
  for (uint64_t left = access.lanes; left; left &= left - 1) {
    const int lane = std::countr_zero(left);
    const uint64_t address = access.address[lane];
    auto slot = static_cast<uint32_t>(address * 0x9e3779b97f4a7c15u >> 57);
    while (lane_at[slot] && access.address[lane_at[slot] - 1] != address) slot = (slot + 1) % kSlots;
    if (!lane_at[slot]) {
      lane_at[slot] = static_cast<uint8_t>(lane + 1);
      continue;
    }
    const int other = lane_at[slot] - 1;
    uint8_t values[2][kWidest];
    if (!data.read(wave, lane, access.bytes, values[0]) || !data.read(wave, other, access.bytes, values[1]))
      return std::nullopt;
    if (!same_values(values[0], values[1], access.bytes))
      return LaneConflict{.address = address, .lane = lane, .other_lane = other, .equal = false};
  }
  return std::nullopt;
}

std::optional<LaneConflict> LaneWrites::add(const emulate::WaveView& wave, const emulate::Site& site,
                                            const StoredData& data, const MemoryAccess& access) {
  if (access.scalar || access.bytes > kWidest) return std::nullopt;
  std::optional<LaneConflict> found;
  for (uint64_t left = access.lanes; left; left &= left - 1) {
    const int lane = std::countr_zero(left);
    const uint64_t address = access.address[lane];
    uint8_t values[kWidest];
    if (!data.read(wave, lane, access.bytes, values)) return found;
    std::optional<LaneConflict> meets;
    bool equal = true;
    for (uint32_t i = 0; i < access.bytes; ++i) {
      Byte& byte = written_[address + i];
      if (byte.site && byte.lane != lane) {
        equal &= byte.value == values[i];
        if (!meets)
          meets = LaneConflict{.address = address + i,
                               .lane = lane,
                               .other_lane = byte.lane,
                               .equal = true,
                               .other_site = byte.site == &site ? nullptr : byte.site};
      }
      byte = {.site = &site, .lane = static_cast<uint8_t>(lane), .value = values[i]};
    }
    if (meets && equal && !found) found = meets;
  }
  if (written_.size() > kMost) written_.clear();
  return found;
}

}  // namespace wavesmith::check
