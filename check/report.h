// What the checks of a process came to.
#pragma once

#include <cstdint>
#include <vector>

#include "check/finding.h"

namespace wavesmith::check {

struct Report {
  std::vector<Topic> topics;  ///< that were checked
  uint64_t launches = 0;      ///< that were checked
  std::vector<Finding> findings;
};

}  // namespace wavesmith::check
