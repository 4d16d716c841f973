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
