// The rules of weights of 4 bits, whose groups along K have scales and zero points, and what kernels are
// given of them.
#pragma once

#include <vector>

#include "kernels/gemm/arguments.h"
#include "kernels/library/named_range.h"
#include "kernels/wavesmith_gemm.h"

namespace wavesmith::kernels {

/// Whether B has weights of 4 bits beside A's halves: i4x2, or e2m1x2 with MX's scales.
bool has_packed_weights(const wavesmith_kernels_gemm_description& gemm);

/// Numbers along K that share a scale.
int64_t group_of(const wavesmith_kernels_gemm_description& gemm);

/// Of a description whose B is of 4 bits.
GemmGroups group_arguments(const wavesmith_kernels_gemm_description& gemm);

/// Checks a product whose B is of 4 bits. The matrices were checked.
wavesmith_kernels_status check_group_scales(const wavesmith_kernels_gemm_description& gemm);

/// Where the scales and zero points lie, once they were checked.
std::vector<NamedRange> group_scale_ranges(const wavesmith_kernels_gemm_description& gemm);

}  // namespace wavesmith::kernels
