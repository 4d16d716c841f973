// Races between pieces of work: kernels, copies, fills and releases of several streams, or of a graph's
// branches.
#pragma once

#include "check/checker.h"

namespace wavesmith::check {

CheckerKind stream_checker();

}  // namespace wavesmith::check
