// Streamed products: tiles that would leave compute units without work are shared along K, in parts that a
// second kernel adds up.
#pragma once

#include "kernels/gemm/choice/choice.h"

namespace wavesmith::kernels {

/// The workgroups that fill a GPU once, with the tiles of D that do not fill their last round shared among
/// `sharing` of them; without teams where there are no such tiles, or not more workgroups than these.
GemmShare share_tiles(const GemmConfiguration& tile, int64_t tiles, int64_t k, int64_t workgroups,
                      int64_t sharing);

/// Bytes of the workspace that the parts take.
int64_t bytes_of_parts(const GemmConfiguration& tile, const GemmShare& share);

/// Rows that the shared tiles have below each other.
int64_t rows_of_shared(const GemmConfiguration& tile, const GemmShare& share);

/// Makes a choice of a tile one of a streamed product.
void stream_gemm(GemmChoice& choice, const wavesmith_kernels_gemm_description& gemm, bool a_along_k,
                 bool b_along_k);

}  // namespace wavesmith::kernels
