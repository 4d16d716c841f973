#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "cli/testing.h"
#include "gpus/gpu.h"

namespace wavesmith::cli {
namespace {

TEST(GpusCommand, ListsThemAsTextAndAsJson) {
  const CommandResult text = run_wavesmith("gpus");
  EXPECT_EQ(text.code, 0);
  EXPECT_NE(text.out.find("mi300x"), text.out.npos);
  const CommandResult json = run_wavesmith("gpus --json");
  EXPECT_EQ(json.code, 0);
  const auto all = nlohmann::json::parse(json.out);
  const std::vector<const gpus::Gpu*> known = gpus::gpus();
  ASSERT_EQ(all.size(), known.size());
  for (size_t i = 0; i < known.size(); ++i) {
    EXPECT_EQ(all[i]["id"], known[i]->id);
    EXPECT_EQ(all[i]["predict_only"]["value"], known[i]->predict_only) << known[i]->id;
  }
}

TEST(GpusCommand, OneGpuComesWithValuesUnitsAndSources) {
  const CommandResult json = run_wavesmith("gpus mi300x+compute.units=8 --json");
  ASSERT_EQ(json.code, 0) << json.err;
  const auto gpu = nlohmann::json::parse(json.out);
  EXPECT_EQ(gpu["compute"]["units"]["value"], 8);
  EXPECT_EQ(gpu["compute"]["units"]["source"], "set on the command line");
  EXPECT_EQ(gpu["latency"]["l2_cycles"]["kind"], "measured");
  EXPECT_EQ(gpu["memory"]["gigabytes_per_second"]["unit"], "GB/s");
  const CommandResult unknown = run_wavesmith("gpus mi325x --json");
  EXPECT_TRUE(nlohmann::json::parse(unknown.out)["latency"]["l2_cycles"]["value"].is_null());
}

TEST(GpusCommand, AnUnknownGpuIsExit4AndNamesTheKnownOnes) {
  const CommandResult got = run_wavesmith("gpus mi999");
  EXPECT_EQ(got.code, 4);
  EXPECT_NE(got.err.find("no GPU 'mi999'"), got.err.npos);
  EXPECT_NE(got.err.find("mi300x"), got.err.npos);
  EXPECT_EQ(run_wavesmith("gpus mi300x+compute.units=0").code, 3);
}

}  // namespace
}  // namespace wavesmith::cli
