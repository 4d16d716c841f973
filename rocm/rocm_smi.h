// rocm-smi: what ROCm 7's prints of GPUs without sensors.
#pragma once

#include <string>
#include <vector>

#include "rocm/answer.h"
#include "rocm/card.h"

namespace wavesmith::rocm {

/// Code 2: an option that is unknown or would change a GPU.
Answer rocm_smi(const Machine& machine, const std::vector<std::string>& arguments);

}  // namespace wavesmith::rocm
