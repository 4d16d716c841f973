#include "validate/csv.h"

#include <gtest/gtest.h>
#include <unistd.h>
#include <zlib.h>

#include <cstdio>
#include <filesystem>
#include <fstream>

#include "base/scratch.h"

namespace wavesmith::validate {
namespace {

TEST(Csv, CellsByColumnAndLine) {
  const Result<Csv> csv = Csv::parse("a,b\n1,2\r\n\n3,\n", "t.csv");
  ASSERT_TRUE(csv) << csv.error().text();
  ASSERT_EQ(csv->rows(), 2u);
  EXPECT_EQ(csv->column("b"), 1u);
  EXPECT_FALSE(csv->column("c"));
  EXPECT_EQ(csv->cell(0, 1), "2");
  EXPECT_EQ(csv->cell(1, 1), "");
  EXPECT_EQ(csv->where(1), "t.csv:4");
}

TEST(Csv, QuotedCellsHoldCommasQuotesAndLines) {
  const Result<Csv> csv = Csv::parse("a,b\n\"x,\"\"y\"\"\nz\",2\n5,6", "t.csv");
  ASSERT_TRUE(csv) << csv.error().text();
  EXPECT_EQ(csv->cell(0, 0), "x,\"y\"\nz");
  EXPECT_EQ(csv->cell(0, 1), "2");
  EXPECT_EQ(csv->line(1), 4u);
  EXPECT_EQ(csv->cell(1, 1), "6");
}

TEST(Csv, ErrorsNameFileAndLine) {
  const auto error = [](const char* text) { return Csv::parse(text, "t.csv").error(); };
  EXPECT_EQ(error("a,b\n1,2\n3\n").where, "t.csv:3");
  EXPECT_EQ(error("a,b\n1,2\n\"3,4\n").where, "t.csv:3");
  EXPECT_EQ(error("a,b\n\"3\"x,4\n").where, "t.csv:2");
  EXPECT_EQ(error("\n\n").where, "t.csv");
  const Result<Csv> csv = Csv::parse("a\n1\nx\n", "t.csv");
  EXPECT_EQ(*number<int>(*csv, 0, 0), 1);
  EXPECT_EQ(number<int>(*csv, 1, 0).error().where, "t.csv:3");
}

TEST(Csv, FilesPlainCompressedAndBroken) {
  const Scratch scratch("csv");
  const std::string path = scratch / "file.csv";
  std::string text = "a,b\n";
  for (int i = 0; i < 50000; ++i) text += std::to_string(i) + "," + std::to_string(i * 7919 % 104729) + "\n";
  std::ofstream(path) << text;
  const Result<Csv> plain = Csv::read(path);
  ASSERT_TRUE(plain) << plain.error().text();
  EXPECT_EQ(plain->rows(), 50000u);

  gzFile file = gzopen(path.c_str(), "wb");
  gzwrite(file, text.data(), static_cast<unsigned>(text.size()));
  gzclose(file);
  const Result<Csv> packed = Csv::read(path);
  ASSERT_TRUE(packed) << packed.error().text();
  EXPECT_EQ(packed->cell(49999, 0), "49999");

  std::filesystem::resize_file(path, std::filesystem::file_size(path) / 2);
  EXPECT_FALSE(Csv::read(path));
  std::filesystem::remove(path);
  EXPECT_EQ(Csv::read(path).error().kind, ErrorKind::NotFound);
}

}  // namespace
}  // namespace wavesmith::validate
