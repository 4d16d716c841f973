// Resolves which GPU to use: the one named, else the environment's, else the default.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "gpus/gpu.h"

namespace wavesmith::gpus {

/// The GPU if none is named.
inline constexpr std::string_view kDefaultGpu = "mi300x";

/// The devices of a machine as find_machine takes them: `named`, where it is not empty, else WAVESMITH_GPU,
/// else kDefaultGpu.
std::string chosen_devices(std::string_view named = {});

/// Finds these devices. Errors: find_machine's.
Result<std::vector<const Gpu*>> chosen_machine(std::string_view named = {});

/// The first of them.
Result<const Gpu*> chosen_gpu(std::string_view named = {});

}  // namespace wavesmith::gpus
