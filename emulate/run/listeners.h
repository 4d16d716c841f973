// Several listeners that hear the same workgroup.
#pragma once

#include <memory>
#include <vector>

#include "emulate/run/events.h"

namespace wavesmith::emulate {

/// One listener that tells each of these of every event, in their order; nullptr where all of them are
/// nullptr. The first that knows the cycle answers for it.
std::unique_ptr<WorkgroupListener> together(std::vector<std::unique_ptr<WorkgroupListener>> listeners);

}  // namespace wavesmith::emulate
