#include "timing/memory/footprint.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <map>
#include <vector>

#include "timing/memory/line_map.h"

namespace wavesmith::timing {
namespace {

/// A line or a larger grain, and which parts of it are touched.
struct Grain {
  uint64_t number;
  uint32_t parts;
};
/// Ascending, each once.
using Set = std::vector<Grain>;
/// By region's index; what lies in none is under SIZE_MAX and not looked at.
using Touched = std::map<size_t, Set>;

size_t region_of(std::span<const Region> regions, uint64_t address) {
  auto after = std::ranges::upper_bound(regions, address, {}, &Region::begin);
  if (after == regions.begin()) return SIZE_MAX;
  --after;
  // A line may begin before the region's first byte.
  return address < after->begin + after->bytes ? static_cast<size_t>(after - regions.begin()) : SIZE_MAX;
}

/// The lines that a workgroup touches. Loops come to the same ones again and again: each is kept once before
/// anything is sorted.
Set lines_of(const GroupSteps& group) {
  Set lines;
  LineMap<uint32_t> places(256);
  for (const WaveSteps& wave : group.waves)
    for (const LineUse& use : wave.lines) {
      const auto [place, is_new] = places.insert(use.line, static_cast<uint32_t>(lines.size()));
      if (is_new)
        lines.push_back({use.line, use.parts});
      else
        lines[*place].parts |= use.parts;
    }
  std::ranges::sort(lines, {}, &Grain::number);
  return lines;
}

/// Grains of each region that some lines are in, in multiples of `grain` bytes.
Touched touched(std::span<const Region> regions, const Set& lines, uint32_t line, double grain) {
  Touched sets;
  for (const Grain& use : lines) {
    const uint64_t address = use.number * line;
    size_t index = region_of(regions, address);
    if (index == SIZE_MAX) index = region_of(regions, address + line - 1);
    if (index == SIZE_MAX) continue;
    Set& set = sets[index];
    // Of a larger grain the parts are not looked at.
    const uint64_t number = address / static_cast<uint64_t>(grain);
    const uint32_t parts = grain > line ? ~uint32_t{0} : use.parts;
    if (set.empty() || set.back().number != number)
      set.push_back({number, parts});
    else
      set.back().parts |= parts;
  }
  return sets;
}

/// The share of a's grains that b touches, too, and that less the parts that are new there.
struct Share {
  double grains, parts;
};
Share shared(const Set& a, const Set& b) {
  if (a.empty()) return {};
  double grains = 0, parts = 0;
  for (auto i = a.begin(), j = b.begin(); i != a.end() && j != b.end();) {
    if (i->number == j->number) ++grains, parts += 1 - std::popcount(j->parts & ~i->parts) / 32.0;
    const bool next_a = i->number <= j->number, next_b = j->number <= i->number;
    i += next_a, j += next_b;
  }
  const auto all = static_cast<double>(a.size());
  return {grains / all, parts / all};
}

double extent(double one, const double (&share)[3], double count, const Extent3& groups, double all) {
  double sum = one;
  for (int axis = 0; axis < 3; ++axis) {
    const double along = std::clamp<double>(count, 1, groups[axis]);
    sum *= 1 + (along - 1) * (1 - share[axis]);
    count /= along;
  }
  return std::min(sum, all);
}

}  // namespace

double Footprint::lines_of(double count, const Extent3& groups) const {
  return std::max(extent(lines, shared, count, groups, all_lines),
                  extent(lines, parts_shared, count, groups, all_lines));
}
double Footprint::lines_of_every(uint32_t step, double count, const Extent3& groups) const {
  const uint64_t total = groups.count();
  std::vector<uint32_t> places[3];
  const uint64_t asked = count < static_cast<double>(total) ? static_cast<uint64_t>(std::ceil(count)) : total;
  for (uint64_t i = 0, number = 0; i < asked && number < total; ++i, number += std::max(1u, step)) {
    uint64_t rest = number;
    for (int axis = 0; axis < 3; ++axis) {
      const uint64_t extent = std::max(1u, groups[axis]);
      places[axis].push_back(static_cast<uint32_t>(rest % extent));
      rest /= extent;
    }
  }
  double sum = lines;
  for (int axis = 0; axis < 3; ++axis) {
    std::vector<uint32_t>& along = places[axis];
    std::ranges::sort(along);
    double times = 1;
    for (size_t i = 1; i < along.size(); ++i) {  // what lies n apart shares less than what lies side by side
      const uint32_t apart = along[i] - along[i - 1];
      const bool on_die = axis == 0 && shared_on_die && apart >= step;
      times += std::min(1.0, on_die ? apart / std::max(1.0, static_cast<double>(step)) * (1 - *shared_on_die)
                                    : apart * (1 - shared[axis]));
    }
    sum *= times;
  }
  return std::min({sum, lines * std::max(1.0, count), all_lines});
}
Footprint::Again Footprint::again(const Extent3& groups) const {
  Again found;
  double touched = 1, distinct = 1;
  for (int axis = 0; axis < 3; ++axis) {
    const double extent = std::max(1u, groups[axis]);
    const double grown = distinct * (1 + (extent - 1) * (1 - shared[axis]));
    // Of what the blocks of workgroups along this axis touch, each by itself.
    for (int before = 0; before < axis; ++before) found.share[before] *= extent;
    found.share[axis] = distinct * extent - grown;
    touched *= extent;
    distinct = grown;
  }
  for (double& share : found.share) share /= touched;
  return found;
}
double Footprint::lines_wanted(const Extent3& groups) const {
  const double count = static_cast<double>(groups.count());
  return extent(lines, parts_shared, count, groups, all_lines);
}
double Footprint::grains_of(double count, const Extent3& groups) const {
  // Neighbours may share a piece though many of them do not.
  const double by_lines = lines_of(count, groups) * all_grains / all_lines;
  return std::max(by_lines, extent(grains, grains_shared, count, groups, all_grains));
}

std::optional<uint64_t> neighbour(uint64_t base, int axis, uint32_t step, const Extent3& groups) {
  uint64_t stride = 1;
  for (int before = 0; before < axis; ++before) stride *= groups[before];
  const uint64_t at = base / stride % groups[axis];
  if (at + step < groups[axis]) return base + step * stride;
  if (at >= step) return base - step * stride;
  return std::nullopt;
}

std::vector<Footprint> footprints(std::span<const Region> regions, std::span<const GroupSteps* const> samples,
                                  const GroupSteps& base, const Neighbours& neighbours, uint32_t line,
                                  double grain) {
  std::map<const GroupSteps*, Set> known;
  const auto touched_by = [&](const GroupSteps& group, double grain_bytes) {
    const auto [of, is_new] = known.try_emplace(&group);
    if (is_new) of->second = lines_of(group);
    return touched(regions, of->second, line, grain_bytes);
  };
  std::map<size_t, Footprint> found;
  for (const GroupSteps* const sample : samples) {
    double instructions = 0, recorded = 0;
    for (const WaveSteps& wave : sample->waves) {
      instructions += static_cast<double>(wave.instructions);
      recorded += static_cast<double>(wave.recorded);
    }
    // Of a workgroup recorded in part, the rest touches as many new lines an instruction.
    const double scale = recorded > 0 ? instructions / recorded : 1;
    const double weight = scale / static_cast<double>(samples.size());
    for (const auto& [index, set] : touched_by(*sample, line))
      found[index].lines += static_cast<double>(set.size()) * weight;
    for (const auto& [index, set] : touched_by(*sample, grain))
      found[index].grains += static_cast<double>(set.size()) * weight;
  }
  const Touched lines = touched_by(base, line), grains = touched_by(base, grain);
  for (int axis = 0; axis < 3; ++axis) {
    if (!neighbours.along[axis]) continue;
    const Touched next = touched_by(*neighbours.along[axis], line),
                  next_grains = touched_by(*neighbours.along[axis], grain);
    for (auto& [index, footprint] : found) {
      if (lines.contains(index) && next.contains(index)) {
        const Share share = shared(lines.at(index), next.at(index));
        footprint.shared[axis] = share.grains;
        footprint.parts_shared[axis] = share.parts;
      }
      if (grains.contains(index) && next_grains.contains(index))
        footprint.grains_shared[axis] = shared(grains.at(index), next_grains.at(index)).grains;
    }
  }
  if (neighbours.on_die) {
    const Touched next = touched_by(*neighbours.on_die, line);
    for (auto& [index, footprint] : found)
      if (lines.contains(index))
        footprint.shared_on_die = next.contains(index) ? shared(lines.at(index), next.at(index)).grains : 0;
  }
  std::vector<Footprint> result;
  for (auto& [index, footprint] : found) {
    footprint.region = regions[index];
    const auto bytes = static_cast<double>(regions[index].bytes);
    footprint.all_lines = std::max(1.0, bytes / line);
    footprint.all_grains = std::max(1.0, bytes / grain);
    footprint.lines = std::min(footprint.lines, footprint.all_lines);
    footprint.grains = std::min(footprint.grains, footprint.all_grains);
    result.push_back(footprint);
  }
  return result;
}

double private_bytes(std::span<const GroupSteps* const> samples, double resident, uint32_t line) {
  // Recordings put it where no allocation is (private_address, emulate::kPrivateAperture).
  constexpr uint64_t kPrivate = uint64_t{1} << 48;
  double lines = 0;
  for (const GroupSteps* const sample : samples) {
    std::vector<uint64_t> touched;
    for (const WaveSteps& wave : sample->waves)
      for (const LineUse& use : wave.lines)
        if (use.line * line >= kPrivate) touched.push_back(use.line);
    std::ranges::sort(touched);
    lines += static_cast<double>(std::unique(touched.begin(), touched.end()) - touched.begin());
  }
  return samples.empty() ? 0 : lines / static_cast<double>(samples.size()) * resident * line;
}

}  // namespace wavesmith::timing
