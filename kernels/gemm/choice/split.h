// A product whose K is split: parts, summed up by workgroups of their own, and a kernel that adds them up.
#pragma once

#include "kernels/gemm/choice/choice.h"

namespace wavesmith::kernels {

/// The kernel that adds up a product's parts.
const char* name_of_combine(const wavesmith_kernels_gemm_description& gemm);

/// Rows that a thread of that kernel takes: some, whose beginning is the same, where there are enough for all
/// SIMDs of the GPU.
int passes_of_combine(int64_t m, int64_t n, int compute_units);

/// Makes a choice of several parts of one for the whole product: what the kernel's batch and the second
/// kernel are given.
void split_gemm(GemmChoice& choice, const wavesmith_kernels_gemm_description& gemm, bool a_along_k,
                bool b_along_k);

}  // namespace wavesmith::kernels
