// The rules of grouped products, and what their kernels are given.
#pragma once

#include <string_view>

#include "kernels/gemm/choice/choice.h"

namespace wavesmith::kernels {

/// Whether there are groups of rows, which have one matrix A, C and D.
bool has_row_groups(const wavesmith_kernels_gemm_description& gemm);
/// Whether there are groups along K, which have one matrix A and B.
bool has_depth_groups(const wavesmith_kernels_gemm_description& gemm);
/// What the types of their kernels are marked with: "g", "k", or nothing where there are none.
std::string_view mark_of_groups(const wavesmith_kernels_gemm_description& gemm);

/// The products that the groups are, if all are of the same size: what a tile takes for them.
wavesmith_kernels_gemm_description evenly_grouped(const wavesmith_kernels_gemm_description& gemm);

/// Makes the choice's arguments those of a grouped kernel.
void group_gemm(GemmChoice& choice, const wavesmith_kernels_gemm_description& gemm);

/// Checks a description with groups.
wavesmith_kernels_status check_groups(const wavesmith_kernels_gemm_description& gemm);

/// Checks where the matrices' own scales of B lie, if they have such.
wavesmith_kernels_status check_scales_of_groups(const wavesmith_kernels_gemm_description& gemm);

/// Checks the list of A's rows, if there is one, before A is.
wavesmith_kernels_status check_row_list(const wavesmith_kernels_gemm_description& gemm);

}  // namespace wavesmith::kernels
