// The command as people use it.
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include <algorithm>

#include "cli/testing.h"
#include "study/value_range.h"

namespace wavesmith::cli {
namespace {

using nlohmann::json;

TEST(Predict, SaysTimeBoundAndWhyForEachGpu) {
  const CommandResult ran =
      run_wavesmith("predict gemm --m 4096 --n 4096 --k 4096 --dtype bf16 --gpu mi300x,mi355x,rx9070xt");
  EXPECT_EQ(ran.code, 0) << ran.err;
  for (const char* word : {"time", "bound by", "clock", "tile", "wave quantisation", "confidence", " rows)",
                           "mi355x", "rx9070xt"})
    EXPECT_NE(ran.out.find(word), std::string::npos) << word << "\n" << ran.out;
}

TEST(Predict, ATypeThatAGpuHasNoInstructionForIsSaidAlsoWhereNotesAreShortened) {
  const CommandResult ran =
      run_wavesmith("predict gemm --m 4096 --n 4096 --k 4096 --dtype f4 --gpu mi300x,mi355x");
  EXPECT_EQ(ran.code, 0) << ran.err;
  EXPECT_NE(ran.out.find("mi300x: AMD Instinct MI300X has no matrix instruction for f4"), std::string::npos)
      << ran.out;
  EXPECT_EQ(ran.out.find("MI355X has no matrix instruction"), std::string::npos) << ran.out;
}

TEST(Predict, JsonHasEveryNumberWithItsTag) {
  const CommandResult ran =
      run_wavesmith("predict norm --rows 16384 --columns 8192 --gpu mi300x,h100 --json");
  ASSERT_EQ(ran.code, 0) << ran.err;
  const json all = json::parse(ran.out);
  ASSERT_EQ(all.size(), 2u);
  for (const json& one : all) {
    EXPECT_GT(one["seconds"]["value"].get<double>(), 1e-6);
    EXPECT_EQ(one["seconds"]["kind"], "modelled");
    EXPECT_FALSE(one["levels"].empty());
    EXPECT_DOUBLE_EQ(one["bytes"]["value"].get<double>(), 2.0 * 16384 * 8192 * 2);
  }
}

TEST(Predict, ASweepWritesATableAndAPlot) {
  const Scratch scratch;
  const std::string csv = scratch / "copy.csv", svg = scratch / "copy.svg";
  const std::string command =
      "predict copy --bytes 4KiB:64MiB:*4 --gpu mi300x,mi355x --csv " + csv + " --plot " + svg;
  const CommandResult ran = run_wavesmith(command);
  ASSERT_EQ(ran.code, 0) << ran.err;
  const std::string text = slurp(csv), picture = slurp(svg);
  EXPECT_EQ(std::count(text.begin(), text.end(), '\n'), 1 + 8 * 2);
  EXPECT_NE(picture.find("<polyline"), std::string::npos);
  EXPECT_EQ(picture.find("http://", picture.find('>')), std::string::npos) << "the picture needs the network";
  run_wavesmith(command);
  EXPECT_EQ(slurp(svg), picture) << "the same input gives other bytes";
}

TEST(Predict, WhatIfChangesTheAnswer) {
  const auto seconds = [](const std::string& more) {
    const CommandResult ran = run_wavesmith("predict copy --bytes 1GiB --gpu mi300x --json " + more);
    return json::parse(ran.out)[0]["seconds"]["value"].get<double>();
  };
  EXPECT_NEAR(seconds("") / seconds("--set memory.bandwidth=10.6TB/s"), 2, 0.1);
}

TEST(Predict, WrongInputSaysWhatWouldBeRight) {
  const std::pair<const char*, const char*> cases[] = {
      {"predict gemm --m 0 --n 4 --k 4", "at least 1"},
      {"predict gemm --m 4 --n 4", "--k is missing"},
      {"predict gemm --m 4 --n 4 --k 4 --dtype fp9", "known are f64"},
      {"predict gemm --m 4 --n 4 --k 4 --set cus=8 clock=1GHz", "clock=1GHz"},
      {"predict gemm --m 4 --n 4 --k 4 --gpu mi999", "known are"},
      {"predict gemm --m -4 --n 4 --k 4", "is no size"},
      {"predict gemm --m 4.5 --n 4 --k 4", "whole numbers"},
      {"predict gemm --m 1e300 --n 4 --k 4", "more than any"},
      {"predict norm --rows 10:1 --columns 4", "ends before"},
      {"predict norm --rows 1:10:0 --columns 4", "never ends"},
      {"predict norm --rows 1:1000000000 --columns 4", "more than"},
      {"predict norm --rows 4 --columns 4 --kind instance", "layer, rms"},
      {"predict norm --rows 4 --columns 4 --plot x.svg", "nothing to plot"},
      {"predict copy --bytes 1GiB --csv /nowhere/at/all.csv", "cannot write"},
      {"predict copy --bytes 1GiB --set l2.size=8MHz", "units of"},
      {"predict teleport --bytes 1", "modelled are"},
      {"predict", "modelled are"},
  };
  for (const auto& [arguments, says] : cases) {
    const CommandResult ran = run_wavesmith(arguments);
    EXPECT_NE(ran.code, 0) << arguments;
    EXPECT_LT(ran.code, 10) << arguments;
    EXPECT_NE(ran.err.find(says), std::string::npos) << arguments << "\n" << ran.err;
  }
}

TEST(Sweep, ValuesAreListsAndRanges) {
  using Values = std::vector<std::string>;
  EXPECT_EQ(*study::values_of("4096"), (Values{"4096"}));
  EXPECT_EQ(*study::values_of("1,2,4KiB"), (Values{"1", "2", "4096"}));
  EXPECT_EQ(*study::values_of("1024:4096:1024"), (Values{"1024", "2048", "3072", "4096"}));
  EXPECT_EQ(*study::values_of("1:100:*10"), (Values{"1", "10", "100"}));
  EXPECT_EQ(*study::values_of("bf16,fp8"), (Values{"bf16", "fp8"}));
  EXPECT_EQ(*study::values_of("7:9"), (Values{"7", "8", "9"}));
  EXPECT_EQ(*study::values_of("0.1:0.4:0.1"), (Values{"0.1", "0.2", "0.3", "0.4"}));
  EXPECT_EQ(*study::values_of("0.1:12.5:x5"), (Values{"0.1", "0.5", "2.5", "12.5"}));
  for (const char* bad : {"", ",", "1,,2", "1:", ":", "1:2:3:4", "a:b", "1:10:*1", "0:10:*2", "1:10:-1"})
    EXPECT_FALSE(study::values_of(bad)) << bad;
  const auto points = study::points_of({{"m", {"1", "2"}}, {"k", {"3", "4"}}});
  ASSERT_EQ(points->size(), 4u);
  EXPECT_EQ((*points)[1], (study::Point{{"m", "1"}, {"k", "4"}}));
}

}  // namespace
}  // namespace wavesmith::cli
