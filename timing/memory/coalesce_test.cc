#include "timing/memory/coalesce.h"

#include <gtest/gtest.h>

#include <random>
#include <set>

namespace wavesmith::timing {
namespace {

std::vector<uint64_t> strided(uint64_t start, uint64_t stride, size_t lanes = 64) {
  std::vector<uint64_t> addresses;
  for (size_t lane = 0; lane < lanes; ++lane) addresses.push_back(start + lane * stride);
  return addresses;
}

TEST(Coalesce, LanesSideBySideTakeTheirBytesAt64AClock) {
  const struct {
    uint32_t bytes, clocks;
    size_t lines;
  } cases[] = {{4, 4, 2}, {8, 8, 4}, {16, 16, 8}};
  for (const auto& one : cases) {
    const Coalesced done = coalesce(strided(0, one.bytes), one.bytes, 128);
    EXPECT_EQ(done.lines.size(), one.lines) << one.bytes;
    EXPECT_EQ(done.clocks, one.clocks) << one.bytes;
    for (const LineUse& use : done.lines) EXPECT_EQ(use.bytes, 128u);
  }
}

TEST(Coalesce, ScatteredLanesTakeAClockALine) {
  EXPECT_EQ(coalesce(strided(0, 4096), 4, 128).clocks, 64u);
  EXPECT_EQ(coalesce(strided(0, 4096), 4, 128).lines.size(), 64u);
  EXPECT_EQ(coalesce(strided(0, 0), 4, 128).clocks, 4u);
  EXPECT_EQ(coalesce(strided(0, 0), 16, 128).clocks, 16u);
  EXPECT_EQ(coalesce(strided(4, 4), 4, 128).lines.size(), 3u);  // not aligned
  EXPECT_EQ(coalesce({}, 4, 128).clocks, 0u);
}

TEST(Coalesce, NamesEveryLineThatAByteLiesInAndNoOther) {
  std::mt19937_64 random(11);
  for (int round = 0; round < 500; ++round) {
    const uint32_t bytes = 1u << random() % 5, line = random() % 2 ? 128 : 64;
    std::vector<uint64_t> addresses(1 + random() % 64);
    for (uint64_t& address : addresses) address = random() % 5000;
    std::set<uint64_t> expected, found;
    for (const uint64_t address : addresses)
      for (uint32_t byte = 0; byte < bytes; ++byte) expected.insert((address + byte) / line);
    const Coalesced done = coalesce(addresses, bytes, line);
    for (const LineUse& use : done.lines) {
      EXPECT_TRUE(found.insert(use.line).second) << "twice";
      EXPECT_LE(use.bytes, line);
      EXPECT_GE(use.bytes, 1u);
    }
    EXPECT_EQ(found, expected);
    EXPECT_GE(done.clocks, (addresses.size() + 15) / 16);
  }
}

TEST(MemoryCoalesce, LanesAtOneAddressShareALine) {
  for (const uint32_t line : {64u, 128u, 96u})
    for (const uint64_t lanes : {1, 5, 64})
      for (const uint64_t address : {192, 200, 316}) {
        const Coalesced done = coalesce(strided(address, 0, lanes), 8, line);
        const uint64_t last = (address + 7) / line;
        ASSERT_EQ(done.lines.size(), last == address / line ? 1 : 2) << line << " " << address;
        EXPECT_EQ(done.lines[0].line, address / line);
        EXPECT_EQ(done.clocks, (lanes + 7) / 8 * done.lines.size());
        if (done.lines.size() == 2) continue;
        EXPECT_EQ(done.lines[0].bytes, std::min<uint64_t>(line, 8 * lanes));
        EXPECT_EQ(done.lines[0].parts, parts_of(address % line, 8, line));
      }
}

TEST(MemoryCoalesce, DenseLanesGiveWhatTheirAddressesGive) {
  int dense = 0;
  for (const uint32_t line : {64u, 128u})
    for (const uint32_t bytes : {1u, 2u, 4u, 8u, 12u, 16u})
      for (uint64_t base = 0; base < 512; base += 4) {
        Coalesced result;
        if (!coalesce_dense(base, bytes, line, result)) continue;
        ++dense;
        std::vector<uint64_t> addresses;
        for (uint64_t lane = 0; lane < 64; ++lane) addresses.push_back(base + lane * bytes);
        const Coalesced expected = coalesce(addresses, bytes, line);
        EXPECT_EQ(result.clocks, expected.clocks) << base << " " << bytes;
        ASSERT_EQ(result.lines.size(), expected.lines.size()) << base << " " << bytes;
        for (size_t i = 0; i < result.lines.size(); ++i) {
          EXPECT_EQ(result.lines[i].line, expected.lines[i].line);
          EXPECT_EQ(result.lines[i].bytes, expected.lines[i].bytes);
        }
      }
  EXPECT_GE(dense, 2 * 5 * 8);
}

}  // namespace
}  // namespace wavesmith::timing
