// The rules of scales that blocks along K have, and what kernels are given of them.
#pragma once

#include <string>
#include <vector>

#include "kernels/gemm/arguments.h"
#include "kernels/library/named_range.h"
#include "kernels/wavesmith_gemm.h"

namespace wavesmith::kernels {

/// Whether blocks of floats of 8 bits have scales.
bool has_float_scales(const wavesmith_kernels_gemm_description& gemm);

/// What the names of kernels for such blocks have behind the types of A and B: "b" and the columns of B that
/// share a scale; nothing where there are no such scales.
std::string block_word(const wavesmith_kernels_gemm_description& gemm);

/// Of A or B, as kernels take them.
GemmBlockScales block_arguments(const wavesmith_kernels_scales& scales);

/// Checks block scales: those that the types want, and none of others. The matrices were checked.
wavesmith_kernels_status check_block_scales(const wavesmith_kernels_gemm_description& gemm);

/// Where they lie, once they were checked.
std::vector<NamedRange> block_scale_ranges(const wavesmith_kernels_gemm_description& gemm);

}  // namespace wavesmith::kernels
