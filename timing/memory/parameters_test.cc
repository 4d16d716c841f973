// What the cycle model takes for numbers of a GPU's memory that its data file does not have.
#include "timing/memory/parameters.h"

#include <gtest/gtest.h>

#include <algorithm>

namespace wavesmith::timing {
namespace {

MemoryParameters of(const char* gpu) { return memory_parameters(**gpus::find_gpu(gpu)); }

TEST(MemoryParameters, RdnasL2GivesInProportionToItsSize) {
  // An RX 6900 XT's: 4 MiB, 4400 GB/s at 2250 MHz.
  EXPECT_NEAR(of("rx6900xt").l2_rate, 4400e9 / 2250e6, 1);
  EXPECT_NEAR(of("rx7900xtx").l2_rate, 1.5 * 4400e9 / 2250e6, 1);
  EXPECT_NEAR(of("rx9070xt").l2_rate, 2 * 4400e9 / 2250e6, 1);
}

TEST(MemoryParameters, WhatADataFileSaysIsNotAssumed) {
  EXPECT_EQ(of("mi210").l2_rate, 32 * 128);
  EXPECT_EQ(of("rx7900xtx+cache.l2_channels=24+cache.l2_bytes_per_clock_per_channel=64").l2_rate, 24 * 64);
}

/// From the start of a workgroup of the grid to the next one, where starting them is all that takes time.
double nanoseconds_per_workgroup(const char* gpu, double waves) {
  const MemoryParameters p = of(gpu);
  return std::max(p.workgroup_clocks, p.wave_clocks * waves) / p.xcds / p.mhz * 1e3;
}

TEST(MemoryParameters, GridsStartWorkgroupsAtTheMeasuredPace) {
  // sarchlab/mgpusim, mi300x_ground_truth.csv: an empty kernel of 262,144 and of 2,097,152 workgroups, in ms.
  constexpr double kWorkgroups = 2'097'152 - 262'144;
  EXPECT_NEAR(nanoseconds_per_workgroup("mi300x", 1), (1.011252 - 0.133832) * 1e6 / kWorkgroups, 0.005);
  EXPECT_NEAR(nanoseconds_per_workgroup("mi300x", 4), (1.011745 - 0.133843) * 1e6 / kWorkgroups, 0.005);
  EXPECT_NEAR(nanoseconds_per_workgroup("mi300x", 16), (2.122215 - 0.272817) * 1e6 / kWorkgroups, 0.02);
  // mi300a.csv beside it, simpleconvolution with masks of 3: whatever else it does, no longer than it took.
  EXPECT_LE(nanoseconds_per_workgroup("mi300a", 1), (0.1345 - 0.0383) * 1e6 / (262'144 - 65'536));
  // RRZE-HPC gpu-benches, gpu-small-kernels: 424 GB/s of 16 bytes a work-item, in workgroups of 32 and less.
  EXPECT_NEAR(nanoseconds_per_workgroup("mi210", 1), 32 * 16 / 424.0, 0.02);
}

TEST(MemoryParameters, OnlyL2sOfSeveralDiesAreWrittenBackBetweenKernels) {
  const MemoryParameters six = of("mi300a");
  EXPECT_NEAR(six.write_back_rate * six.mhz * 1e-3, 3300, 1);
  for (const char* one : {"mi210", "mi250x", "rx7900xtx", "mi300a+compute.xcds=1+compute.units=38"})
    EXPECT_EQ(of(one).write_back_rate, 0) << one;
  // Where nobody measured what the Infinity Cache takes: what the memory behind it does.
  const MemoryParameters unknown = of("mi308x");
  EXPECT_EQ(unknown.write_back_rate, unknown.memory_write_rate);
  EXPECT_NE(std::ranges::find(unknown.assumed, "sustained.infinity_cache_write_gigabytes_per_second"),
            unknown.assumed.end());
}

}  // namespace
}  // namespace wavesmith::timing
