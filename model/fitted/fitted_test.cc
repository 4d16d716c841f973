// What model/fitted says of itself: rows behind every set, and low confidence wherever it shows.
#include <gtest/gtest.h>

#include <algorithm>
#include <set>

#include "model/attention.h"
#include "model/fitted/read.h"
#include "model/norm.h"

namespace wavesmith::model {
namespace {

const gpus::Gpu& gpu(std::string_view id) { return **gpus::find_gpu(id); }

bool says(const Prediction& prediction, std::string_view text) {
  return std::ranges::any_of(prediction.notes,
                             [&](const std::string& note) { return note.find(text) != note.npos; });
}

TEST(Fitted, EverySetHasRowsASourceAndConstants) {
  for (const ConstantSet& set : constant_sets()) {
    EXPECT_GT(set.rows, 0u) << set.name;
    EXPECT_FALSE(set.source.empty()) << set.name;
    EXPECT_TRUE(std::ranges::any_of(constants(), [&](const Constant& one) { return one.set == set.name; }))
        << set.name;
  }
  for (const Constant& one : constants())
    EXPECT_TRUE(
        one.set.empty() ||
        std::ranges::any_of(constant_sets(), [&](const ConstantSet& set) { return set.name == one.set; }))
        << one.name;
  for (const GemmSet& set : gemm_sets()) EXPECT_GT(set.rows, 0u) << set.architecture << set.source;
  for (const GemmTile& tile : gemm_tiles()) EXPECT_GT(tile.rows, 0u) << tile.architecture << tile.schedule;
}

TEST(Fitted, FactorsAndTilesBelongToSets) {
  for (const GemmFactor& factor : gemm_factors())
    EXPECT_TRUE(std::ranges::any_of(gemm_sets(), [&](const GemmSet& set) { return factor.of(set); }))
        << factor.tag;
  for (const GemmTile& tile : gemm_tiles())
    EXPECT_TRUE(std::ranges::any_of(
        gemm_sets(), [&](const GemmSet& set) { return tile.of(set, tile.architecture, tile.schedule); }))
        << tile.architecture << tile.schedule;
}

TEST(Fitted, AFifthAsManyConstantsAsRowsIsTooMany) {
  EXPECT_EQ(few_rows(2, 11), "");
  EXPECT_EQ(few_rows(2, 10), "2 constants on 10 rows");
  EXPECT_EQ(few_rows(1, 4), "1 constant on 4 rows");
}

// 22 constants; a set of ten thousand rows, each of which is inside its bounds, is in no doubt.
TEST(Fitted, AConstantThatABoundStoppedIsDoubted) {
  GemmSet set = gemm_sets().front();
  set.origin = "no factor's";
  set.rows = 10000;
  for (const GemmPart& part : gemm_parts()) set.constants.*part.member = (part.least + part.most) / 2;
  EXPECT_EQ(doubt_of(set), "");
  set.constants.overlap = 36;
  EXPECT_EQ(doubt_of(set), "") << "everything overlaps: nothing is left to add";
  set.constants.overlap = 0.4;
  set.constants.l2_share = 1.3;
  EXPECT_EQ(doubt_of(set), "at a bound of the fit: l2_share, overlap");
  set.rows = 110;
  EXPECT_EQ(doubt_of(set), "22 constants on 110 rows; at a bound of the fit: l2_share, overlap");
}

// Each set that is in doubt says so where a prediction leans on it, and no other does.
TEST(Fitted, ProductsThatLeanOnADoubtedSetAreOfLowConfidence) {
  size_t doubted = 0;
  for (const gpus::Gpu* one : gpus::gpus())
    for (const NumberType type :
         {NumberType::F32, NumberType::F16, NumberType::BF16, NumberType::F8, NumberType::I8}) {
      const GemmProblem problem{.m = 512, .n = 512, .k = 512, .a = type, .b = type, .c = type};
      const auto got = predict_gemm(*one, problem);
      if (!got) continue;
      const GemmConstantsFor used =
          gemm_constants(*one, type, matrix_flops(*one, type) == 0, got->kernel.schedule);
      EXPECT_EQ(says(*got, "low confidence: "), !used.doubt().empty()) << one->id << name_of(type);
      if (used.doubt().empty()) continue;
      EXPECT_EQ(got->confidence, Confidence::Low) << one->id << name_of(type);
      ++doubted;
    }
  EXPECT_GT(doubted, 5u);
  EXPECT_TRUE(says(
      *predict_gemm(
          gpu("mi300x"),
          {.m = 512, .n = 512, .k = 512, .a = NumberType::I8, .b = NumberType::I8, .c = NumberType::BF16},
          GemmKernel{.schedule = "assembly"}),
      "30 constants on 36 rows"));
}

TEST(Fitted, OperatorsThatLeanOnADoubtedSetAreOfLowConfidence) {
  const auto decode =
      predict_decode(gpu("mi355x"), {.batch = 32, .heads = 64, .kv_heads = 8, .context = 8192});
  EXPECT_EQ(decode->confidence, Confidence::Low);
  EXPECT_TRUE(says(*decode, "low confidence: 'decode' was fitted with 7 constants on 8 rows"));
  const auto rows =
      predict_rows(gpu("mi300x"), {.operation = RowOperation::LayerNorm, .rows = 4096, .columns = 4096});
  EXPECT_FALSE(says(*rows, "low confidence"));
}

}  // namespace
}  // namespace wavesmith::model
