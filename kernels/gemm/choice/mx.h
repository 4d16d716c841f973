// Products of numbers of 4 bits with a scale for each 32 of them along K (OCP's Microscaling formats): the
// rules.
#pragma once

#include "kernels/library/byte_range.h"

namespace wavesmith::kernels {

/// Checks the scales of a and b of e2m1x2. The matrices were checked; `d` is where D lies.
wavesmith_kernels_status check_mx(const wavesmith_kernels_gemm_description& gemm, const ByteRange& d);

}  // namespace wavesmith::kernels
