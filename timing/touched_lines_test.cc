#include "timing/touched_lines.h"

#include <gtest/gtest.h>

#include <bit>
#include <random>
#include <span>

#include "timing/memory/access_shape.h"

namespace wavesmith::timing {
namespace {

/// Accesses at several places, each of one of a few shapes; numbered or not.
WorkgroupRecord workgroup(unsigned seed, bool numbered) {
  std::mt19937 random(seed);
  const auto up_to = [&](uint64_t most) { return std::uniform_int_distribution<uint64_t>(0, most)(random); };
  AccessShapes shapes;
  WorkgroupRecord group;
  WaveRecord& wave = group.waves.emplace_back();
  for (int i = 0; i < 200; ++i) {
    AccessRecord access;
    access.affine = up_to(1) != 0;
    access.bytes = uint16_t{4} << up_to(2);
    access.lanes = ~uint64_t{0} >> up_to(3);
    access.stride = static_cast<int64_t>(up_to(2)) * 100 - 100;
    access.base = (1 << 20) + up_to(1 << 16) * 4;
    if (!access.affine) {
      access.first = static_cast<uint32_t>(wave.offsets.size());
      const uint64_t apart = up_to(3) * 24;
      for (int lane = 0; lane < std::popcount(access.lanes); ++lane)
        wave.offsets.push_back(static_cast<uint64_t>(lane * lane) * apart);
    }
    if (numbered)
      access.shape = shapes.number_of(access, access.affine ? std::span<const uint64_t>()
                                                            : std::span(wave.offsets).subspan(access.first));
    wave.accesses.push_back(access);
  }
  return group;
}

TEST(TouchedLines, NumberedShapesTouchWhatTheirAccessesDo) {
  const unsigned seed = std::random_device()();
  SCOPED_TRACE(seed);
  for (const uint32_t line : {64u, 128u, 384u}) {
    TouchedLines numbered(line), unnumbered(line);
    const GroupSteps with = numbered.of(7, workgroup(seed, true));
    const GroupSteps without = unnumbered.of(7, workgroup(seed, false));
    EXPECT_EQ(with.number, 7u);
    const auto &a = with.waves[0].lines, &b = without.waves[0].lines;
    ASSERT_EQ(a.size(), b.size());
    ASSERT_FALSE(a.empty());
    for (size_t i = 0; i < a.size(); ++i) {
      EXPECT_EQ(a[i].line, b[i].line);
      EXPECT_EQ(a[i].bytes, b[i].bytes);
      EXPECT_EQ(a[i].parts, b[i].parts);
    }
  }
}

}  // namespace
}  // namespace wavesmith::timing
