// Which kernel serves rows of a length.
#pragma once

#include <cstdint>
#include <iterator>

#include "kernels/library/element_type.h"
#include "kernels/rows/configurations.h"
#include "kernels/rows/known.h"

namespace wavesmith::kernels {

/// The configuration for rows of that length: whether all of the matrices are aligned decides, too.
constexpr const RowConfiguration& row_configuration(int64_t columns, bool aligned) {
  // Of the kernels that keep no rows, the ones for few columns waste fewer lanes.
  constexpr int64_t kFewColumns = 512;
  for (const RowConfiguration& one : kRowConfigurations) {
    if (one.aligned != aligned || columns > one.columns()) continue;
    if (!aligned && columns > kFewColumns && one.lanes < kRowThreads) continue;
    return one;
  }
  return *(std::end(kRowConfigurations) - 1);
}

/// The configuration for rows of that length in kernels for matrices that are aligned and all of that type;
/// null where there is none.
constexpr const RowConfiguration* known_row_configuration(wavesmith_kernels_type type, int64_t columns) {
  if (type != WAVESMITH_KERNELS_F16 && type != WAVESMITH_KERNELS_BF16) return nullptr;
  return first_that_holds(kKnownRowConfigurations, columns, true);
}

}  // namespace wavesmith::kernels
