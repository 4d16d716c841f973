// Where the arguments of a product lie in memory, and the rules of what must not overlap.
#pragma once

#include "kernels/wavesmith_gemm.h"

namespace wavesmith::kernels {

/// Matrices of A, of which groups share one.
int64_t batches_of_a(const wavesmith_kernels_gemm_description& gemm);
/// Of B, of which groups along K share one.
int64_t batches_of_b(const wavesmith_kernels_gemm_description& gemm);
/// Of C and D, of which groups of rows share one.
int64_t batches_of_d(const wavesmith_kernels_gemm_description& gemm);

/// Those that A has, which are not D's where a list names them.
int64_t rows_of_a(const wavesmith_kernels_gemm_description& gemm);

/// Checks that D overlaps nothing that is read, and a workspace nothing at all: of what the product reads,
/// and with arrays of pointers of what these do not lead to. All else was checked.
wavesmith_kernels_status check_ranges(const wavesmith_kernels_gemm_description& gemm);

}  // namespace wavesmith::kernels
