// What a program has to be told, by its environment, so that it finds the emulated machine instead of this
// one.
#pragma once

#include <map>
#include <span>
#include <string>

#include "base/result.h"
#include "gpus/gpu.h"
#include "rocm/libraries/libraries.h"
#include "toolchain/discover.h"

namespace wavesmith::rocm {

/// Variables to set; a value is what the variable has to be, what it was before included.
using Environment = std::map<std::string, std::string>;

/// The kernel driver's files and a ROCm folder for these GPUs, generated where they are not yet, and the
/// variables with which programs find them: WAVESMITH_MACHINE_ROOT and LD_PRELOAD for the former, ROCM_PATH,
/// HIP_PATH and PATH (hipcc) for the latter. Variables that the user has set stay. A machine with AMD's
/// driver keeps its own files, unless WAVESMITH_MACHINE is "1"; "0" shows none anywhere.
Result<Environment> environment(std::span<const gpus::Gpu* const> machine, const toolchain::Toolchain& tools,
                                const Libraries& libraries);

/// What clients look up by variables of their own, which the user has not set; `libraries` is the folder of
/// our libraries.
Environment client_variables(const std::string& libraries);

}  // namespace wavesmith::rocm
