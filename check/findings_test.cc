#include "check/findings.h"

#include <gtest/gtest.h>

#include "check/json.h"
#include "check/sarif.h"
#include "check/text.h"

namespace wavesmith::check {
namespace {

Finding finding(uint64_t workgroup) {
  return {.topic = Topic::Race,
          .rule = "lds-write-read",
          .severity = Severity::Error,
          .what = "a wave reads what another writes without a barrier in between",
          .parties = {{.role = "reads",
                       .kernel = "sum",
                       .offset = 0x40,
                       .instruction = "ds_read_b32 v1, v0",
                       .source = "sum.hip:12",
                       .dispatch = 3,
                       .workgroup = {static_cast<uint32_t>(workgroup), 0, 0},
                       .wave = 1,
                       .lanes = 0x8000'0000'0000'000f}},
          .address = "LDS + 0x40",
          .fix = "put a barrier between them"};
}

TEST(Findings, RepeatsFoldIntoTheFirstOccurrence) {
  Findings findings;
  for (const uint64_t workgroup : {7, 3, 5})
    findings.add({.rule = "lds-write-read", .first = 1, .second = 2},
                 {.dispatch = 3, .workgroup = workgroup, .event = 9}, [&] { return finding(workgroup); });
  findings.add({.rule = "lds-write-read", .first = 1, .second = 4}, {}, [&] { return finding(8); });
  const auto all = findings.all();
  ASSERT_EQ(all.size(), 2u);
  EXPECT_EQ(findings.size(), 2u);
  EXPECT_EQ(all[0].count, 3u);
  EXPECT_EQ(all[0].parties[0].workgroup, (Extent3{3, 0, 0}));
  EXPECT_EQ(all[1].count, 1u);
}

TEST(Findings, GoThroughJsonUnchanged) {
  const Report report{.topics = {Topic::Race, Topic::Numeric}, .launches = 12, .findings = {finding(2)}};
  const auto read = report_of_json(to_json(report));
  ASSERT_TRUE(read) << read.error().text();
  EXPECT_EQ(read->topics, report.topics);
  EXPECT_EQ(read->launches, 12u);
  EXPECT_EQ(read->findings, report.findings);
  EXPECT_FALSE(report_of_json("{\"findings\": 3}"));
  EXPECT_FALSE(report_of_json(""));
}

TEST(Findings, OfFunctionsBeforeTheKernelHaveNegativeOffsets) {
  Finding before = finding(2);
  before.parties[0].offset = static_cast<uint64_t>(-0x20);
  const std::string json = to_json({.launches = 1, .findings = {before}});
  EXPECT_NE(json.find("\"offset\": -32"), std::string::npos) << json;
  const auto read = report_of_json(json);
  ASSERT_TRUE(read) << read.error().text();
  EXPECT_EQ(read->findings[0], before);
  EXPECT_NE(to_sarif({.launches = 1, .findings = {before}}).find("\"sum-0x20\""), std::string::npos);
  EXPECT_NE(text_of(before).find("sum - 0x20"), std::string::npos);
}

TEST(Findings, AreAParagraphEach) {
  Finding one = finding(2);
  one.count = 4;
  EXPECT_EQ(
      text_of(one),
      "error [race/lds-write-read]: a wave reads what another writes without a barrier in between (LDS + "
      "0x40)\n"
      "  reads: ds_read_b32 v1, v0\n"
      "      sum + 0x40 (sum.hip:12)\n"
      "      dispatch 3, workgroup 2,0,0, wave 1, lanes 0-3, 63\n"
      "  fix: put a barrier between them\n"
      "  seen 4 times\n");
}

}  // namespace
}  // namespace wavesmith::check
