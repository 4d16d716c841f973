#include "timing/unit/vector_registers.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <map>
#include <random>
#include <span>
#include <utility>
#include <vector>

namespace wavesmith::timing {
namespace {

TEST(VectorRegisters, AreAtHandBeforeAnythingIsWritten) {
  const VectorRegisters registers;
  for (uint32_t r = 0; r < kVectors; ++r) {
    EXPECT_EQ(registers[r].result, 0u);
    EXPECT_EQ(registers.read(r), 0u);
  }
}

TEST(VectorRegisters, NeighboursOfOneWriterAreVisitedOnce) {
  VectorRegisters registers;
  const RegisterRange wide{8, 16}, part{12, 4};
  registers.overwrite({&wide, 1}, 1, wide.count).result = 1;
  registers.overwrite({&part, 1}, 2, part.count).result = 2;
  std::vector<uint64_t> seen;
  registers.each(wide, [&](const VectorWrite& write) { seen.push_back(write.result); });
  EXPECT_EQ(seen, (std::vector<uint64_t>{1, 2, 1}));
}

TEST(VectorRegisters, OfASetThatOneInstructionWroteAndNoOtherTheRecordIsAtHand) {
  VectorRegisters registers;
  const RegisterRange wide{8, 16}, part{12, 4};
  EXPECT_EQ(registers.written(wide.first, 1, wide.count), nullptr);
  registers.overwrite({&wide, 1}, 1, wide.count).result = 1;
  ASSERT_NE(registers.written(wide.first, 1, wide.count), nullptr);
  EXPECT_EQ(registers.written(wide.first, 1, wide.count)->result, 1u);
  EXPECT_EQ(registers.written(part.first, 2, part.count), nullptr);
  registers.overwrite({&part, 1}, 2, part.count).result = 2;
  EXPECT_EQ(registers.written(wide.first, 1, wide.count), nullptr);
  registers.overwrite({&wide, 1}, VectorRegisters::kNoSet, wide.count).result = 3;
  EXPECT_EQ(registers.written(wide.first, VectorRegisters::kNoSet, wide.count), nullptr);
}

/// Every register knows its last writer, whatever overlaps, as if each had a record of its own. Some
/// instructions' registers have a number, which stands for these alone.
TEST(VectorRegisters, EachKnowsItsLastWriter) {
  const uint64_t seed = std::random_device{}();
  SCOPED_TRACE(seed);
  std::mt19937_64 random(seed);
  VectorRegisters registers;
  std::array<uint64_t, kVectors> writer = {}, reader = {};
  std::map<std::vector<std::pair<uint16_t, uint16_t>>, uint16_t> sets;
  for (uint64_t cycle = 1; cycle < 20'000; ++cycle) {
    // One range, or two that do not meet, as a dual instruction writes.
    std::array<RegisterRange, 2> ranges;
    const auto count = static_cast<uint16_t>(1u << random() % 6);
    ranges[0] = {static_cast<uint16_t>(random() % (kVectors / 2 - count)), count};
    ranges[1] = {static_cast<uint16_t>(kVectors / 2 + random() % (kVectors / 2 - count)), count};
    const std::span<const RegisterRange> some(ranges.data(), 1 + random() % 2);
    std::vector<std::pair<uint16_t, uint16_t>> names;
    for (const RegisterRange& range : some) names.emplace_back(range.first, range.count);
    const bool numbered = sets.contains(names) || sets.size() < 5'000;
    const uint16_t set = numbered
                             ? sets.try_emplace(names, static_cast<uint16_t>(sets.size() + 1)).first->second
                             : VectorRegisters::kNoSet;
    registers.overwrite(some, set, static_cast<uint16_t>(some.size() * count)) = {cycle, cycle, cycle,
                                                                                  cycle, 0,     0};
    const RegisterRange read{static_cast<uint16_t>(random() % (kVectors - 4)), 4};
    registers.read(read, cycle);
    for (const RegisterRange& range : some) std::fill_n(writer.begin() + range.first, range.count, cycle);
    std::fill_n(reader.begin() + read.first, read.count, cycle);
    if (cycle % 50 != 0) continue;
    for (uint32_t r = 0; r < kVectors; ++r) {
      ASSERT_EQ(registers[r].result, writer[r]) << "register " << r;
      ASSERT_EQ(registers.read(r), reader[r]) << "register " << r;
    }
  }
}

}  // namespace
}  // namespace wavesmith::timing
