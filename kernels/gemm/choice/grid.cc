#include "kernels/gemm/choice/grid.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "kernels/gemm/choice/rates.h"

namespace wavesmith::kernels {
namespace {

/// Tiles of a band among `tiles` by `others`, a multiple of `dies`: about as many as are wanted, so that few
/// of the last band lie beyond D, and so few that no round of `at_once` workgroups is for them alone.
int64_t band_of(int64_t tiles, int64_t others, double wanted, int64_t dies, int64_t at_once) {
  const auto rounds = [&](int64_t along) { return (along * others + at_once - 1) / at_once; };
  // A band twice as long or half as long moves a quarter more bytes.
  if (static_cast<double>(tiles) < 2 * wanted) return std::max<int64_t>(tiles, 1);
  int64_t best = tiles, waste = tiles;
  double farthest = HUGE_VAL;
  for (int64_t band = dies; band < tiles; band += dies) {
    const double ratio = std::abs(std::log2(static_cast<double>(band) / wanted));
    const int64_t beyond = (band - tiles % band) % band;
    if (ratio > 1 || beyond > waste || (beyond == waste && ratio >= farthest)) continue;
    if (rounds(tiles + beyond) > rounds(tiles)) continue;
    best = band, waste = beyond, farthest = ratio;
  }
  return best;
}

}  // namespace

GemmGrid set_grid_of_groups(GemmArguments& gemm, const GemmConfiguration& tile, int compute_units,
                            int64_t rows, int64_t bytes_a) {
  const int64_t dies = gemm_rates(tile.target).dies;
  const int64_t along_y = (gemm.tiles_m + dies - 1) / dies * gemm.tiles_n;
  // Of few tiles some dies would have more than others; how many there are the device alone knows.
  constexpr int64_t kFewest = 4;
  const bool few = gemm.m < kFewest * dies * tile.rows;
  // Half of a die's L2, which holds a short A in any order: then columns that go to all dies are faster
  // (modelled: two rows in each of 256 groups by 7,168 by 256 take an MI300X 254 us instead of 260).
  constexpr int64_t kHeld = 2 << 20;
  if (dies == 1 || few || bytes_a < kHeld || rows > tile.rows || along_y > kMostAlongYAndZ)
    return set_grid(gemm, tile, compute_units);
  gemm.rows_along_x = 1, gemm.band = static_cast<int>(dies);
  return {dies, along_y};
}

GemmGrid set_grid(GemmArguments& gemm, const GemmConfiguration& tile, int compute_units) {
  const int dies = gemm_rates(tile.target).dies;
  // Where neighbours go to different dies, these share columns. Elsewhere x goes along the shorter side,
  // which then often is one band.
  gemm.rows_along_x = dies == 1 && gemm.tiles_m < gemm.tiles_n;
  if ((gemm.rows_along_x ? gemm.tiles_n : gemm.tiles_m) > kMostAlongYAndZ) gemm.rows_along_x ^= 1;
  int64_t tiles_x = gemm.tiles_n, tiles_y = gemm.tiles_m;
  int side_x = tile.columns, side_y = tile.rows;
  if (gemm.rows_along_x) std::swap(tiles_x, tiles_y), std::swap(side_x, side_y);
  // The workgroups that a die runs together take as many elements along x as along y, which moves the fewest
  // bytes.
  const double together = static_cast<double>(compute_units) * tile.at_once / dies;
  const double wanted = dies * std::max(1.0, std::sqrt(together * side_y / side_x));
  int64_t band = band_of(tiles_x, tiles_y, wanted, dies, int64_t{compute_units} * tile.at_once);
  const auto along_y = [&] { return (tiles_x + band - 1) / band * tiles_y; };
  if (along_y() > kMostAlongYAndZ) band = tiles_x;
  gemm.band = static_cast<int>(band);
  return {band, along_y()};
}

}  // namespace wavesmith::kernels
