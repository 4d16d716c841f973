// The environment in which a program finds the emulated GPUs.
#pragma once

#include "base/result.h"
#include "machine/environment.h"

namespace wavesmith::cli {

/// Everything that `wavesmith run` sets for the GPUs that `devices` names ("mi300x:2"): our libraries, where
/// clients look for them by variables of their own, and the machine's files. What the user has set for a
/// client stays.
Result<machine::Environment> program_environment(const std::string& devices);

}  // namespace wavesmith::cli
