#include "validate/report.h"

#include <gtest/gtest.h>

#include <cmath>

namespace wavesmith::validate {
namespace {

Case a_case(double measured, double predicted, std::vector<std::string> strata) {
  return {.gpu = "g", .measured = measured, .predicted = predicted, .strata = std::move(strata)};
}

TEST(Report, QuantilesInterpolate) {
  EXPECT_EQ(median({3, 1, 2}), 2);
  EXPECT_EQ(median({4, 1}), 2.5);
  EXPECT_DOUBLE_EQ(quantile({0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10}, 0.9), 9);
  EXPECT_TRUE(std::isnan(median({})));
}

TEST(Report, ErrorsAreRelativeToWhatWasMeasured) {
  EXPECT_DOUBLE_EQ(a_case(10, 12, {}).error(), 0.2);
  EXPECT_DOUBLE_EQ(a_case(10, 5, {}).error(), 0.5);
  EXPECT_TRUE(std::isnan(a_case(10, kNone, {}).error()));
  const std::vector<Case> cases{a_case(10, 12, {}), a_case(90, 80, {})};
  EXPECT_DOUBLE_EQ(weighted_error(cases), 0.12);
}

TEST(Report, ACaseCountsInEachOfItsStrata) {
  std::vector<Case> cases{a_case(10, 11, {"small", "all"}), a_case(10, 13, {"all"}), a_case(10, 10, {"all"})};
  cases[0].baseline = 20;
  const std::vector<Stratum> strata = strata_of(cases);
  ASSERT_EQ(strata.size(), 2u);
  EXPECT_EQ(strata[0].name, "small");
  EXPECT_DOUBLE_EQ(strata[0].median, 0.1);
  EXPECT_DOUBLE_EQ(strata[0].baseline, 1);
  EXPECT_EQ(strata[1].n, 3u);
  EXPECT_DOUBLE_EQ(strata[1].median, 0.1);
  EXPECT_NEAR(strata[1].mean, 0.4 / 3, 1e-12);
  EXPECT_TRUE(std::isnan(strata[1].origami));
}

TEST(Report, WorstFirst) {
  const std::vector<Case> cases{a_case(1, 2, {}), a_case(1, 5, {}), a_case(1, kNone, {}), a_case(1, 3, {})};
  const std::vector<Case> worst = worst_of(cases, 2);
  ASSERT_EQ(worst.size(), 2u);
  EXPECT_EQ(worst[0].predicted, 5);
  EXPECT_EQ(worst[1].predicted, 3);
}

}  // namespace
}  // namespace wavesmith::validate
