// How workgroups share the rows of a norm's gradients: the kernels that there are, for the device and the
// host. A lane keeps its columns' sums over rows in registers beside the row: so rows are shorter than those
// of other operations on rows (kernels/rows/configurations.h).
#pragma once

#include <cstdint>
#include <iterator>

#include "kernels/rows/configurations.h"

/// X(threads of a workgroup, lanes per row, eights of a row that a lane keeps, aligned, end of the kernel's
/// name, why)
#define WAVESMITH_NORM_BACKWARD_KEPT(X)                                                           \
  X(256, 16, 1, true, 16x1, "heads of up to 128 elements: sixteen rows per workgroup")            \
  X(256, 32, 2, true, 32x2, "up to 512 columns: no wave waits for another")                       \
  X(256, 256, 1, true, 256x1, "up to 2,048 columns, each read once")                              \
  X(256, 256, 2, true, 256x2, "up to 4,096 columns")                                              \
  X(512, 512, 2, true, 512x2, "up to 8,192 columns: 256 threads with four eights spill on RDNA")  \
  X(256, 16, 1, false, 16x1_elements, "short rows that are not aligned to 16 bytes, by elements") \
  X(256, 256, 1, false, 256x1_elements, "up to 2,048 columns that are not aligned to 16 bytes")
#define WAVESMITH_NORM_BACKWARD_AGAIN(X)                                              \
  X(256, 256, 0, true, 256, "longer rows, read again; their sums are kept in memory") \
  X(256, 256, 0, false, 256_elements, "long rows that are not aligned to 16 bytes")
/// Of matrices and a weight that are all of f16 or all of bf16.
/// X(threads of a workgroup, lanes per row, eights of a row that a lane keeps, end of the kernel's name, why)
#define WAVESMITH_NORM_BACKWARD_KNOWN(X)                                         \
  X(256, 16, 1, 16x1, "heads of up to 128 elements: sixteen rows per workgroup") \
  X(256, 32, 2, 32x2, "up to 512 columns: no wave waits for another")            \
  X(128, 128, 1, 128x1, "up to 1,024 columns")                                   \
  X(256, 256, 1, 256x1, "up to 2,048 columns")                                   \
  X(256, 256, 2, 256x2, "up to 4,096 columns")                                   \
  X(256, 256, 4, 256x4, "up to 8,192 columns")                                   \
  X(512, 512, 4, 512x4, "up to 16,384 columns: with their sums as many as registers hold")

namespace wavesmith::kernels {

#define WAVESMITH_ROW(threads, lanes, parts, aligned, name, why) {threads, lanes, parts, aligned, #name, why},
inline constexpr RowConfiguration kNormBackwardConfigurations[] = {
    WAVESMITH_NORM_BACKWARD_KEPT(WAVESMITH_ROW) WAVESMITH_NORM_BACKWARD_AGAIN(WAVESMITH_ROW)};
#undef WAVESMITH_ROW
#define WAVESMITH_ROW(threads, lanes, parts, name, why) {threads, lanes, parts, true, #name, why},
inline constexpr RowConfiguration kNormBackwardKnownConfigurations[] = {
    WAVESMITH_NORM_BACKWARD_KNOWN(WAVESMITH_ROW)};
#undef WAVESMITH_ROW

/// The first configuration that holds rows of that length; null where there is none.
constexpr const RowConfiguration* norm_backward_configuration(int64_t columns, bool aligned) {
  return first_that_holds(kNormBackwardConfigurations, columns, aligned);
}
constexpr const RowConfiguration* norm_backward_known_configuration(int64_t columns) {
  return first_that_holds(kNormBackwardKnownConfigurations, columns, true);
}

}  // namespace wavesmith::kernels
