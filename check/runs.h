// Which bytes a wave's lanes access, in as few words as they take.
#pragma once

#include <bit>
#include <cstdint>
#include <optional>

#include "emulate/run/events.h"

namespace wavesmith::check {

/// Runs of bytes that lanes access one behind the other, equally far apart.
struct Runs {
  uint64_t begin = 0;   ///< of the first one
  uint32_t bytes = 0;   ///< of each
  uint32_t stride = 0;  ///< from one's begin to the next one's; more than `bytes`
  uint32_t count = 1;
  uint32_t first =
      0;  ///< the first one's first element, among the lanes'; of several runs each is an element
  [[nodiscard]] uint64_t end() const { return begin + uint64_t{stride} * (count - 1) + bytes; }
};

/// Whether each lane's address lies `stride` behind that of the lane before.
inline bool in_steps(const uint64_t* address, uint32_t lanes, uint64_t stride) {
  uint64_t differs = 0;
  for (uint32_t i = 1; i < lanes; ++i) differs |= (address[i] - address[i - 1]) ^ stride;
  return differs == 0;
}

/// All that the lanes access, where that is one run or runs equally far apart. `folds`: lanes that access the
/// same count once.
inline std::optional<Runs> even_runs(const emulate::MemoryAccess& access, bool folds) {
  if (!access.lanes) return std::nullopt;
  const int lowest = std::countr_zero(access.lanes);
  const uint64_t lanes = access.lanes >> lowest;
  const uint64_t* const address = access.address + lowest;
  const uint32_t bytes = access.bytes;
  if (lanes == 1) return Runs{.begin = *address, .bytes = bytes};
  if ((lanes & (lanes + 1)) != 0) return std::nullopt;
  const auto count = static_cast<uint32_t>(std::popcount(lanes));
  const uint64_t stride = access.side_by_side ? bytes : address[1] - address[0];
  const bool row = stride == bytes, apart = stride > bytes && stride <= UINT32_MAX;
  if (!row && !apart && !(folds && stride == 0)) return std::nullopt;
  if (!access.side_by_side && !in_steps(address, count, stride)) return std::nullopt;
  if (apart)
    return Runs{.begin = *address, .bytes = bytes, .stride = static_cast<uint32_t>(stride), .count = count};
  return Runs{.begin = *address, .bytes = row ? bytes * count : bytes};
}

/// Calls `each` with all that the lanes access. `folds`: lanes that access the same again count once.
template <class Each>
void for_each_runs(const emulate::MemoryAccess& access, bool folds, Each each) {
  if (const auto even = even_runs(access, folds)) return each(*even);
  const uint32_t bytes = access.bytes;
  Runs run;
  uint32_t at = 0;
  for (uint64_t left = access.lanes; left; left &= left - 1, ++at) {
    const uint64_t next = access.address[std::countr_zero(left)];
    if (run.bytes != 0 && next == run.end()) {
      run.bytes += bytes;
      continue;
    }
    if (folds && next >= run.begin && next + bytes <= run.end()) continue;
    if (run.bytes != 0) each(run);
    run = {.begin = next, .bytes = bytes, .first = at};
  }
  if (run.bytes != 0) each(run);
}

}  // namespace wavesmith::check
