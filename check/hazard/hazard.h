// The hazard checker.
#pragma once

#include "check/checker.h"

namespace wavesmith::check {

CheckerKind hazard_checker();

}  // namespace wavesmith::check
