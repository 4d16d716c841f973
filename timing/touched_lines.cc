#include "timing/touched_lines.h"

#include <algorithm>
#include <bit>

namespace wavesmith::timing {

GroupSteps TouchedLines::of(uint64_t number, const WorkgroupRecord& group) {
  GroupSteps lines{number, {}};
  for (const WaveRecord& wave : group.waves) {
    WaveSteps& steps = lines.waves.emplace_back();
    steps.instructions = wave.executed;
    steps.recorded = wave.sites.size();
    for (const AccessRecord& access : wave.accesses)
      if (access.space != AccessSpace::Lds && access.lanes != 0) add(wave, access, steps.lines);
  }
  return lines;
}

void TouchedLines::add(const WaveRecord& wave, const AccessRecord& access, std::vector<LineUse>& to) {
  if (access.shape == AccessRecord::kNoShape || kShapePeriod % line_ != 0) return work_out(wave, access, to);
  const uint64_t begins = access.base / line_;
  if (by_shape_.size() <= access.shape) by_shape_.resize(access.shape + size_t{1});
  std::vector<LineUse>& lines = by_shape_[access.shape];
  if (lines.empty()) {
    work_out(wave, access, lines);
    for (LineUse& use : lines) use.line -= begins;
  }
  for (const LineUse& use : lines) to.push_back({use.line + begins, use.bytes, use.parts});
}

void TouchedLines::work_out(const WaveRecord& wave, const AccessRecord& access, std::vector<LineUse>& to) {
  const uint64_t bytes = std::max<uint64_t>(1, access.bytes);
  uint64_t before = ~uint64_t{0};
  const auto add = [&](uint64_t from, uint64_t end) {
    for (uint64_t at = from / line_; at <= end / line_; ++at) {
      const uint64_t first = std::max(from, at * line_), last = std::min(end, at * line_ + line_ - 1);
      const uint32_t parts = parts_of(first - at * line_, last - first + 1, line_);
      if (at != before)
        to.push_back({before = at, line_, parts});
      else
        to.back().parts |= parts;
    }
  };
  if (access.affine && access.stride >= 0 && access.stride <= static_cast<int64_t>(bytes)) {
    // No gap between lanes, or none that matters.
    const auto stride = static_cast<uint64_t>(access.stride);
    add(access.base + stride * static_cast<uint64_t>(std::countr_zero(access.lanes)),
        access.base + stride * (63 - static_cast<uint64_t>(std::countl_zero(access.lanes))) + bytes - 1);
    return;
  }
  wave.expand(access, addresses_);
  for (const uint64_t address : addresses_) add(address, address + bytes - 1);
}

}  // namespace wavesmith::timing
