// The wait checker.
#pragma once

#include "check/checker.h"

namespace wavesmith::check {

CheckerKind wait_checker();

}  // namespace wavesmith::check
