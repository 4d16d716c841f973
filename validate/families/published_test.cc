#include "validate/families/published.h"

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <fstream>
#include <map>

#include "validate/families/family.h"

namespace wavesmith::validate {
namespace {

TEST(Published, NumbersAndTuplesAreFoundInShapes) {
  EXPECT_EQ(number_in("B=16;H=64;HK=8;N=1024", "H"), 64);
  EXPECT_EQ(number_in("B=16;H=64;HK=8;N=1024", "HK"), 8);
  EXPECT_EQ(number_in("{'B':16,'N_Q':559,'H_Q':16}", "N_Q"), 559);
  EXPECT_EQ(number_in("tokens=64;block_m=32", "m"), std::nullopt);
  EXPECT_EQ(number_in("", "B"), std::nullopt);
  const auto tuples = tuples_in("dims=(((1,559,32),(1,559,32)),(),(8,));n=1");
  ASSERT_EQ(tuples.size(), 3u);
  EXPECT_EQ(product(tuples[0]), 559 * 32);
  EXPECT_EQ(tuples[2], std::vector<double>{8});
  EXPECT_EQ(type_bytes("c10::BFloat16,float,long int"), (std::vector<double>{2, 4, 8}));
}

TEST(Published, ChipsAreOurs) {
  EXPECT_EQ(published_gpu("MI300X/MI325X")->id, "mi300x");
  EXPECT_EQ(published_gpu("MI350X/MI355X")->id, "mi355x");
  EXPECT_EQ(published_gpu("MI350X")->id, "mi350x");
  EXPECT_EQ(published_gpu("gfx942")->id, "mi308x");
  EXPECT_EQ(published_gpu("MI300A")->id, "mi300a");
  EXPECT_EQ(published_gpu("8x MI300X CPX/NPS4 (64 ranks)"), nullptr);
  EXPECT_EQ(published_gpu("TPU"), nullptr);
}

/// A table of the user's; every row judges.
Result<FamilyReport> judged(const char* family, const std::string& rows) {
  const std::string path = testing::TempDir() + fmt::format("published_rows_{}.csv", getpid());
  std::ofstream(path) << "gpu,gfx,rocm,library,op,dtype,shape,layout,metric,value,unit,source,confidence\n"
                      << rows;
  Result<Data> data = Data::from_files({path});
  if (!data) return tl::unexpected(data.error());
  return find_family(family)->judge(*data);
}

TEST(Published, WhatIsNoMeasurementIsLeftOutWithItsReason) {
  const auto row = [](const char* type, const char* value) {
    return fmt::format(
        "MI355X,gfx950,7,mine,attention_fwd,{},B=16;H=64;HK=8;N=1024;D=128;non_causal,BNHD,time,{},us,s,c\n",
        type, value);
  };
  const auto report = judged("attention", row("bf16", "550") + row("bf16", "nan") + row("bf16", "inf") +
                                              row("bf16", "-1") + row("fp3", "550"));
  ASSERT_TRUE(report) << report.error().text();
  EXPECT_EQ(report->summary.at(0).n, 1u);
  EXPECT_TRUE(std::isfinite(report->summary.at(0).value)) << report->summary.at(0).value;
  EXPECT_NE(std::ranges::find(report->notes, "1 rows: type 'fp3' is not known"), report->notes.end());
  EXPECT_NE(std::ranges::find(report->notes, "1 rows: 'time' of nan is no time"), report->notes.end());
}

// A time and the rate that belongs to it are the same measurement: 4 x 16 x 64 x 1024^2 x 128 / 550 us =
// 999.6 TFLOP/s.
TEST(Published, TimesAndRatesAgree) {
  const char* const shape = "bf16,B=16;H=64;HK=8;N=1024;D=128;non_causal,BNHD,";
  const auto report =
      judged("attention", fmt::format("MI355X,gfx950,7,AITER,attention_fwd,{}time,550,us,s,c\n"
                                      "MI355X,gfx950,7,AITER,attention_fwd,{}throughput,999.6,TFLOP/s,s,c\n",
                                      shape, shape));
  ASSERT_TRUE(report) << report.error().text();
  ASSERT_EQ(report->worst.size(), 2u);
  EXPECT_NEAR(report->worst[0].measured, 550e-6, 1e-6);
  EXPECT_NEAR(report->worst[0].measured / report->worst[1].measured, 1, 1e-3);
  EXPECT_EQ(report->summary.at(0).name, "attention_median");
  EXPECT_EQ(report->summary.at(0).n, 2u);
}

TEST(Published, RowsThatCannotBeAskedAreCounted) {
  const auto report = judged("moe",
                             "MI355X,gfx950,7,AITER,fused_moe,bf16,see the blog,,time,100,us,s,c\n"
                             "TPU,x,7,AITER,fused_moe,bf16,tokens=1,,time,100,us,s,c\n");
  ASSERT_TRUE(report);
  EXPECT_EQ(report->summary.at(0).n, 0u);
  ASSERT_EQ(report->notes.size(), 4u);
  EXPECT_NE(report->notes[0].find("2 rows are of this family, 2"), std::string::npos) << report->notes[0];
}

// A loop from Python: tiny kernels take what the host needs for a launch, PyTorch's two kernels twice that;
// long ones take their own time, with nothing added.
TEST(Published, ALoopOfLaunchesTakesNoLessThanTheHostNeeds) {
  const auto report =
      judged("norm",
             "MI350X/MI355X,gfx950,7,FlyDSL,softmax_bwd,bf16,rowsxcols=64x128,,time,5.5,us,"
             "ROCm/FlyDSL#1019,c\n"
             "MI350X/MI355X,gfx950,7,aten,softmax_bwd,bf16,rowsxcols=64x128,,time,11,us,"
             "ROCm/FlyDSL#1019,c\n"
             "MI350X/MI355X,gfx950,7,FlyDSL,softmax_bwd,bf16,rowsxcols=65536x8192,,time,9999,us,"
             "ROCm/FlyDSL#1019,c\n"
             "MI350X/MI355X,gfx950,7,FlyDSL,softmax_bwd,bf16,rowsxcols=65536x8192,,time,9999,us,"
             "elsewhere,c\n");
  ASSERT_TRUE(report) << report.error().text();
  std::map<std::string, double> predicted;
  for (const Case& one : report->worst) predicted[one.where.substr(one.where.rfind(':') + 1)] = one.predicted;
  ASSERT_EQ(predicted.size(), 4u);
  EXPECT_NEAR(predicted["3"], 2 * predicted["2"], 1e-12);
  EXPECT_NEAR(predicted["2"], 5.6e-6, 1e-12);
  EXPECT_NEAR(predicted["4"], 3.0 * 65536 * 8192 * 2 / 5.8e12, 60e-6);
  EXPECT_NEAR(predicted["4"], predicted["5"], 3e-6) << "only the launches differ";
}

// What the families reach on half B of our own data; a change that loses much of it shows here.
TEST(Published, MediansOnHalfBStayBelowFifteenPercent) {
  for (const char* name : {"attention", "norm", "moe", "memory_bound"}) {
    Data data;
    const auto report = find_family(name)->judge(data);
    ASSERT_TRUE(report) << report.error().text();
    EXPECT_GT(report->summary.at(0).n, 150u) << name;
    EXPECT_LT(report->summary.at(0).value, 0.15) << name;
    EXPECT_FALSE(report->constants.empty());
  }
}

}  // namespace
}  // namespace wavesmith::validate
