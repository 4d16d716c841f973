// What a kernel asks of the target beside arithmetic: memory with bounds, lanes, barriers, order.
#pragma once

#if defined(__NVCC__)
#include "tile/arch/nvidia.h"
#else
#include "tile/arch/amd.h"
#endif
