// Waiting for and writing values in memory in a stream's order.
#pragma once

#include <vector>

#include "runtime/abi/launch.h"

namespace wavesmith::runtime {

/// Does them, one after the other. A wait looks again and again, since anybody may write.
void run_memory_operations(const std::vector<hipStreamBatchMemOpParams>& operations);
/// Whether an operation is one that exists, on an address that is not null.
bool is_memory_operation(const hipStreamBatchMemOpParams& operation);

}  // namespace wavesmith::runtime
