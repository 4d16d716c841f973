// How workgroups share the rows of matrices that are all of one type of 2 bytes, aligned, and short enough to
// stay in registers: the kernels that there are of an operation for each such type. One list for the device
// and the host, as configurations.h for matrices of all kinds. Times are modelled, of bf16 on MI300X.
#pragma once

#include "kernels/rows/configurations.h"

/// X(threads of a workgroup, lanes per row, eights of a row that a lane keeps, end of the kernel's name, why)
#define WAVESMITH_KNOWN_ROW_CONFIGURATIONS(X)                                                            \
  X(256, 16, 1, 16x1, "heads of up to 128 elements: sixteen rows per workgroup")                         \
  X(256, 32, 2, 32x2, "up to 512 columns: no wave waits for another")                                    \
  X(128, 128, 1, 128x1, "up to 1,024 columns: softmax of 8,192 rows 5.0 us, of eight per workgroup 5.4") \
  X(128, 128, 2, 128x2, "up to 2,048 columns: softmax of 2,048 rows 2.6 us, by 256 threads 2.9")         \
  X(256, 256, 2, 256x2, "up to 4,096 columns: softmax of 8,192 rows 14.8 us, by 512 threads 18.7")       \
  X(256, 256, 4, 256x4, "up to 8,192 columns: norm of 2,048 rows 6.9 us, by 1,024 threads 9.4")          \
  X(512, 512, 4, 512x4, "up to 16,384 columns")                                                          \
  X(512, 512, 8, 512x8, "up to 32,768 columns: softmax of 256 rows 5.8 us, by 1,024 threads 6.2")

namespace wavesmith::kernels {

#define WAVESMITH_ROW(threads, lanes, parts, name, why) {threads, lanes, parts, true, #name, why},
inline constexpr RowConfiguration kKnownRowConfigurations[] = {
    WAVESMITH_KNOWN_ROW_CONFIGURATIONS(WAVESMITH_ROW)};
#undef WAVESMITH_ROW

}  // namespace wavesmith::kernels
