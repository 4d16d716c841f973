#include "check/accepted.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "check/sarif.h"
#include "check/source.h"

namespace wavesmith::check {
namespace {

Report two_findings() {
  Finding race{.topic = Topic::Race,
               .rule = "global-write-write",
               .severity = Severity::Warning,
               .what = "two workgroups write",
               .parties = {{.role = "writes",
                            .kernel = "mark(int*)",
                            .offset = 0x10,
                            .instruction = "global_store_dword v0, v1, s[0:1]",
                            .source = "function 'mark' + 0x10, /src/mark.hip:7"}}};
  Finding stray{
      .topic = Topic::Memory,
      .rule = "out-of-bounds",
      .what = "reads past the end",
      .parties = {{.role = "reads", .kernel = "sum", .offset = 4, .instruction = "global_load_dword"}}};
  return {.topics = {Topic::Memory, Topic::Race}, .launches = 2, .findings = {race, stray}};
}

TEST(Suppressions, TakeWhatTheyFitAndCount) {
  auto all = suppressions_of(
      "[[suppress]]\nreason = \"all write 1\"\nrule = \"race/*\"\nkernel = \"mark*\"\n"
      "[[suppress]]\nreason = \"never\"\nsource = \"*/other.hip:*\"\n",
      "known.toml");
  ASSERT_TRUE(all) << all.error().text();
  Report report = two_findings();
  suppress(report, *all);
  ASSERT_EQ(report.findings.size(), 1u);
  EXPECT_EQ(report.findings[0].rule, "out-of-bounds");
  EXPECT_EQ((*all)[0].used, 1u);
  EXPECT_EQ((*all)[1].used, 0u);
  EXPECT_EQ((*all)[1].line, 5);
}

TEST(Suppressions, SayWhatIsWrongWithTheirFile) {
  const struct {
    const char *text, *says;
  } cases[] = {{"[[suppress]]\nrule = \"race/*\"\n", "without a reason"},
               {"[[suppress]]\nreason = \"x\"\n", "of everything"},
               {"[[suppress]]\nreason = \"x\"\nrules = \"race\"\n", "unknown key 'rules'"},
               {"[[suppress]]\nreason = 3\n", "'reason' is no text"},
               {"[allow]\nx = 1\n", "unknown key 'allow'"},
               {"[[suppress]\n", "known.toml:1"}};
  for (const auto& one : cases) {
    const auto all = suppressions_of(one.text, "known.toml");
    ASSERT_FALSE(all) << one.text;
    EXPECT_NE(all.error().text().find(one.says), std::string::npos) << all.error().text();
  }
}

TEST(Baseline, TakesKnownFindingsWhereverTheyStandByNow) {
  Report report = two_findings();
  const Report baseline = report;
  for (Finding& finding : report.findings) finding.parties[0].offset += 8, finding.count = 9;
  report.findings.push_back(report.findings[1]);  // once more than is known
  EXPECT_EQ(take_baseline(report, baseline), 2u);
  EXPECT_EQ(report.findings.size(), 1u);
}

TEST(Sarif, NamesRulesLevelsAndPlaces) {
  const auto log = nlohmann::json::parse(to_sarif(two_findings()));
  EXPECT_EQ(log["version"], "2.1.0");
  const auto& run = log["runs"][0];
  EXPECT_EQ(run["tool"]["driver"]["rules"].size(), 2u);
  const auto& race = run["results"][0];
  EXPECT_EQ(race["ruleId"], "race/global-write-write");
  EXPECT_EQ(race["level"], "warning");
  const auto& place = race["locations"][0]["physicalLocation"];
  EXPECT_EQ(place["artifactLocation"]["uri"], "/src/mark.hip");
  EXPECT_EQ(place["region"]["startLine"], 7);
  EXPECT_FALSE(run["results"][1]["locations"][0].contains("physicalLocation"));
  EXPECT_EQ(run["results"][1]["locations"][0]["logicalLocations"][0]["fullyQualifiedName"], "sum+0x4");
}

TEST(SourceLines, StandBehindTheFunction) {
  EXPECT_EQ(source_line("function 'f(int, int)' + 0x10, /a/b, c.hip:12"), (SourceLine{"/a/b, c.hip", 12}));
  EXPECT_EQ(source_line("x.hip:3"), (SourceLine{"x.hip", 3}));
  EXPECT_EQ(source_line("function 'f' + 0x10"), std::nullopt);
  EXPECT_EQ(source_line(""), std::nullopt);
}

}  // namespace
}  // namespace wavesmith::check
