// Products of numbers of 4 bits with a scale for each 32 of them along K (OCP's Microscaling formats): the
// rules.
#pragma once

#include <vector>

#include "kernels/library/named_range.h"
#include "kernels/wavesmith_gemm.h"

namespace wavesmith::kernels {

/// Checks the scales of a and b of e2m1x2. The matrices were checked.
wavesmith_kernels_status check_mx(const wavesmith_kernels_gemm_description& gemm);

/// Where they lie, once they were checked.
std::vector<NamedRange> mx_ranges(const wavesmith_kernels_gemm_description& gemm);

}  // namespace wavesmith::kernels
