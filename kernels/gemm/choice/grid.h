// How the tiles of a product become a grid of workgroups. Needs no GPU.
#pragma once

#include <cstdint>

#include "kernels/gemm/arguments.h"
#include "kernels/gemm/configuration.h"

namespace wavesmith::kernels {

/// HIP's limit of a grid's second and third size.
inline constexpr int64_t kMostAlongYAndZ = 65535;

/// A grid's first two sizes.
struct GemmGrid {
  int64_t x, y;
};

/// Chooses which side of D x goes along, and in bands of how many tiles, from its tiles along both.
GemmGrid set_grid(GemmArguments& gemm, const GemmConfiguration& tile, int compute_units);

/// The same of groups of about so many rows, of an A of so many bytes: where a group is one row of tiles, one
/// die computes all of it, and reads its rows of A once.
GemmGrid set_grid_of_groups(GemmArguments& gemm, const GemmConfiguration& tile, int compute_units,
                            int64_t rows, int64_t bytes_a);

}  // namespace wavesmith::kernels
