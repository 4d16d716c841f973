// rocm-smi, as ROCm 7's prints it for GPUs without sensors.
#pragma once

#include <string>
#include <vector>

#include "rocm/commands/card.h"
#include "rocm/commands/command_output.h"

namespace wavesmith::rocm {

/// Code 2: an option that is unknown or would change a GPU.
CommandOutput rocm_smi(const Machine& machine, const std::vector<std::string>& arguments);

}  // namespace wavesmith::rocm
