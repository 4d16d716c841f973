#include "validate/markdown.h"

#include <gtest/gtest.h>

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

}  // namespace
}  // namespace wavesmith::validate
