#include "validate/gemm/tiles.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "base/split.h"
#include "model/fitted/texts.h"
#include "model/gemm/tiles.h"
#include "validate/table.h"

namespace wavesmith::validate {
namespace {

GemmRow row_of(uint32_t tile_m, Half half, std::string schedule) {
  GemmRow row{.chip = "mi300x", .half = half};
  row.problem = {.m = 512, .n = 512, .k = 512, .a = model::NumberType::F8, .b = model::NumberType::F8};
  row.kernel = model::GemmKernel{.tile_m = tile_m,
                                 .tile_n = 128,
                                 .tile_k = 128,
                                 .split_k = tile_m / 16,
                                 .schedule = std::move(schedule)};
  return row;
}

std::vector<std::string> lines_of(const std::string& text) {
  std::vector<std::string> lines;
  for (const std::string_view line : split(text, '\n'))
    if (!line.empty()) lines.emplace_back(line);
  return lines;
}

TEST(GemmTiles, TheKernelThatWasFastestMostOftenStandsFirstAndHalfBDoesNotCount) {
  GemmRows rows;
  for (int i = 0; i < 3; ++i) rows.rows.push_back(row_of(64, Half::A, "CK blockscale v1|mi308x"));
  for (int i = 0; i < 5; ++i) rows.rows.push_back(row_of(128, Half::A, "CK blockscale v1"));
  for (int i = 0; i < 9; ++i) rows.rows.push_back(row_of(32, Half::B, "CK blockscale v1"));
  rows.rows.push_back(row_of(16, Half::A, "CK blockscale v1"));  // a single row
  const std::vector<std::string> lines = lines_of(count_gemm_tiles(rows));
  const std::vector<std::string> head = {
      "[[tiles]]",          "architecture = \"CDNA3\"",        "type = \"f8\"", "vector = false",
      "origin = \"AITER\"", "schedule = \"CK blockscale v1\"", "kernels = ["};
  const size_t beside = head.size() + 1;  // and the bracket behind
  ASSERT_EQ(lines.size(), beside + 2);
  EXPECT_TRUE(std::equal(head.begin(), head.end(), lines.begin()));
  EXPECT_TRUE(lines[7].starts_with("    [128, 128, 128, ")) << lines[7];
  EXPECT_TRUE(lines[7].ends_with(", 5],")) << lines[7];
  EXPECT_TRUE(lines[8].starts_with("    [64, 128, 128, ")) << lines[8];
  EXPECT_TRUE(lines[8].ends_with(", 3],")) << lines[8];
  EXPECT_EQ(lines_of(count_gemm_tiles(rows, {.most = 1})).size(), beside + 1);
  EXPECT_EQ(lines_of(count_gemm_tiles(rows, {.least = 1})).size(), beside + 3);
}

TEST(GemmTiles, ABoundOfKTellsWhichProductsGetVectorKernels) {
  GemmRows rows;
  const auto add = [&](uint64_t k, bool vector, size_t times, Half half = Half::A) {
    for (size_t i = 0; i < times; ++i) {
      GemmRow row{.chip = "mi100", .half = half};
      row.problem = {.m = 512, .n = 512, .k = k, .a = model::NumberType::F16, .b = model::NumberType::F16};
      row.problem.c = model::NumberType::F32;
      row.kernel = model::GemmKernel{.tile_m = 64, .tile_n = 64, .tile_k = 16, .vector = vector};
      rows.rows.push_back(row);
    }
  };
  add(128, true, 30), add(512, true, 20), add(512, false, 4), add(4096, false, 40), add(4096, true, 6);
  add(8192, true, 500, Half::B);
  const std::string text = count_gemm_tiles(rows);
  const size_t at = text.find("[[vector_products]]");
  ASSERT_NE(at, text.npos);
  EXPECT_EQ(text.substr(at),
            "[[vector_products]]\narchitecture = \"CDNA\"\na = \"f16\"\nc = \"f32\"\nlayout = \"tn\"\n"
            "most_k = 512\nrows = 100\nright = 90\n");
  // Other architectures' kernels stand apart.
  EXPECT_NE(text.find("[[tiles]]\narchitecture = \"CDNA\"\n"), text.npos);
  add(64, false, 400);  // no bound tells then
  EXPECT_EQ(count_gemm_tiles(rows).find("[[vector_products]]"), std::string::npos);
}

TEST(GemmTiles, TheBuiltInTableIsWhatTheRowsOfHalfAGive) {
  Data data;
  GemmRows rows;
  for (const auto& [kind, read] :
       {std::pair{TableKind::Tensile, &tensile_rows}, {TableKind::Published, &aiter_rows}}) {
    const auto tables = data.own(kind);
    ASSERT_TRUE(tables) << tables.error().text();
    for (const Csv* csv : *tables) {
      Result<GemmRows> more = read(*csv);
      ASSERT_TRUE(more) << more.error().text();
      rows.rows.insert(rows.rows.end(), more->rows.begin(), more->rows.end());
    }
  }
  for (const model::FittedText& file : model::fitted_texts())
    if (file.id == "gemm_tiles")
      EXPECT_EQ(file.text.substr(file.text.find("\n[[tiles]]")), count_gemm_tiles(rows));
  EXPECT_GT(model::gemm_tiles().size(), 400u);
}

}  // namespace
}  // namespace wavesmith::validate
