#include "model/traffic.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "model/constants.h"

namespace wavesmith::model {
namespace {

const gpus::Gpu& gpu(const char* id) { return **gpus::find_gpu(id); }

TEST(Traffic, ABigCopyRunsAtWhatTheMemorySustains) {
  const gpus::Gpu& one = gpu("mi300x");
  const TrafficTime time = traffic_time(one, {.read = 4e9, .written = 4e9}, one.engine_mhz * 1e6);
  EXPECT_EQ(time.level, "HBM");
  EXPECT_NEAR(8e9 / time.bandwidth, *one.sustained_memory * 1e9, 1e9);
  EXPECT_GE(time.seconds, time.bandwidth);
  EXPECT_LT(time.seconds, time.bandwidth * 1.1);
  EXPECT_EQ(time.levels.size(), 3u);  // L2, Infinity Cache, HBM
}

// Little's law by hand: 1,000 work-items with 8 bytes each in flight, 880 + 420 clocks of 2,100 MHz.
TEST(Traffic, FewBytesInFlightCannotFillTheMemory) {
  const gpus::Gpu& one = gpu("mi300x");
  const double round = (880 + constant::kLoopCycles) / 2100e6;
  const TrafficTime time =
      traffic_time(one, {.read = 1e9, .threads = 1000, .bytes_per_thread = 8}, one.engine_mhz * 1e6);
  EXPECT_NEAR(time.latency, 1e9 / 8000 * round, 1e-9 * time.latency + 1e-12);
  EXPECT_GT(time.latency, 100 * time.bandwidth);
  EXPECT_NEAR(time.seconds, time.latency, time.latency * 1e-3);
}

TEST(Traffic, WarmDataComeFromTheSmallestCacheThatHoldsThem) {
  const gpus::Gpu& one = gpu("mi300x");
  const auto level = [&](double bytes, double written) {
    return traffic_time(one, {.read = bytes - written, .written = written, .warm = true}, 2.1e9).level;
  };
  EXPECT_EQ(level(4e6, 0), "L2");
  EXPECT_EQ(level(100e6, 0), "Infinity Cache");
  EXPECT_EQ(level(1e9, 0), "HBM");
  EXPECT_EQ(level(100e6, 50e6), "HBM") << "more written lines than all L2 caches hold go on to the memory";
  EXPECT_EQ(traffic_time(gpu("mi210"), {.read = 100e6, .warm = true}, 1.7e9).level, "HBM");
}

TEST(Traffic, MoreBytesNeverTakeLess) {
  for (const gpus::Gpu* one : gpus::gpus()) {
    double before = 0;
    for (double bytes = 64; bytes < 1e11; bytes *= 2) {
      const double seconds =
          traffic_time(*one, {.read = bytes, .written = bytes}, one->engine_mhz * 1e6).seconds;
      EXPECT_GE(seconds, before) << one->id << " " << bytes;
      before = seconds;
    }
  }
}

TEST(Traffic, TheNormLiesBetweenMaximumAndSum) {
  EXPECT_DOUBLE_EQ(together({5, 0, 0}), 5);
  EXPECT_GT(together({5, 5}), 5);
  EXPECT_LT(together({5, 5}), 10);
}

TEST(Traffic, EveryConstantHasANameUnitAndSource) {
  std::vector<std::string_view> names;
  for (const Constant& constant : constants()) {
    EXPECT_FALSE(constant.source.empty()) << constant.name;
    EXPECT_EQ(std::find(names.begin(), names.end(), constant.name), names.end())
        << constant.name << " stands twice";
    names.push_back(constant.name);
  }
  EXPECT_GT(names.size(), 40u);
}

}  // namespace
}  // namespace wavesmith::model
