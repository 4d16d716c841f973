// The sync checker.
#pragma once

#include "check/checker.h"

namespace wavesmith::check {

CheckerKind sync_checker();

}  // namespace wavesmith::check
