// The time of one compute unit: recorded workgroups run side by side as its resources allow, waves share its
// pipes, and memory answers when the memory system says so. A simple unit: computing is accounted in runs,
// not instruction by instruction.
#pragma once

#include <vector>

#include "timing/grid/trace.h"
#include "timing/memory/unit.h"

namespace wavesmith::timing {

struct UnitLoad {
  std::vector<const GroupSteps*> groups;  ///< in the order in which they arrive
  std::vector<double> arrivals;           ///< clocks at which the dispatcher has each ready
  uint32_t resident = 1;                  ///< at once
  uint32_t simds = 4;
};

struct ReplayTime {
  std::vector<double> ends;    ///< of each group, clocks
  std::vector<double> folded;  ///< of these, those of iterations that were not replayed (Fold)
  double compute_clocks = 0, address_clocks = 0, lds_clocks = 0;  ///< that the pipes were busy
};

ReplayTime replay(const UnitLoad& load, UnitMemory& memory);

}  // namespace wavesmith::timing
