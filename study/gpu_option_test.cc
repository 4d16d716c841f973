#include "study/gpu_option.h"

#include <gtest/gtest.h>

namespace wavesmith::study {
namespace {

const gpus::Gpu& one(const std::string& gpus, std::vector<std::string> set) {
  const auto found = find_gpus({gpus, std::move(set)});
  EXPECT_TRUE(found) << (found ? "" : found.error().text());
  return *found->front();
}

TEST(GpuOption, AListOfGpusKeepsItsOrder) {
  const auto found = find_gpus({"mi355x,mi300x,h100", {}});
  ASSERT_TRUE(found);
  ASSERT_EQ(found->size(), 3u);
  EXPECT_EQ((*found)[0]->id, "mi355x");
  EXPECT_EQ((*found)[1]->id, "mi300x");
  EXPECT_TRUE((*found)[2]->predict_only);
  EXPECT_EQ(split_list("a+compute.wave_sizes=[32,64],b").size(), 2u);
}

TEST(GpuOption, SizesHaveUnits) {
  EXPECT_EQ(one("mi300x", {"l2.size=8MiB"}).l2_bytes, 8u << 20);
  EXPECT_EQ(one("mi300x", {"cache.l2_bytes=8MB"}).l2_bytes, 8'000'000u);
  EXPECT_EQ(one("mi300x", {"lds.size=128KiB"}).lds_bytes, 131072u);
  EXPECT_EQ(one("mi300x", {"clock=1.5GHz"}).engine_mhz, 1500u);
  EXPECT_EQ(one("mi300x", {"cus=64", "compute.xcds=2"}).compute_units, 64u);
  EXPECT_EQ(one("mi300x", {"power.watts=0.5kW"}).watts, 500u);
  EXPECT_EQ(one("mi300x", {"engine_mhz=1234"}).engine_mhz, 1234u);
}

TEST(GpuOption, WhatIsSustainedGoesWithItsPeak) {
  const gpus::Gpu& base = one("mi300x", {});
  const gpus::Gpu& twice = one("mi300x", {"memory.bandwidth=10.6TB/s"});
  EXPECT_DOUBLE_EQ(twice.memory_gigabytes_per_second, 10600);
  EXPECT_NEAR(*twice.sustained_memory, 2 * *base.sustained_memory, 1e-6);
  EXPECT_NEAR(*twice.sustained_read, 2 * *base.sustained_read, 1e-6);
  const gpus::Gpu& set =
      one("mi300x", {"memory.bandwidth=10.6TB/s", "sustained.memory_gigabytes_per_second=5000"});
  EXPECT_DOUBLE_EQ(*set.sustained_memory, 5000);
  const gpus::Gpu& slow = one("mi300x", {"clock=1GHz"});
  EXPECT_EQ(*slow.sustained_matrix_mhz, 1000u);
}

TEST(GpuOption, TheRuntimeIsToldOfWhatFollows) {
  const auto text = with_changes("mi300x", {"memory.bandwidth=10.6TB/s"});
  ASSERT_TRUE(text);
  EXPECT_TRUE(text->starts_with("mi300x+memory.gigabytes_per_second=10600+sustained.")) << *text;
  const auto found = gpus::find_gpu(*text);
  ASSERT_TRUE(found);
  EXPECT_EQ(*found, &one("mi300x", {"memory.bandwidth=10.6TB/s"}));
  EXPECT_EQ(with_changes("mi300x", {}).value_or(""), "mi300x");
  EXPECT_FALSE(with_changes("mi300x", {"l2.size=8MHz"}));
}

TEST(GpuOption, BadAnswersSayWhatWouldFit) {
  const std::pair<std::vector<std::string>, const char*> cases[] = {
      {{"l2.size"}, "sets nothing"},
      {{"l2.size="}, "sets nothing"},
      {{"=3"}, "sets nothing"},
      {{"l2.size=8MHz"}, "units of"},
      {{"cus=8MiB"}, "no unit"},
      {{"l3.colour=red"}, "not a field"},
      {{"cus=0"}, "impossible"},
      {{"cus=many"}, ""},
      {{"l2.size=-1MiB"}, "does not fit"},
      {{"l2.size=1e30MiB"}, ""},
  };
  for (const auto& [set, says] : cases) {
    const auto found = find_gpus({"mi300x", set});
    ASSERT_FALSE(found) << set[0];
    EXPECT_NE(found.error().text().find(says), std::string::npos) << found.error().text();
  }
  EXPECT_FALSE(find_gpus({"mi300x,", {}}));
  EXPECT_FALSE(find_gpus({"", {}}));
}

}  // namespace
}  // namespace wavesmith::study
