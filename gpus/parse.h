// Changing and checking a Gpu; used by the loader.
#pragma once

#include <string_view>

#include "base/result.h"
#include "gpus/gpu.h"

namespace wavesmith::gpus {

/// Sets one field: "compute.units=8".
Result<void> set(Gpu& gpu, std::string_view assignment);

/// Checks that every required number is present and plausible.
Result<void> check(const Gpu& gpu);

}  // namespace wavesmith::gpus
