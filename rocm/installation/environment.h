// The environment variables by which a program finds the emulated machine instead of this one.
#pragma once

#include <map>
#include <span>
#include <string>

#include "base/result.h"
#include "gpus/gpu.h"
#include "rocm/libraries/libraries.h"
#include "toolchain/discover.h"

namespace wavesmith::rocm {

/// Variables to set; each value includes the variable's former one where that has to stay.
using Environment = std::map<std::string, std::string>;

/// Generates the kernel driver's files and a ROCm folder for these GPUs, if they do not exist yet, and
/// returns the variables with which programs find them: WAVESMITH_MACHINE_ROOT and LD_PRELOAD for the former,
/// ROCM_PATH, HIP_PATH and PATH (hipcc) for the latter. Variables that the user has set stay. A machine with
/// AMD's driver keeps its own files, unless WAVESMITH_MACHINE is "1"; "0" shows none anywhere.
Result<Environment> environment(std::span<const gpus::Gpu* const> machine, const toolchain::Toolchain& tools,
                                const Libraries& libraries);

/// Variables of single clients, unless the user has set them; `libraries` is the folder of our libraries.
Environment client_variables(const std::string& libraries);

}  // namespace wavesmith::rocm
