// Products whose A or B is gathered (gather.h), on the current device.
#pragma once

#include "kernels/gemm/gather.h"
#include "kernels/wavesmith_gemm.h"

namespace wavesmith::kernels {

/// Whether there are kernels for A and B of a type whose A is gathered, from places of so many channels; and
/// whose B is.
bool gathers(wavesmith_kernels_type type, int64_t channels);
bool gathers_places(wavesmith_kernels_type type);

/// Computes a product, of which only types, sizes, A's and D's data, and B with K together are looked at,
/// with D by rows; A's batch is from group to group. The caller has checked it. With `workspace` nothing is
/// launched, but it becomes the bytes of workspace with which the product is fastest.
wavesmith_kernels_status launch_gathered(wavesmith_kernels_gemm_description gemm, GemmGather gather,
                                         size_t* workspace, void* stream);

/// The same where B is gathered, and K goes along so many places. A has M together, in whole dwords from
/// place to place; an M that is odd has an element behind it.
wavesmith_kernels_status launch_gathered_places(wavesmith_kernels_gemm_description gemm, GemmGather gather,
                                                size_t* workspace, void* stream);

}  // namespace wavesmith::kernels
