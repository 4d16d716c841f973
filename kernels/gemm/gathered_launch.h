// Products whose A is gathered (gather.h), on the current device.
#pragma once

#include "kernels/gemm/gather.h"
#include "kernels/wavesmith_kernels.h"

namespace wavesmith::kernels {

/// Whether there are kernels for A and B of a type, and places of so many channels.
bool gathers(wavesmith_kernels_type type, int64_t channels);

/// Computes a product, of which only types, sizes, A's and D's data, and B with K together are looked at,
/// with D by rows; A's batch is from group to group. The caller has checked it. With `workspace` nothing is
/// launched, but it becomes the bytes of workspace with which the product is fastest.
wavesmith_kernels_status launch_gathered(wavesmith_kernels_gemm_description gemm, GemmGather gather,
                                         size_t* workspace, void* stream);

}  // namespace wavesmith::kernels
