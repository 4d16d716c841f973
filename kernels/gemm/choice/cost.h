// What a product takes with each tile: the ways of computing it that dispatch chooses from.
#pragma once

#include <vector>

#include "kernels/gemm/choice/choice.h"
#include "kernels/gemm/choice/gate.h"

namespace wavesmith::kernels {

/// The product with a tile, all of K by one workgroup; and, where the workspace holds them and it is faster,
/// with K in the number of parts that takes the fewest cycles. `wanted` parts only, if it is not 0.
/// `bytes_b`: what B is gathered from; 0: B is a matrix.
std::vector<GemmChoice::Candidate> gemm_candidates(const GemmConfiguration& tile,
                                                   const wavesmith_kernels_gemm_description& gemm,
                                                   int compute_units, int wanted, int64_t bytes_b = 0);

/// The streamed product with a tile of kernels for such, where the workspace holds its parts; nothing where
/// no tile would be shared or, if it is not `wanted`, where that is not thought to gain.
std::vector<GemmChoice::Candidate> streamed_candidates(const GemmConfiguration& tile,
                                                       const wavesmith_kernels_gemm_description& gemm,
                                                       int compute_units, bool wanted);

/// Elements of a row of a part: a sum of 4 bytes for each of B's columns, in whole eights. Of a product that
/// gates, eights of the second half are read from its beginning on.
constexpr int64_t stride_of_parts(const wavesmith_kernels_gemm_description& gemm) {
  return (columns_of_b(gemm) + (gemm.gated ? 14 : 7)) / 8 * 8;
}

}  // namespace wavesmith::kernels
