// Waits for values in memory and writes values, in stream order.
#pragma once

#include <vector>

#include "runtime/abi/launch.h"

namespace wavesmith::runtime {

/// Executes them one after the other. A wait polls, because anybody may write.
void run_memory_operations(const std::vector<hipStreamBatchMemOpParams>& operations);
/// Whether an operation is one that exists, on an address that is not null.
bool is_memory_operation(const hipStreamBatchMemOpParams& operation);

}  // namespace wavesmith::runtime
