#include "validate/markdown.h"

#include <gtest/gtest.h>

#include <cmath>

namespace wavesmith::validate {
namespace {

TEST(Markdown, TablesOfAFamilyWithoutThisMachinesFolders) {
  FamilyReport report{.family = "gemm", .method = "how"};
  report.strata = {{.name = "M <= 16", .n = 3, .median = 0.05, .mean = 0.06, .p90 = 0.1}};
  report.worst = {{.gpu = "MI300X",
                   .label = "a|b",
                   .where = "/home/me/published.csv.gz:17",
                   .measured = 1,
                   .predicted = 2}};
  report.summary = {{.name = "gemm_worst_stratum_median", .value = 0.05, .n = 3}};
  const std::string page = markdown({&report, 1});
  EXPECT_NE(page.find("| `gemm_worst_stratum_median` | 0.0500 | 3 |"), std::string::npos) << page;
  EXPECT_NE(page.find("| M <= 16 | 3 | 5.0 | 6.0 | 10.0 |  |  |"), std::string::npos) << page;
  EXPECT_NE(page.find("| published.csv.gz:17 |"), std::string::npos) << page;
  EXPECT_NE(page.find("a\\|b"), std::string::npos);
  EXPECT_EQ(page.find("/home"), std::string::npos);
}

TEST(Markdown, OrigamisColumnIsKeptWhereOrigamiIsNotHere) {
  FamilyReport report{.family = "gemm", .method = "how"};
  report.strata = {{.name = "M <= 16", .n = 3, .median = 0.05, .mean = 0.06, .p90 = 0.1, .origami = 0.2},
                   {.name = "M > 16", .n = 4, .median = 0.05, .mean = 0.06, .p90 = 0.1}};
  const std::string before = markdown({&report, 1});
  EXPECT_NE(before.find("| M <= 16 | 3 | 5.0 | 6.0 | 10.0 |  | 20.0 |"), std::string::npos) << before;
  report.strata[0].origami = std::nan("");
  EXPECT_EQ(markdown({&report, 1}, before), before);
  report.strata[0].n = 5;
  EXPECT_NE(markdown({&report, 1}, before).find("| M <= 16 | 5 | 5.0 | 6.0 | 10.0 |  |  |"),
            std::string::npos)
      << "other rows than those of the page";
  report.strata[0] = {.name = "M <= 16", .n = 3, .origami = 0.3};
  EXPECT_NE(markdown({&report, 1}, before).find("30.0 |"), std::string::npos) << "Origami is here";
}

}  // namespace
}  // namespace wavesmith::validate
