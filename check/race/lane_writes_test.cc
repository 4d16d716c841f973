// Writes of equal values, which are told on request.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>

#include "check/race/race_testing.h"

namespace wavesmith::check {
namespace {

/// Asks for them in a block.
struct EqualWrites {
  EqualWrites() { setenv("WAVESMITH_CHECK_RACE", "equal-writes", 1); }
  ~EqualWrites() { unsetenv("WAVESMITH_CHECK_RACE"); }
};

/// Each lane's dword and the next lane's, the same value in both.
constexpr std::string_view kTwoEach = "v_mov_b32 v3, 7\nSTORE v1, v3, s[4:5]\n";

const RacePair kPairs[] = {
    {"LanesOfOneStore", "lanes-same-value", "v_mov_b32 v2, 0\nv_mov_b32 v3, 7\nSTORE v2, v3, s[4:5]",
     "v_mov_b32 v3, 7\nSTORE v1, v3, s[4:5]", 1, 0},
    {"LanesOfOneStoreToLds", "lanes-same-value", "v_mov_b32 v2, 0\nv_mov_b32 v3, 7\nLDS_STORE v2, v3",
     "v_mov_b32 v3, 7\nLDS_STORE v1, v3", 1, 0},
    {"LanesOfTwoStores", "lanes-same-value", kTwoEach + "STORE v1, v3, s[4:5] offset:4",
     kTwoEach + "STORE v1, v3, s[4:5] offset:1024", 1, 0},
    {"WideStoresThatOverlap", "lanes-same-value",
     "v_mov_b32 v2, 7\nv_mov_b32 v3, 7\nSTORE64 v1, v[2:3], s[4:5]",
     "v_lshlrev_b32 v1, 1, v1\nv_mov_b32 v2, 7\nv_mov_b32 v3, 7\nSTORE64 v1, v[2:3], s[4:5]", 1, 0},
    // What a lane writes twice, or another one behind a wait, has an order.
    {"LanesOfTwoStoresBehindAWait", "lanes-same-value", kTwoEach + "STORE v1, v3, s[4:5] offset:4",
     kTwoEach + "STORE v1, v3, s[4:5]\nNEAR_RELEASE\nWAIT_LOAD\nSTORE v1, v3, s[4:5] offset:4", 1, 0},
    {"WavesInLds", "lds-same-value", "v_and_b32 v2, 0xfc, v1\nv_mov_b32 v3, 7\nLDS_STORE v2, v3",
     "v_mov_b32 v3, 7\nLDS_STORE v1, v3"},
    {"WavesInDeviceMemory", "wave-same-value",
     "v_and_b32 v2, 0xfc, v1\nv_mov_b32 v3, 0\nSTORE v2, v3, s[4:5]",
     "v_mov_b32 v3, 0\nSTORE v1, v3, s[4:5]"},
    {"Workgroups", "global-same-value", "v_mov_b32 v3, 7\nSTORE v1, v3, s[4:5]",
     "s_lshl_b32 s10, s8, 8\nADD v2, s10, v1\nv_mov_b32 v3, 7\nSTORE v2, v3, s[4:5]", 8, 0},
};

class EqualRace : public testing::TestWithParam<RacePair> {};
TEST_P(EqualRace, IsFoundOnRequestAndItsTwinIsRight) {
  const EqualWrites asked;
  expect_race(GetParam());
}
INSTANTIATE_TEST_SUITE_P(Pairs, EqualRace, testing::ValuesIn(kPairs),
                         [](const auto& each) { return std::string(each.param.name); });

/// The severities of what is found, by rules in alphabetical order.
std::vector<std::pair<std::string, Severity>> severities() {
  CheckedKernel kernel(
      "race", "gfx942",
      race_kernel(kRaceTargets[1],
                  "v_mov_b32 v2, 0\nv_mov_b32 v3, 7\nSTORE v2, v3, s[4:5]\nLDS_STORE v2, v3"),
      64, 8192);
  const auto done = kernel.launch(2, 128, {reinterpret_cast<uint64_t>(kernel.allocate(16384)), 0});
  EXPECT_TRUE(done) << done.error().text();
  std::vector<std::pair<std::string, Severity>> all;
  for (const Finding& finding : kernel.findings()) all.emplace_back(finding.rule, finding.severity);
  std::ranges::sort(all);
  all.erase(std::ranges::unique(all).begin(), all.end());
  return all;
}

TEST(EqualRaces, AreHintsOrNothingUnlessAskedFor) {
  const std::vector<std::pair<std::string, Severity>> hints = {{"global-same-value", Severity::Hint},
                                                               {"lds-same-value", Severity::Hint},
                                                               {"wave-same-value", Severity::Hint}};
  EXPECT_EQ(severities(), hints);
  const std::vector<std::pair<std::string, Severity>> warnings = {{"global-same-value", Severity::Warning},
                                                                  {"lanes-same-value", Severity::Warning},
                                                                  {"lds-same-value", Severity::Warning},
                                                                  {"wave-same-value", Severity::Warning}};
  const EqualWrites asked;
  EXPECT_EQ(severities(), warnings);
}

}  // namespace
}  // namespace wavesmith::check
