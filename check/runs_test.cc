#include "check/runs.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <vector>

namespace wavesmith::check {
namespace {

emulate::MemoryAccess access_of(uint32_t bytes, uint64_t lanes, const std::vector<uint64_t>& addresses) {
  emulate::MemoryAccess access{};
  access.bytes = bytes;
  access.lanes = lanes;
  std::ranges::copy(addresses, access.address);
  return access;
}

std::vector<uint64_t> steps(uint64_t first, uint64_t stride) {
  std::vector<uint64_t> all(emulate::kRowLanes);
  for (size_t lane = 0; lane < all.size(); ++lane) all[lane] = first + lane * stride;
  return all;
}

std::vector<Runs> runs_of(const emulate::MemoryAccess& access, bool folds = true) {
  std::vector<Runs> all;
  for_each_runs(access, folds, [&](const Runs& runs) { all.push_back(runs); });
  return all;
}

TEST(Runs, LanesSideBySideAreOneRun) {
  const auto runs = runs_of(access_of(4, ~uint64_t{0}, steps(0x1000, 4)));
  ASSERT_EQ(runs.size(), 1u);
  EXPECT_EQ(runs[0].bytes, 256u);
  EXPECT_EQ(runs[0].end(), 0x1100u);
}

TEST(Runs, LanesApartAreOneEntry) {
  const auto runs = runs_of(access_of(16, 0xff0, steps(0x1000, 64)));
  ASSERT_EQ(runs.size(), 1u);
  EXPECT_EQ(runs[0].begin, 0x1100u);
  EXPECT_EQ(runs[0].count, 8u);
  EXPECT_EQ(runs[0].stride, 64u);
  EXPECT_EQ(runs[0].end(), 0x1100u + 7 * 64 + 16);
}

TEST(Runs, ReadsOfOneAddressCountOnceAndWritesEach) {
  const auto access = access_of(4, 0xff, steps(0x1000, 0));
  EXPECT_EQ(runs_of(access).size(), 1u);
  EXPECT_EQ(runs_of(access, false).size(), 8u);
}

TEST(Runs, AnAddressOutOfStepIsTaken) {
  auto addresses = steps(0x1000, 64);
  addresses[63] += 4;
  EXPECT_EQ(runs_of(access_of(16, ~uint64_t{0}, addresses)).size(), 64u);
}

/// All runs together hold each lane's bytes; of what does not fold, each element in its place.
TEST(Runs, HoldAllThatLanesAccess) {
  const unsigned seed = std::random_device()();
  std::mt19937 random(seed);
  SCOPED_TRACE(testing::Message() << "seed " << seed);
  const auto below = [&](uint32_t limit) { return static_cast<uint32_t>(random() % limit); };
  for (int round = 0; round < 2000; ++round) {
    auto addresses = steps(0x100000, 4 * uint64_t{below(12)});
    for (uint32_t i = below(3); i > 0; --i) addresses[below(64)] = 0x100000 + 4 * uint64_t{below(500)};
    const uint64_t lanes = below(2) ? (~uint64_t{0} >> below(64)) << below(4) : random() | 1;
    if (!lanes) continue;
    const auto access = access_of(4u << below(3), lanes, addresses);
    const bool folds = below(2);
    std::vector<bool> wanted(8192), found(8192);
    std::vector<uint64_t> elements;
    for (uint64_t left = lanes; left; left &= left - 1) {
      const uint64_t address = addresses[static_cast<size_t>(std::countr_zero(left))];
      elements.push_back(address);
      for (uint32_t i = 0; i < access.bytes; ++i) wanted[address - 0x100000 + i] = true;
    }
    for (const Runs& runs : runs_of(access, folds))
      for (uint32_t run = 0; run < runs.count; ++run) {
        const uint64_t begin = runs.begin + uint64_t{run} * runs.stride;
        for (uint32_t i = 0; i < runs.bytes; ++i) found[begin - 0x100000 + i] = true;
        for (uint32_t i = 0; !folds && i < runs.bytes / access.bytes; ++i)
          ASSERT_EQ(elements.at(runs.first + run + i), begin + i * access.bytes);
      }
    ASSERT_EQ(found, wanted);
  }
}

}  // namespace
}  // namespace wavesmith::check
