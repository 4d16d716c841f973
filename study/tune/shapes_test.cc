#include "study/tune/shapes.h"

#include <gtest/gtest.h>

namespace wavesmith::study {
namespace {

Result<std::vector<Product>> read(std::string_view text) {
  return read_shapes(text, "s.csv", {.dtype = "f16", .layout = "nt"});
}

TEST(Shapes, ColumnsMayStandInAnyOrderAndTypesMayBeMissing) {
  const auto given = read("# mine\nlayout, k,n ,m,dtype\r\n\ntn,3,2,1,bf16\r\n nn, 30 ,20,10,i8");
  ASSERT_TRUE(given) << given.error().text();
  ASSERT_EQ(given->size(), 2U);
  EXPECT_EQ(std::tuple((*given)[0].m, (*given)[0].n, (*given)[0].k), std::tuple(1, 2, 3));
  EXPECT_EQ((*given)[0].dtype, "bf16");
  EXPECT_EQ(std::tuple((*given)[1].m, (*given)[1].n, (*given)[1].k), std::tuple(10, 20, 30));
  EXPECT_EQ((*given)[1].layout, "nn");
  const auto usual = read("m,n,k\n4,5,6\n");
  ASSERT_TRUE(usual) << usual.error().text();
  EXPECT_EQ(usual->front().dtype, "f16");
  EXPECT_EQ(usual->front().layout, "nt");
}

TEST(Shapes, NamesTheLineAndTheMistake) {
  const std::tuple<const char*, const char*, const char*> wrong[] = {
      {"", "there is no product", "s.csv:1"},
      {"m,n,k\n", "there is no product", "s.csv:2"},
      {"m,n\n1,2\n", "the column k is missing", "s.csv:1"},
      {"m,n,k,x\n", "there is no column 'x'", "s.csv:1"},
      {"m,n,k,m\n", "the column m stands twice", "s.csv:1"},
      {"m,n,k\n1,2,3\n1,2\n", "it has 2 cells, not 3", "s.csv:3"},
      {"m,n,k\n1,0,3\n", "n is '0', no size", "s.csv:2"},
      {"m,n,k\n1,2 2,3\n", "n is '2 2', no size", "s.csv:2"},
      {"m,n,k\n1,2,3000000000\n", "k is '3000000000', no size", "s.csv:2"},
      {"m,n,k,dtype\n1,2,3,half\n", "there is no type 'half'", "s.csv:2"},
      {"m,n,k,layout\n1,2,3,kk\n", "the layout 'kk' is none of", "s.csv:2"}};
  for (const auto& [text, what, where] : wrong) {
    const auto given = read(text);
    ASSERT_FALSE(given) << text;
    EXPECT_NE(given.error().what.find(what), std::string::npos) << given.error().text();
    EXPECT_EQ(given.error().where, where) << text;
  }
}

}  // namespace
}  // namespace wavesmith::study
