// Changing and checking a Gpu; used by the loader.
#pragma once

#include <string_view>

#include "base/result.h"
#include "gpus/gpu.h"

namespace wavesmith::gpus {

/// Sets one field: "compute.units=8".
Result<void> set(Gpu& gpu, std::string_view assignment);

/// Whether every number that the rest relies on is there and possible.
Result<void> check(const Gpu& gpu);

}  // namespace wavesmith::gpus
