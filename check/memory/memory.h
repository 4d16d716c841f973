// The memory checker.
#pragma once

#include "check/checker.h"

namespace wavesmith::check {

CheckerKind memory_checker();

}  // namespace wavesmith::check
