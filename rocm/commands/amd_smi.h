// amd-smi: list, static, monitor, topology and version, as ROCm 7's prints them.
#pragma once

#include <string>
#include <vector>

#include "rocm/commands/card.h"
#include "rocm/commands/command_output.h"

namespace wavesmith::rocm {

/// Code 2: a command or option that is unknown or that an emulated GPU does not support.
CommandOutput amd_smi(const Machine& machine, const std::vector<std::string>& arguments);

}  // namespace wavesmith::rocm
