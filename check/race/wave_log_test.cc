#include "check/race/wave_log.h"

#include <gtest/gtest.h>

#include <random>
#include <tuple>
#include <vector>

namespace wavesmith::check {
namespace {

using Told = std::tuple<uint64_t, uint16_t, uint16_t, bool>;

std::vector<Told> told_by(WaveLog& log) {
  WaveClocks clocks;
  clocks.begin(1);
  std::vector<Told> all;
  log.settle(clocks, [&](const WaveConflict& conflict) {
    all.emplace_back(conflict.address, conflict.first.site, conflict.second.site, conflict.equal);
  });
  return all;
}

/// Reads that lie apart conflict as one by one, wherever writes of other waves are.
TEST(WaveLog, ReadsApartCountAsOneByOne) {
  const unsigned seed = std::random_device()();
  std::mt19937 random(seed);
  SCOPED_TRACE(testing::Message() << "seed " << seed);
  const auto below = [&](uint32_t limit) { return static_cast<uint32_t>(random() % limit); };
  size_t found = 0;
  for (int round = 0; round < 500; ++round) {
    WaveLog together, alone;
    for (uint16_t site = 1; site < 12; ++site) {
      WaveAccess made{.begin = 0,
                      .bytes = 0,
                      .context = 0,
                      .stride = 0,
                      .site = site,
                      .element = 4,
                      .wave = static_cast<uint8_t>(below(3)),
                      .runs = 1,
                      .kind = GlobalKind::Read,
                      .flag = false};
      const uint64_t begin = 0x1000 + 4 * uint64_t{below(256)};
      made.context = together.context(made.wave, {});
      alone.context(made.wave, {});
      if (below(4) == 0) {
        made.kind = GlobalKind::Write;
        const uint64_t changes = random();
        for (WaveLog* const log : {&together, &alone})
          log->add_write(made, begin, 4 * (1 + site % 3u), changes);
        continue;
      }
      const Runs runs{.begin = begin, .bytes = 4, .stride = 8 + 4 * below(8), .count = 1 + below(64)};
      together.add_read(made, runs);
      for (uint32_t i = 0; i < runs.count; ++i)
        alone.add_read(made, {.begin = begin + i * uint64_t{runs.stride}, .bytes = runs.bytes});
    }
    const std::vector<Told> wanted = told_by(alone);
    ASSERT_EQ(told_by(together), wanted);
    found += wanted.size();
  }
  EXPECT_GT(found, 0u);
}

}  // namespace
}  // namespace wavesmith::check
