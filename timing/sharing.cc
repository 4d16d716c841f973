#include "timing/sharing.h"

#include <algorithm>
#include <array>
#include <numeric>
#include <vector>

namespace wavesmith::timing {
namespace {

std::vector<uint64_t> lines_of(const WorkgroupRecord& group, uint64_t line) {
  std::vector<uint64_t> lines, addresses;
  for (const WaveRecord& wave : group.waves)
    for (const AccessRecord& access : wave.accesses) {
      if (access.space != Space::Global) continue;
      wave.expand(access, addresses);
      uint64_t last = ~uint64_t{0};
      for (const uint64_t address : addresses)
        for (uint64_t at = address / line; at <= (address + std::max<uint64_t>(1, access.bytes) - 1) / line;
             ++at)
          if (at != last) lines.push_back(last = at);
      if (lines.size() > (1u << 22)) break;
    }
  std::sort(lines.begin(), lines.end());
  lines.erase(std::unique(lines.begin(), lines.end()), lines.end());
  return lines;
}

}  // namespace

Sharing sharing_of(const gpus::Gpu& gpu, const uint32_t (&extent)[3], const WorkgroupRecord& base,
                   const WorkgroupRecord* const (&neighbours)[3]) {
  Sharing sharing;
  const uint64_t line = std::max(32u, gpu.l1_line_bytes);
  const std::vector<uint64_t> own = lines_of(base, line);
  sharing.lines = static_cast<double>(own.size());
  if (own.empty()) return sharing;
  std::array<std::vector<uint64_t>, 3> theirs;
  for (size_t axis = 0; axis < 3; ++axis)
    if (neighbours[axis]) theirs[axis] = lines_of(*neighbours[axis], line);
  // Lines by the axes along which they are shared.
  std::array<double, 8> kinds{};
  for (const uint64_t one : own) {
    size_t kind = 0;
    for (size_t axis = 0; axis < 3; ++axis)
      if (std::binary_search(theirs[axis].begin(), theirs[axis].end(), one)) kind |= size_t{1} << axis;
    kinds[kind] += 1;
  }
  const double total = static_cast<double>(extent[0]) * extent[1] * extent[2];
  const double dies = std::max(1u, gpu.xcds), per_die = std::max(1.0, total / dies);
  // Workgroups go to the dies in turn, so along the first axis a die sees every n-th.
  const double skips = dies / static_cast<double>(std::gcd(static_cast<uint64_t>(dies), uint64_t{extent[0]}));
  const double first_axis = std::max(1.0, static_cast<double>(extent[0]) * skips / dies);
  double missed = 0, unique = 0;
  for (size_t kind = 0; kind < kinds.size(); ++kind) {
    double on_die = 1, in_grid = 1;
    for (size_t axis = 0; axis < 3; ++axis)
      if (!(kind >> axis & 1)) {
        on_die *= axis == 0 ? first_axis : extent[axis];
        in_grid *= extent[axis];
      }
    missed += kinds[kind] * std::min(on_die, per_die) * std::min(dies, total);
    unique += kinds[kind] * in_grid;
  }
  const double asked = sharing.lines * total;
  missed = std::min(missed, asked);
  unique = std::min(unique, missed);
  sharing.l2 = 1 - missed / asked;
  sharing.infinity_cache = missed > 0 ? 1 - unique / missed : 0;
  sharing.grid_bytes = unique * static_cast<double>(line);
  return sharing;
}

}  // namespace wavesmith::timing
