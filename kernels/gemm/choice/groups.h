// The rules of grouped products, and what their kernels are given.
#pragma once

#include "kernels/gemm/choice/choice.h"

namespace wavesmith::kernels {

/// The products that the groups are, if all have the same number of rows: what a tile takes for them.
wavesmith_kernels_gemm_description evenly_grouped(const wavesmith_kernels_gemm_description& gemm);

/// Makes the choice's arguments those of a grouped kernel.
void group_gemm(GemmChoice& choice, const wavesmith_kernels_gemm_description& gemm);

/// Checks a description with groups before its matrices are.
wavesmith_kernels_status check_groups(const wavesmith_kernels_gemm_description& gemm);

}  // namespace wavesmith::kernels
