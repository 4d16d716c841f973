#include "model/traffic.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

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
  EXPECT_EQ(level(100e6, 100e6), "HBM") << "more written lines than all L2 caches hold go on to the memory";
  EXPECT_EQ(traffic_time(gpu("mi210"), {.read = 100e6, .warm = true}, 1.7e9).level, "HBM");
}

TEST(Traffic, MoreBytesNeverTakeLess) {
  for (const gpus::Gpu* one : gpus::gpus()) {
    double before = 0;
    for (int power = 6; power <= 36; ++power) {
      const double bytes = std::ldexp(1, power);
      const double seconds =
          traffic_time(*one, {.read = bytes, .written = bytes}, one->engine_mhz * 1e6).seconds;
      EXPECT_GE(seconds, before) << one->id << " " << bytes;
      before = seconds;
    }
  }
}

// gpu-l2-stream's scale on an MI300X: above 10 TB/s at 36 MB in all, 4 to 4.3 at 98 MB and more.
TEST(Traffic, ABufferThatIsWrittenOutgrowsTheL2CachesByAndBy) {
  const gpus::Gpu& one = gpu("mi300x");
  double before = 1e30;
  for (int megabytes = 36; megabytes <= 200; megabytes += 4) {
    const double bytes = 1e6 * megabytes;
    const double rate =
        bytes / traffic_time(one, {.read = bytes / 2, .written = bytes / 2, .warm = true}, 2.1e9).bandwidth;
    EXPECT_LE(rate, before * 1.000001) << bytes;
    if (megabytes == 36) EXPECT_GT(rate, 10e12);
    if (megabytes > 98) EXPECT_NEAR(rate, 4.15e12, 0.15e12) << bytes;
    EXPECT_GT(before == 1e30 ? 1 : rate / before, 0.8) << "no step at " << bytes;
    before = rate;
  }
  const auto reads = [&](double bytes) {
    return bytes / traffic_time(one, {.read = bytes, .warm = true}, 2.1e9).bandwidth;
  };
  EXPECT_DOUBLE_EQ(reads(36e6), reads(200e6)) << "nothing is written back";
}

TEST(Traffic, AKernelThatWasWaitedForHasASlowerMemoryWhereThatIsKnown) {
  const auto seconds = [](const char* id, bool after_idle) {
    return traffic_time(gpu(id), {.read = 1e9, .written = 1e9, .after_idle = after_idle}, 2.1e9).bandwidth;
  };
  EXPECT_NEAR(2e9 / seconds("mi355x", true), *gpu("mi355x").sustained_after_idle * 1e9, 1);
  EXPECT_GT(seconds("mi355x", true), 1.4 * seconds("mi355x", false));
  EXPECT_FALSE(gpu("mi300x").sustained_after_idle);
  EXPECT_DOUBLE_EQ(seconds("mi300x", true), seconds("mi300x", false));
}

TEST(Traffic, AKernelsOwnTimeDependsOnHowItIsTaken) {
  using Timing = Conditions::Timing;
  for (const gpus::Gpu* one : gpus::gpus()) {
    EXPECT_LT(kernel_seconds(*one, Timing::BackToBack), kernel_seconds(*one, Timing::Profiler)) << one->id;
    EXPECT_LT(kernel_seconds(*one, Timing::Profiler), kernel_seconds(*one, Timing::Events)) << one->id;
  }
  EXPECT_GT(kernel_seconds(gpu("mi300x"), Timing::BackToBack),
            kernel_seconds(gpu("mi210"), Timing::BackToBack))
      << "eight L2 caches are written back";
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
