// rocm-smi: what ROCm 7's prints of GPUs without sensors.
#pragma once

#include <string>
#include <vector>

#include "rocm/commands/answer.h"
#include "rocm/commands/card.h"

namespace wavesmith::rocm {

/// Code 2: an option that is unknown or would change a GPU.
Answer rocm_smi(const Machine& machine, const std::vector<std::string>& arguments);

}  // namespace wavesmith::rocm
