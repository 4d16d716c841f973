// The lines that recorded workgroups touch, as footprints() takes them.
#pragma once

#include <cstdint>
#include <vector>

#include "timing/grid/trace.h"
#include "timing/trace.h"

namespace wavesmith::timing {

class TouchedLines {
 public:
  /// `line`: bytes of one.
  explicit TouchedLines(uint32_t line) : line_(line) {}
  /// Those of workgroup `number`, wave by wave. The lines of a numbered shape are worked out once: all
  /// workgroups are of one launch.
  GroupSteps of(uint64_t number, const WorkgroupRecord& group);

 private:
  void add(const WaveRecord& wave, const AccessRecord& access, std::vector<LineUse>& to);
  void work_out(const WaveRecord& wave, const AccessRecord& access, std::vector<LineUse>& to);
  uint32_t line_;
  std::vector<std::vector<LineUse>> by_shape_;  ///< from the line on in which an access of that shape begins
  std::vector<uint64_t> addresses_;
};

}  // namespace wavesmith::timing
