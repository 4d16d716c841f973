#include "validate/gemm/tiles.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <map>

#include "base/split.h"
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
  ASSERT_EQ(lines.size(), 2u);
  const std::string head = "    {\"CDNA3\", NumberType::F8, false, \"AITER\", \"CK blockscale v1\", ";
  EXPECT_TRUE(lines[0].starts_with(head + "128, 128, 128, ")) << lines[0];
  EXPECT_TRUE(lines[0].ends_with(", 5},")) << lines[0];
  EXPECT_TRUE(lines[1].starts_with(head + "64, 128, 128, ")) << lines[1];
  EXPECT_TRUE(lines[1].ends_with(", 3},")) << lines[1];
  EXPECT_EQ(lines_of(count_gemm_tiles(rows, {.most = 1})).size(), 1u);
  EXPECT_EQ(lines_of(count_gemm_tiles(rows, {.least = 1})).size(), 3u);
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
  const std::vector<std::string> lines = lines_of(count_gemm_tiles(rows));
  ASSERT_EQ(lines.size(), model::gemm_tiles().size());
  for (size_t i = 0; i < lines.size(); ++i) {
    const model::GemmTile& tile = model::gemm_tiles()[i];
    const std::string begins =
        fmt::format("    {{\"{}\", NumberType::{}, {}, \"{}\", \"{}\", {}, {}, {}, {}, ", tile.architecture,
                    enumerator(tile.type), tile.vector, tile.origin, tile.schedule, tile.tile_m, tile.tile_n,
                    tile.tile_k, tile.threads);
    EXPECT_TRUE(lines[i].starts_with(begins)) << lines[i] << " in the table: " << begins;
    EXPECT_TRUE(lines[i].ends_with(fmt::format(", {}}},", tile.rows))) << lines[i];
  }
}

}  // namespace
}  // namespace wavesmith::validate
