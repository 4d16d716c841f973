#include "validate/gemm/fit.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cmath>
#include <cstdlib>

#include "model/gemm/table.h"

namespace wavesmith::validate {
namespace {

/// The numbers of the set whose lines begin with `head`, in the order of gemm_parts().
std::vector<double> values_of(const std::string& table, const std::string& head) {
  std::vector<double> values;
  size_t at = table.find(head);
  for (const model::GemmPart& part : model::gemm_parts()) {
    const std::string name = "\n" + std::string(part.name) + " = ";
    at = at == table.npos ? at : table.find(name, at);
    if (at == table.npos) return values;
    values.push_back(std::strtod(table.c_str() + at + name.size(), nullptr));
  }
  return values;
}

// The built-in table was made by this: fitting again from where it stands moves it little.
TEST(GemmFit, TheTableIsWhatTheFitGives) {
  Data data;
  const Result<std::string> table = fit_gemm(data, {.steps = 10, .only = "CDNA2 c32 BLAS"});
  ASSERT_TRUE(table) << table.error().text();
  const std::vector<double> values = values_of(*table, "architecture = \"CDNA2\"\ntype = \"c32\"\n");
  ASSERT_EQ(values.size(), model::gemm_parts().size());
  for (const model::GemmSet& set : model::gemm_sets()) {
    if (set.architecture != "CDNA2" || set.type != model::NumberType::C32) continue;
    EXPECT_GT(set.rows, 200u);
    const double before = set.constants.matrix_share;
    EXPECT_NEAR(values[0], before, 0.03);
    size_t moved = 0;
    for (size_t i = 0; i < values.size(); ++i) {
      const model::GemmPart& part = model::gemm_parts()[i];
      EXPECT_GE(values[i], part.least * 0.999) << part.name;
      EXPECT_LE(values[i], part.most * 1.001) << part.name;
      if (std::abs(std::log(values[i] / (set.constants.*part.member))) > 0.5) ++moved;
    }
    EXPECT_LE(moved, 3u);
  }
}

TEST(GemmFit, EverySetIsWithinItsBoundsAndSaysWhatItWasFittedOn) {
  for (const model::GemmSet& set : model::gemm_sets()) {
    EXPECT_GT(set.rows, 20u) << set.architecture << " " << set.source;
    EXPECT_FALSE(set.source.empty());
    for (const model::GemmPart& part : model::gemm_parts()) {
      EXPECT_GE(set.constants.*part.member, part.least * 0.999) << set.source << " " << part.name;
      EXPECT_LE(set.constants.*part.member, part.most * 1.001) << set.source << " " << part.name;
    }
    for (const model::GemmFactor& factor : model::gemm_factors())
      if (factor.of(set)) EXPECT_GT(factor.value, 0) << factor.tag;
  }
}

}  // namespace
}  // namespace wavesmith::validate
