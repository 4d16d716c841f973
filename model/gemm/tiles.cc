#include "model/gemm/tiles.h"

#include "model/fitted/read.h"

namespace wavesmith::model {

std::span<const GemmTile> gemm_tiles() { return fitted_gemm_tiles(); }

}  // namespace wavesmith::model
