#include "validate/programs/mi300a_patterns.h"

#include <gtest/gtest.h>

#include "gpus/gpu.h"
#include "validate/programs/mi300a_programs.h"

namespace wavesmith::validate {
namespace {

TEST(Mi300aPatterns, EachHasProgramsThatAreHereAndSettingsThatTheGpuHas) {
  for (const Mi300aPattern& pattern : mi300a_patterns()) {
    for (const std::string_view program : pattern.programs)
      EXPECT_TRUE(Mi300aPrograms::known(program == "memcopy" ? "memcopy_d2d" : program)) << program;
    EXPECT_FALSE(pattern.mechanisms.empty());
    for (const Mi300aPattern::Mechanism& mechanism : pattern.mechanisms)
      for (const std::string_view setting : mechanism.without)
        EXPECT_TRUE(gpus::find_gpu("mi300a+" + std::string(setting))) << setting;
  }
}

TEST(Mi300aPatterns, HasRowsByProgramOrByTime) {
  const Mi300aPattern copies{.name = "copies", .programs = {"memcopy"}};
  EXPECT_TRUE(copies.has("memcopy_h2d", 1));
  EXPECT_FALSE(copies.has("relu", 1));
  EXPECT_EQ(copies.stratum("left out"), "copies (memcopy): left out");
  const Mi300aPattern small{.name = "small", .below_us = 10};
  EXPECT_TRUE(small.has("relu", 0.0099));
  EXPECT_FALSE(small.has("relu", 0.01));
  EXPECT_EQ(small.stratum("fitted on"), "small (all programs): fitted on");
}

}  // namespace
}  // namespace wavesmith::validate
