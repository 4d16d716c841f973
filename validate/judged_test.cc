// Predictions carry the errors that validation finds, not others.
#include <gtest/gtest.h>

#include "model/judged.h"
#include "validate/families/family.h"

namespace wavesmith::validate {
namespace {

TEST(Judged, PredictionsCarryWhatValidationFinds) {
  std::vector<JudgedMedian> found;
  for (const Family& family : families()) {
    if (family.name == "mi300a" || family.name == "profile" || family.name == "issue" ||
        family.name == "statistics")
      continue;
    Data data;
    const Result<FamilyReport> report = family.judge(data);
    ASSERT_TRUE(report) << report.error().text();
    found.insert(found.end(), report->judged.begin(), report->judged.end());
  }
  const std::span<const model::Judged> table = model::judged_table();
  constexpr const char* kAnew = "; wavesmith validate --judged model/judged_table.cc writes it anew";
  ASSERT_EQ(table.size(), found.size()) << kAnew;
  for (size_t i = 0; i < found.size(); ++i) {
    EXPECT_EQ(table[i].model, found[i].model);
    EXPECT_EQ(table[i].architecture, found[i].architecture);
    EXPECT_EQ(table[i].rows, found[i].n) << found[i].model << kAnew;
    EXPECT_NEAR(table[i].median, found[i].median, 1e-4) << found[i].model << kAnew;
  }
}

TEST(Judged, MediansAreOfTenCasesOrMore) {
  std::vector<Case> cases;
  for (int i = 1; i <= 11; ++i)
    cases.push_back({.measured = 100, .predicted = 100.0 + i, .model = "m", .architecture = "X"});
  for (int i = 0; i < 9; ++i)
    cases.push_back({.measured = 1, .predicted = 1, .model = "m", .architecture = "Y"});
  cases.push_back({.measured = 1, .predicted = 9});
  const std::vector<JudgedMedian> judged = judged_of(cases);
  ASSERT_EQ(judged.size(), 1u);
  EXPECT_EQ(judged[0].architecture, "X");
  EXPECT_EQ(judged[0].n, 11u);
  EXPECT_NEAR(judged[0].median, 0.06, 1e-12);
}

}  // namespace
}  // namespace wavesmith::validate
