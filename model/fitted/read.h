// Reads the files of model/fitted on first use and keeps their contents.
#pragma once

#include <vector>

#include "model/constants.h"
#include "model/gemm/table.h"
#include "model/gemm/tiles.h"

namespace wavesmith::model {

struct FittedConstants {
  std::vector<ConstantSet> sets;
  std::vector<Constant> constants;
};
const FittedConstants& fitted_constants();

struct FittedGemm {
  std::vector<GemmPart> parts;
  std::vector<GemmSet> sets;
  std::vector<GemmFactor> factors;
};
const FittedGemm& fitted_gemm();

struct FittedGemmTiles {
  std::vector<GemmTile> tiles;
  std::vector<GemmVectorProducts> vector_products;
};
const FittedGemmTiles& fitted_gemm_tiles();

/// "30 constants on 36 rows", where a set has so few rows; otherwise empty.
std::string few_rows(size_t constants, size_t rows);

}  // namespace wavesmith::model
