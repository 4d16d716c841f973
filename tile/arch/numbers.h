// Functions and conversions of numbers by the target's instructions.
#pragma once

#if defined(__NVCC__)
#include "tile/arch/nvidia_numbers.h"
#else
#include "tile/arch/amd_numbers.h"
#endif
