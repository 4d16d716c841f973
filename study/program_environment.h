// The environment in which a program finds the emulated GPUs.
#pragma once

#include <string>
#include <vector>

#include "base/result.h"
#include "rocm/installation/environment.h"
#include "rocm/libraries/libraries.h"

namespace wavesmith::study {

struct ProgramEnvironment {
  rocm::Environment variables;
  rocm::Libraries libraries;
  std::vector<Error> notes;  ///< what could not be had, and is done without
};

/// Everything that `wavesmith run` sets for the GPUs that `devices` names ("mi300x:2"): our libraries and
/// AMD's
/// (`libraries`: "auto", "amd", "stand-ins" or a folder), where clients look for them by variables of their
/// own, and the machine's files. What the user has set for a client stays.
Result<ProgramEnvironment> program_environment(const std::string& devices, const std::string& libraries);

}  // namespace wavesmith::study
