// Who computes what of a streamed product: each step of each tile is one workgroup's.
#include "kernels/gemm/share.h"

#include <gtest/gtest.h>

#include <cstdio>
#include <random>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "kernels/gemm/bands.h"
#include "kernels/gemm/choice/stream.h"

namespace wavesmith::kernels {
namespace {

constexpr GemmConfiguration kTile{.target = "gfx942", .rows = 64, .columns = 32, .depth = 16, .at_once = 2};

/// Checks that the shared tiles' steps are each a member's, whose parts are those that are added up.
void check(const GemmShare& share, int shared) {
  ASSERT_EQ(share.teams * share.tiles, shared);
  ASSERT_LE(share.teams * share.members, share.workgroups);
  std::vector<int> computed(static_cast<size_t>(shared) * static_cast<size_t>(share.steps));
  std::vector<std::set<int>> parts(static_cast<size_t>(shared));
  std::set<int> all;
  for (int team = 0; team < share.teams; ++team)
    for (int member = 0; member < share.members; ++member)
      for (int step = share.begin(member); step < share.begin(member + 1); ++step) {
        ASSERT_EQ(share.member(step), member) << step;
        const int tile = step / share.steps * share.teams + team,
                  part = share.part(team, step / share.steps, member);
        ++computed.at(static_cast<size_t>(tile) * static_cast<size_t>(share.steps) +
                      static_cast<size_t>(step % share.steps));
        parts.at(static_cast<size_t>(tile)).insert(part);
      }
  EXPECT_EQ(computed, std::vector<int>(computed.size(), 1));
  for (int tile = 0; tile < shared; ++tile) {
    const GemmShare::Parts of_tile = share.parts_of(tile);
    std::set<int> expected;
    for (int i = 0; i < of_tile.count; ++i) expected.insert(of_tile.first + i);
    EXPECT_EQ(parts.at(static_cast<size_t>(tile)), expected) << "tile " << tile;
    for (const int part : expected) EXPECT_TRUE(all.insert(part).second && part < share.parts()) << part;
  }
}

TEST(GemmShare, EachStepOfAnySharedTilesIsOneWorkgroups) {
  const unsigned seed = std::random_device{}();
  std::mt19937 random(seed);
  std::printf("seed %u\n", seed);
  const auto between = [&](int from, int to) { return std::uniform_int_distribution(from, to)(random); };
  for (int round = 0; round < 300; ++round) {
    const int workgroups = between(2, 400), tiles = between(1, 1000), k = between(1, 4000);
    SCOPED_TRACE(std::to_string(tiles) + " tiles, k " + std::to_string(k) + ", workgroups " +
                 std::to_string(workgroups));
    const GemmShare share = share_tiles(kTile, tiles, k, workgroups, between(1, workgroups));
    EXPECT_EQ(share.steps, (k + 31) / 32);
    EXPECT_EQ(share.whole, tiles / workgroups * workgroups);
    if (share.teams > 0) check(share, tiles - share.whole);
  }
}

TEST(GemmShare, PartsAreEqualWhereTilesDivideTheWorkgroups) {
  const GemmShare share = share_tiles(kTile, 448, 4096, 304, 288);
  EXPECT_EQ(share.teams, 144);
  EXPECT_EQ(share.members, 2);
  EXPECT_EQ(share.run, 64);
  EXPECT_EQ(share.longer, 0);
  EXPECT_EQ(share.parts(), 288);
}

TEST(GemmShare, ThereIsNoneWhereEachWorkgroupHasAsManyTilesOrKIsTooShort) {
  EXPECT_EQ(share_tiles(kTile, 608, 4096, 304, 304).teams, 0);
  EXPECT_EQ(share_tiles(kTile, 5, 32, 304, 304).teams, 0) << "a step is not shared";
  EXPECT_EQ(share_tiles(kTile, 5, 0, 304, 304).teams, 0);
  EXPECT_EQ(share_tiles(kTile, 5, 33, 304, 304).members, 2) << "no more members than steps";
}

TEST(GemmShare, TilesAreCountedBandByBandWithoutAnyBeyondD) {
  for (int band = 1; band <= 7; ++band) {
    std::set<std::pair<int, int>> found;
    for (int number = 0; number < 7 * 5; ++number) {
      const TileOfD tile = tile_of_number(number, band, 7, 5);
      EXPECT_TRUE(tile.x >= 0 && tile.x < 7 && tile.y >= 0 && tile.y < 5) << number;
      EXPECT_EQ(tile.x / band, number / (band * 5)) << number;
      found.insert({tile.x, tile.y});
    }
    EXPECT_EQ(found.size(), 35U) << band;
  }
}

}  // namespace
}  // namespace wavesmith::kernels
