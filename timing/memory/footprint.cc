#include "timing/memory/footprint.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdlib>
#include <map>
#include <vector>

#include "timing/memory/line_map.h"

namespace wavesmith::timing {
namespace {

/// Lines, or larger grains, side by side, of each of which the same parts are touched.
struct Run {
  uint64_t first, end;
  uint32_t parts;
};
constexpr uint32_t kAllParts = ~uint32_t{0};
/// Ascending, each line once.
using Set = std::vector<Run>;
/// By region's index; what lies in none is not looked at.
using Touched = std::map<size_t, Set>;

void append(Set& set, const Run& run) {
  if (!set.empty() && set.back().end == run.first && set.back().parts == run.parts)
    set.back().end = run.end;
  else
    set.push_back(run);
}

/// The lines of each run once, of runs that may overlap and of which all parts are touched.
void merge(Set& runs) {
  std::ranges::sort(runs, {}, &Run::first);
  size_t kept = 0;
  for (const Run& run : runs)
    if (kept != 0 && run.first <= runs[kept - 1].end)
      runs[kept - 1].end = std::max(runs[kept - 1].end, run.end);
    else
      runs[kept++] = run;
  runs.resize(kept);
}

/// Collects the lines that a workgroup touches. Loops come to the same ones again and again: each is kept
/// once before anything is sorted.
class Lines {
 public:
  explicit Lines(uint32_t line) : line_(line) {}
  void touch(uint64_t number, uint32_t parts) {
    const auto [place, is_new] = places_.insert(number, static_cast<uint32_t>(single_.size()));
    if (is_new)
      single_.push_back({number, number + 1, parts});
    else
      single_[*place].parts |= parts;
  }
  void touch_bytes(uint64_t begin, uint64_t end) {
    const uint64_t first = (begin + line_ - 1) / line_, last = end / line_;  // lines that are touched whole
    if (first < last) whole_.push_back({first, last, kAllParts});
    if (begin % line_ != 0)
      touch(begin / line_, parts_of(begin % line_, std::min(line_ - begin % line_, end - begin), line_));
    if (end % line_ != 0 && (last * line_ > begin || begin % line_ == 0))
      touch(last, parts_of(0, end % line_, line_));
  }
  void sweep(const Sweep& sweep) {
    const auto step = static_cast<uint64_t>(sweep.step);
    const uint64_t last = sweep.address + (sweep.times - 1) * step;
    if (std::abs(sweep.step) <= int64_t{sweep.bytes})  // without gaps
      touch_bytes(std::min(sweep.address, last), std::max(sweep.address, last) + sweep.bytes);
    else
      for (uint64_t i = 0, at = sweep.address; i < sweep.times; ++i, at += step)
        touch_bytes(at, at + sweep.bytes);
  }
  Set take() {
    std::ranges::sort(single_, {}, &Run::first);
    merge(whole_);
    Set all;
    auto whole = whole_.begin();
    for (const Run& one : single_) {
      while (whole != whole_.end() && whole->end <= one.first) append(all, *whole++);
      if (whole == whole_.end() || one.first < whole->first) append(all, one);
    }
    for (; whole != whole_.end(); ++whole) append(all, *whole);
    return all;
  }

 private:
  uint64_t line_;
  LineMap<uint32_t> places_{256};
  Set single_, whole_;
};

Set lines_of(const GroupSteps& group, uint32_t line) {
  Lines lines(line);
  for (const WaveSteps& wave : group.waves) {
    for (const LineUse& use : wave.lines) lines.touch(use.line, use.parts);
    for (const Sweep& sweep : wave.sweeps) lines.sweep(sweep);
  }
  return lines.take();
}

/// Those of each region. A line may begin before the region's first byte.
Touched touched(std::span<const Region> regions, const Set& lines, uint32_t line) {
  Touched sets;
  for (const Run& run : lines)
    for (uint64_t number = run.first; number < run.end;) {
      const uint64_t address = number * line;
      auto next = std::ranges::upper_bound(regions, address, {}, &Region::begin);
      uint64_t end = number + 1;
      if (next != regions.begin() && address < (next - 1)->begin + (next - 1)->bytes) {
        --next;
        end = std::min(run.end, (next->begin + next->bytes + line - 1) / line);
      } else if (next == regions.end()) {
        break;
      } else if (next->begin >= address + line) {
        number = next->begin / line;
        continue;
      }
      append(sets[static_cast<size_t>(next - regions.begin())], {number, end, run.parts});
      number = end;
    }
  return sets;
}

/// Larger pieces, of `grain` bytes, that lines are in. Their parts are not looked at.
Touched coarse(const Touched& lines, uint32_t line, double grain) {
  const auto bytes = static_cast<uint64_t>(grain);
  Touched sets = lines;
  if (bytes <= line) return sets;
  for (auto& [index, set] : sets) {
    for (Run& run : set) run = {run.first * line / bytes, (run.end - 1) * line / bytes + 1, kAllParts};
    merge(set);
  }
  return sets;
}

double count(const Set& set) {
  uint64_t sum = 0;
  for (const Run& run : set) sum += run.end - run.first;
  return static_cast<double>(sum);
}

/// The share of a's grains that b touches, too, and that less the parts that are new there.
struct Share {
  double grains, parts;
};
Share shared(const Set& a, const Set& b) {
  if (a.empty()) return {};
  double grains = 0, parts = 0;
  for (auto i = a.begin(), j = b.begin(); i != a.end() && j != b.end();) {
    const uint64_t first = std::max(i->first, j->first), end = std::min(i->end, j->end);
    if (first < end) {
      const auto both = static_cast<double>(end - first);
      grains += both;
      parts += both * (1 - std::popcount(j->parts & ~i->parts) / 32.0);
    }
    const bool next_a = i->end <= j->end, next_b = j->end <= i->end;
    i += next_a, j += next_b;
  }
  const double all = count(a);
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
  struct Both {
    Touched lines, grains;
  };
  std::map<const GroupSteps*, Both> known;
  const auto touched_by = [&](const GroupSteps& group) -> const Both& {
    const auto [of, is_new] = known.try_emplace(&group);
    if (is_new) {
      of->second.lines = touched(regions, lines_of(group, line), line);
      of->second.grains = coarse(of->second.lines, line, grain);
    }
    return of->second;
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
    const Both& of = touched_by(*sample);
    for (const auto& [index, set] : of.lines) found[index].lines += count(set) * weight;
    for (const auto& [index, set] : of.grains) found[index].grains += count(set) * weight;
  }
  const Both& own = touched_by(base);
  // What of `mine` the other touches; nothing where either does not touch the region.
  const auto share_of = [](const Touched& mine, const Touched& others, size_t index) {
    const auto of = mine.find(index), other = others.find(index);
    return of != mine.end() && other != others.end() ? shared(of->second, other->second) : Share{};
  };
  for (int axis = 0; axis < 3; ++axis) {
    if (!neighbours.along[axis]) continue;
    const Both& next = touched_by(*neighbours.along[axis]);
    for (auto& [index, footprint] : found) {
      const Share share = share_of(own.lines, next.lines, index);
      footprint.shared[axis] = share.grains;
      footprint.parts_shared[axis] = share.parts;
      footprint.grains_shared[axis] = share_of(own.grains, next.grains, index).grains;
    }
  }
  if (neighbours.on_die) {
    const Both& next = touched_by(*neighbours.on_die);
    for (auto& [index, footprint] : found)
      if (own.lines.contains(index)) footprint.shared_on_die = share_of(own.lines, next.lines, index).grains;
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
