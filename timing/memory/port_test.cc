#include "timing/memory/port.h"

#include <gtest/gtest.h>

#include <bit>
#include <random>

#include "timing/memory/access_shape.h"

namespace wavesmith::timing {
namespace {

AccessRecord dwords(uint64_t base, int64_t stride, AccessKind kind = AccessKind::Load) {
  AccessRecord access;
  access.kind = kind;
  access.lanes = ~uint64_t{0};
  access.base = base;
  access.stride = stride;
  return access;
}

struct Port {
  MemoryParameters parameters = memory_parameters(**gpus::find_gpu("mi300a"));
  GridPort port{parameters, {}, 1, 1e12};
  WaveRecord record;
  uint64_t load(uint64_t cycle, const AccessRecord& access, uint32_t unit = 0, uint32_t wave = 0) {
    return port.access(cycle, unit, wave, record, access).done - cycle;
  }
};

TEST(GridPort, LoadsComeFromMemoryAndThenFromTheL1) {
  Port memory;
  EXPECT_NEAR(static_cast<double>(memory.load(0, dwords(4096, 4))), memory.parameters.memory_latency, 15);
  EXPECT_NEAR(static_cast<double>(memory.load(10'000, dwords(4096, 4))), memory.parameters.l1_latency, 15);
  EXPECT_EQ(memory.port.counts(0).l1_misses, 2u);
  EXPECT_EQ(memory.port.counts(0).l1_hits, 2u);
}

TEST(GridPort, TheL1NeitherAnswersNorKeepsALoadThatBypassesIt) {
  Port memory;
  memory.load(0, dwords(4096, 4));
  AccessRecord coherent = dwords(4096, 4);
  coherent.bypasses = true;
  for (const uint64_t cycle : {10'000u, 20'000u}) EXPECT_GT(memory.load(cycle, coherent), 150u);
  EXPECT_EQ(memory.port.counts(0).l1_hits, 0u);
  EXPECT_EQ(memory.port.counts(0).l1_misses, 6u);
}

TEST(GridPort, EachUnitHasAnL1OfItsOwn) {
  Port memory;
  memory.load(0, dwords(4096, 4));
  EXPECT_GT(memory.load(10'000, dwords(4096, 4), 3), 500u);
  EXPECT_EQ(memory.port.counts(3).l1_misses, 2u);
  EXPECT_EQ(memory.port.counts(7).l1_misses, 0u);
}

TEST(GridPort, ScatteredLanesHoldTheAddressUnitLonger) {
  Port memory;
  const Completion dense = memory.port.access(0, 0, 0, memory.record, dwords(0, 4)),
                   sparse = memory.port.access(1000, 0, 0, memory.record, dwords(1 << 20, 4096));
  EXPECT_NEAR(static_cast<double>(dense.accepted), 4, 1);
  EXPECT_NEAR(static_cast<double>(sparse.accepted - 1000), 64, 4);
}

TEST(GridPort, NothingIsAcceptedWhileEveryPlaceOfTheL1IsALinesUnderWay) {
  Port memory;
  const auto accepted = [&memory](uint64_t first_line) {
    return memory.port.access(0, 0, 0, memory.record, dwords(first_line * 128, 128)).accepted;
  };
  uint64_t last = 0;
  for (uint64_t access = 0; access < 4 + 16; ++access) last = accepted(access * 64);  // a line for each lane
  const auto latency = static_cast<uint64_t>(memory.parameters.memory_latency);
  EXPECT_LT(last, latency + 20 * 64);
  for (uint64_t access = 20; access < 40; ++access) last = accepted(access * 64);
  EXPECT_GT(last, 4 * latency);
}

TEST(GridPort, PrivateMemoryLiesWhereTheRecordSays) {
  Port memory;
  AccessRecord access = dwords(uint64_t{1} << 48, 4);  // the recorder has interleaved the lanes' dwords
  access.space = AccessSpace::Private;
  memory.load(0, access);
  EXPECT_EQ(memory.port.counts(0).l1_misses, 2u);  // 64 dwords side by side
  memory.load(10'000, access);
  EXPECT_EQ(memory.port.counts(0).l1_hits, 2u);
}

TEST(GridPort, ScalarLoadsGoThroughTheScalarCache) {
  Port memory;
  AccessRecord access = dwords(8192, 0);
  access.space = AccessSpace::Scalar;
  access.lanes = 1;
  access.bytes = 32;
  EXPECT_GT(memory.load(0, access), 500u);
  EXPECT_NEAR(static_cast<double>(memory.load(5000, access)), memory.parameters.scalar_latency, 2);
}

/// Beside a port that works out every access by itself.
TEST(GridPort, WhatAnAccessCostsIsThatOfItsShape) {
  const auto seed = std::random_device{}();
  SCOPED_TRACE(seed);
  std::mt19937_64 random(seed);
  for (const char* const gpu : {"mi300x", "rx9070xt"}) {
    const MemoryParameters parameters = memory_parameters(**gpus::find_gpu(gpu));
    ASSERT_EQ(kShapePeriod % parameters.line, 0u);
    GridPort each(parameters, {}, 1, 1e12), shaped(parameters, {}, 1, 1e12);
    AccessShapes shapes;
    WaveRecord record;
    for (int i = 0; i < 8 * 64; ++i) record.offsets.push_back(random() % 4096);
    for (int i = 0; i < 2000; ++i) {
      AccessRecord access =
          dwords((1 << 20) + 4 * (random() % 100'000), static_cast<int64_t>(random() % 5) * 16 - 16);
      access.kind = static_cast<AccessKind>(random() % 3);
      access.bytes = static_cast<uint16_t>(4 << random() % 3);
      if (random() % 4 == 0) access.lanes = random() | 1;
      access.affine = random() % 2 != 0;
      access.first = static_cast<uint32_t>(random() % 8) * 64;
      const auto cycle = static_cast<uint64_t>(i) * 20;
      const Completion expected = each.access(cycle, 0, 0, record, access);
      std::span<const uint64_t> offsets;
      if (!access.affine)
        offsets =
            std::span(record.offsets).subspan(access.first, static_cast<size_t>(std::popcount(access.lanes)));
      access.shape = shapes.number_of(access, offsets);
      const Completion got = shaped.access(cycle, 0, 0, record, access);
      ASSERT_EQ(got.accepted, expected.accepted) << i;
      ASSERT_EQ(got.done, expected.done) << i;
    }
    EXPECT_EQ(each.counts(0).l1_hits, shaped.counts(0).l1_hits);
    EXPECT_EQ(each.counts(0).l2_bytes, shaped.counts(0).l2_bytes);
  }
}

}  // namespace
}  // namespace wavesmith::timing
