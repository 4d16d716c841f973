// The numeric checker.
#pragma once

#include "check/checker.h"

namespace wavesmith::check {

CheckerKind numeric_checker();

}  // namespace wavesmith::check
