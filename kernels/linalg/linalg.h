// How a call becomes launches.
#pragma once

#include <cstdint>

#include "kernels/library/device.h"
#include "kernels/linalg/arguments.h"

namespace wavesmith::kernels {

using Linalg = wavesmith_linalg_description;

/// Whether matrices of so many rows and columns fit in a workgroup's shared memory together.
bool fits_in_shared(int64_t rows, int64_t columns, int64_t more_columns, int64_t bytes);

/// Launches what a description that was checked asks for.
wavesmith_kernels_status launch_linalg(const Linalg& one, void* stream);

}  // namespace wavesmith::kernels
