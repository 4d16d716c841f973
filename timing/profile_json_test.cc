#include "timing/profile_json.h"

#include <gtest/gtest.h>

namespace wavesmith::timing {
namespace {

KernelProfile timed() {
  KernelProfile kernel;
  kernel.name = "_Z4gemmPf";
  kernel.grid = {16, 2, 1};
  kernel.block = {256, 1, 1};
  kernel.waves_per_workgroup = 4;
  kernel.notes = {"a \"note\""};
  kernel.cycles = 4.25e6;
  kernel.replay = {.cycles = 1, .waves = 2, .workgroups = 3, .instructions = 4, .host_seconds = 0.5};
  kernel.pipes = {{isa::Pipe::Matrix, 7, 0.5}, {isa::Pipe::Internal, 1, 1}};
  kernel.stalls = {{"wait for loads", 150, 100, 50, 0.2}};
  kernel.lds = {.cycles = 10, .conflict_cycles = 5, .conflict_share = 0.5};
  kernel.memory.line_bytes = 128;
  kernel.instructions = {{8, "s_endpgm", isa::Pipe::Branch, 2, 3, 4, 5, {{"barrier", 8}}, "f.hip:12"}};
  kernel.timeline = {{"", "barrier"}, {{0, 1, 10, 98, 0, 1}}};
  kernel.launches = 3;
  return kernel;
}

KernelProfile refused() {
  KernelProfile kernel;
  kernel.name = "refused";
  kernel.refused = "it waits";
  kernel.want_whole = true;
  kernel.launches = 1;
  return kernel;
}

ProgramProfile both() {
  return {.gpu = "mi300x", .sampled = true, .replaced = 2, .kernels = {timed(), refused()}};
}

TEST(ProfileJson, WhatIsWrittenIsRead) {
  const std::string json = to_json(both());
  const auto read = program_profile(json);
  ASSERT_TRUE(read) << read.error().text();
  EXPECT_EQ(to_json(*read), json) << "nothing is lost on the way";
  EXPECT_TRUE(read->sampled);
  EXPECT_EQ(read->replaced, 2u);
  ASSERT_EQ(read->kernels.size(), 2u);
  const KernelProfile& kernel = read->kernels[0];
  EXPECT_EQ(kernel.grid, timed().grid);
  EXPECT_EQ(kernel.notes, timed().notes);
  EXPECT_EQ(kernel.cycles, 4.25e6);
  EXPECT_EQ(kernel.replay.host_seconds, 0.5);
  EXPECT_EQ(kernel.utilisation(isa::Pipe::Matrix), 0.5);
  EXPECT_EQ(kernel.stalls[0].hidden, 50);
  EXPECT_EQ(kernel.instructions[0].main_cause(), "barrier");
  EXPECT_EQ(kernel.instructions[0].pipe, isa::Pipe::Branch);
  EXPECT_EQ(kernel.timeline->events[0].issued, 98u);
  EXPECT_EQ(kernel.timeline->wait(kernel.timeline->events[0]), "barrier");
  EXPECT_FALSE(read->kernels[1].has_time());
  EXPECT_TRUE(read->kernels[1].want_whole);
}

TEST(ProfileJson, AKernelWithoutATimeSaysNothingOfIt) {
  const std::string json = to_json({.gpu = "mi300x", .kernels = {refused()}});
  EXPECT_EQ(json.find("seconds"), json.npos) << json;
  EXPECT_NE(json.find("\"refused\": \"it waits\""), json.npos) << json;
}

TEST(ProfileJson, TheFormIsTheOneThatProgramsRead) {
  ProgramProfile profile{.gpu = "mi300x", .kernels = {timed()}};
  const std::string json = to_json(profile);
  for (const char* part :
       {"{\n \"gpu\": \"mi300x\",\n", "\n   \"cycles\": 4250000.0,\n", "\"pipe\": \"matrix\"",
        "\"causes\": {\n      \"barrier\": 8\n", "\n   \"launches\": 3\n  }\n ]\n}"})
    EXPECT_NE(json.find(part), json.npos) << part << json;
}

TEST(ProfileJson, MembersThatAreMissingKeepTheirDefaults) {
  const auto read = program_profile(R"({"gpu": "mi300x", "later": 1, "kernels": [{"name": "f"}]})");
  ASSERT_TRUE(read) << read.error().text();
  EXPECT_EQ(read->kernels[0].name, "f");
  EXPECT_EQ(read->kernels[0].launches, 0u);
  EXPECT_FALSE(read->kernels[0].timeline);
}

TEST(ProfileJson, WhatIsNoProfileIsAnsweredWithThePlace) {
  struct Case {
    const char *json, *where;
  };
  for (const Case& each :
       {Case{"", ""}, Case{"null", ""}, Case{"[]", ""}, Case{R"({"kernels": 3})", "kernels"},
        Case{R"({"kernels": [{}, 3]})", "kernels[1]"}, Case{R"({"replaced": -1})", "replaced"},
        Case{R"({"kernels": [{"grid": [1, 2]}]})", "kernels[0].grid"},
        Case{R"({"kernels": [{"grid": [1, 2, 4294967296]}]})", "kernels[0].grid"},
        Case{R"({"kernels": [{"pipes": [{"pipe": "no such"}]}]})", "kernels[0].pipes[0].pipe"},
        Case{R"({"kernels": [{"timeline": {"events": [[1], 2]}}]})", "kernels[0].timeline.events[0]"}}) {
    const auto read = program_profile(each.json);
    ASSERT_FALSE(read) << each.json;
    EXPECT_EQ(read.error().where, each.where) << each.json;
  }
}

}  // namespace
}  // namespace wavesmith::timing
