// How a workgroup holds a row: the kernels that there are of each form and type. One list for the device,
// which makes kernels of each line, and the host, which chooses.
#pragma once

#include "kernels/rows/configurations.h"

/// X(threads of a workgroup, eights of a row that a lane keeps, end of the kernel's name, why)
#define WAVESMITH_ALL_REDUCE_CONFIGURATIONS(X)                                     \
  X(256, 1, 256x1, "up to 2,048 columns, and small messages that no norm follows") \
  X(512, 1, 512x1, "up to 4,096 columns")                                          \
  X(512, 2, 512x2, "up to 8,192 columns, and large messages that no norm follows") \
  X(512, 4, 512x4, "up to 16,384 columns")

namespace wavesmith::kernels {

#define WAVESMITH_ROW(threads, parts, name, why) {threads, threads, parts, true, #name, why},
inline constexpr RowConfiguration kAllReduceConfigurations[] = {
    WAVESMITH_ALL_REDUCE_CONFIGURATIONS(WAVESMITH_ROW)};
#undef WAVESMITH_ROW

}  // namespace wavesmith::kernels
