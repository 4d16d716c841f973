// Products of numbers of 4 bits with a scale for each 32 of them along K (OCP's Microscaling formats): the
// rules.
#pragma once

#include "kernels/library/byte_range.h"

namespace wavesmith::kernels {

/// Checks block scales: those that MX's types want, and none of others. The matrices were checked; `d` is
/// where D lies.
wavesmith_kernels_status check_block_scales(const wavesmith_kernels_gemm_description& gemm,
                                            const ByteRange& d);

}  // namespace wavesmith::kernels
