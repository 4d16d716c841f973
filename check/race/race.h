// The race checker.
#pragma once

#include "check/checker.h"

namespace wavesmith::check {

CheckerKind race_checker();

}  // namespace wavesmith::check
