// The init checker.
#pragma once

#include "check/checker.h"

namespace wavesmith::check {

CheckerKind init_checker();

}  // namespace wavesmith::check
