#include "model/gemm/tiles.h"

#include "model/fitted/read.h"

namespace wavesmith::model {

std::span<const GemmTile> gemm_tiles() { return fitted_gemm_tiles().tiles; }

std::span<const GemmVectorProducts> gemm_vector_products() { return fitted_gemm_tiles().vector_products; }

}  // namespace wavesmith::model
