// The grid of a product: every tile of D is one workgroup's, and those that run together are near.
#include "kernels/gemm/choice/grid.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <random>
#include <utility>
#include <vector>

#include "kernels/gemm/bands.h"

namespace wavesmith::kernels {
namespace {

constexpr GemmConfiguration kTile{.target = "gfx1151", .rows = 64, .columns = 64, .at_once = 3};

/// How often each of D's tiles is computed.
std::vector<int> counts(const GemmArguments& gemm, const GemmGrid& grid) {
  const int tiles_x = gemm.rows_along_x ? gemm.tiles_m : gemm.tiles_n;
  const int tiles_y = gemm.rows_along_x ? gemm.tiles_n : gemm.tiles_m;
  std::vector<int> found(static_cast<size_t>(tiles_x) * static_cast<size_t>(tiles_y));
  for (int y = 0; y < grid.y; ++y)
    for (int x = 0; x < grid.x; ++x) {
      const TileOfD tile = tile_in_bands(x, y, gemm.band, tiles_y);
      EXPECT_LT(tile.y, tiles_y);
      if (tile.x < tiles_x)
        ++found.at(static_cast<size_t>(tile.y) * static_cast<size_t>(tiles_x) + static_cast<size_t>(tile.x));
    }
  return found;
}

TEST(GemmGrid, EachTileIsOneWorkgroups) {
  const unsigned seed = std::random_device{}();
  std::mt19937 random(seed);
  std::printf("seed %u\n", seed);
  for (int round = 0; round < 200; ++round) {
    GemmArguments gemm{};
    gemm.tiles_m = std::uniform_int_distribution(1, 90)(random);
    gemm.tiles_n = std::uniform_int_distribution(1, 90)(random);
    GemmConfiguration tile = kTile;
    tile.target = round % 2 ? "gfx1151" : "gfx942";
    tile.columns = round % 3 ? 64 : 256;
    const std::vector<int> found = counts(gemm, set_grid(gemm, tile, 40));
    EXPECT_EQ(found, std::vector<int>(found.size(), 1)) << gemm.tiles_m << " x " << gemm.tiles_n;
  }
}

TEST(GemmGrid, BandsAreAboutAsLongAsTheRowsThatRunTogether) {
  GemmArguments gemm{};
  gemm.tiles_m = gemm.tiles_n = 128;
  set_grid(gemm, kTile, 40);
  EXPECT_EQ(gemm.band, 8);  // of 120 workgroups eleven would be best
  gemm.tiles_m = 5;
  set_grid(gemm, kTile, 40);
  EXPECT_TRUE(gemm.rows_along_x);
  EXPECT_EQ(gemm.band, 5);
}

TEST(GemmGrid, DiesTakeTheSameNumberOfColumnsOfABand) {
  GemmConfiguration tile = kTile;
  tile.target = "gfx942", tile.at_once = 1;
  GemmArguments gemm{};
  gemm.tiles_m = 16, gemm.tiles_n = 112;
  set_grid(gemm, tile, 304);
  EXPECT_FALSE(gemm.rows_along_x);
  EXPECT_EQ(gemm.band, 56);
}

TEST(GemmGrid, GoesAlongTheLongerSideFirstWhereItsSecondSizeIsLimited) {
  GemmArguments gemm{};
  gemm.tiles_m = 100000, gemm.tiles_n = 3;
  GemmGrid grid = set_grid(gemm, kTile, 40);
  EXPECT_TRUE(gemm.rows_along_x);
  EXPECT_EQ(counts(gemm, grid), std::vector<int>(300000, 1));
}

TEST(GemmGrid, NoRoundIsForTilesBeyondDAlone) {
  GemmConfiguration tile = kTile;
  tile.target = "gfx942", tile.rows = 128, tile.columns = 96, tile.at_once = 1;
  GemmArguments gemm{};
  gemm.tiles_m = 2, gemm.tiles_n = 150;  // 300 workgroups, bands of 80 would make 320 of them
  const GemmGrid grid = set_grid(gemm, tile, 304);
  EXPECT_LE(grid.x * grid.y, 304);
}

constexpr int64_t kLongA = 100 << 20;  ///< bytes

TEST(GemmGrid, ADieComputesAllOfAGroupThatIsARowOfTiles) {
  GemmConfiguration tile = kTile;
  tile.target = "gfx942";
  constexpr int kDies = 8;
  GemmArguments gemm{};
  gemm.tiles_m = 300, gemm.tiles_n = 5, gemm.m = 300 * 50;
  const GemmGrid grid = set_grid_of_groups(gemm, tile, 304, 50, kLongA);
  EXPECT_EQ(counts(gemm, grid), std::vector<int>(1500, 1));
  EXPECT_TRUE(gemm.rows_along_x);
  for (int number = 0; number < grid.x * grid.y; ++number) {
    const int x = number % static_cast<int>(grid.x), y = number / static_cast<int>(grid.x);
    EXPECT_EQ(tile_in_bands(x, y, gemm.band, gemm.tiles_n).x % kDies, number % kDies);
  }
}

TEST(GemmGrid, OfGroupsIsThatOfAProductWhereDiesWouldHaveUnequalShares) {
  GemmConfiguration tile = kTile;
  tile.target = "gfx942";
  const auto is_the_same = [&](int tiles_m, int rows, int64_t bytes_a = kLongA) {
    GemmArguments gemm{}, same{};
    gemm.tiles_m = same.tiles_m = tiles_m, gemm.tiles_n = same.tiles_n = 5;
    gemm.m = same.m = tiles_m * 50;
    const GemmGrid grid = set_grid_of_groups(gemm, tile, 304, rows, bytes_a),
                   plain = set_grid(same, tile, 304);
    return grid.x == plain.x && grid.y == plain.y && gemm.rows_along_x == same.rows_along_x;
  };
  EXPECT_FALSE(is_the_same(300, 50));
  EXPECT_TRUE(is_the_same(30, 50));         // few tiles
  EXPECT_TRUE(is_the_same(300, 50, 9000));  // each die's L2 holds A
  EXPECT_TRUE(is_the_same(300, 100));       // groups of several rows of tiles, which share columns of B
  tile.target = "gfx1151";                  // one die
  EXPECT_TRUE(is_the_same(300, 50));
}

TEST(GemmGrid, OfNoTilesIsEmpty) {
  for (const auto& [m, n] : {std::pair{0, 5}, {5, 0}, {0, 0}}) {
    GemmArguments gemm{};
    gemm.tiles_m = m, gemm.tiles_n = n;
    const GemmGrid grid = set_grid(gemm, kTile, 40);
    EXPECT_EQ(grid.x * grid.y, 0) << m << " x " << n;
    EXPECT_GT(gemm.band, 0);
  }
}

TEST(GemmGrid, FewTilesOfTheLastBandLieBeyondD) {
  for (int tiles = 1; tiles < 300; ++tiles) {
    GemmArguments gemm{};
    gemm.tiles_m = gemm.tiles_n = tiles;
    const GemmGrid grid = set_grid(gemm, kTile, 40);
    EXPECT_LE(static_cast<double>(grid.x * grid.y), 1.05 * tiles * tiles) << tiles;
  }
}

}  // namespace
}  // namespace wavesmith::kernels
