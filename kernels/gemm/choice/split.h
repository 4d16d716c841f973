// A product whose K is split: parts, summed up by workgroups of their own, and a kernel that adds them up.
#pragma once

#include "kernels/gemm/choice/choice.h"

namespace wavesmith::kernels {

/// Makes a choice of several parts of one for the whole product: what the kernel's batch and the second
/// kernel are given.
void split_gemm(GemmChoice& choice, const wavesmith_kernels_gemm_description& gemm, bool a_along_k,
                bool b_along_k);

}  // namespace wavesmith::kernels
