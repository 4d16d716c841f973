#include "base/split.h"

#include <gtest/gtest.h>

namespace wavesmith {
namespace {

using Parts = std::vector<std::string_view>;

TEST(Split, EmptyPartsAreParts) {
  EXPECT_EQ(split("a,b,c", ','), (Parts{"a", "b", "c"}));
  EXPECT_EQ(split(",a,,b,", ','), (Parts{"", "a", "", "b", ""}));
  EXPECT_EQ(split("whole", ','), Parts{"whole"});
  EXPECT_EQ(split("", ','), Parts{""});
}

TEST(Words, BlanksBelongToNoWord) {
  EXPECT_EQ(words(" one  two\tthree\nfour "), (Parts{"one", "two", "three", "four"}));
  EXPECT_EQ(words("one"), Parts{"one"});
  EXPECT_EQ(words(""), Parts{});
  EXPECT_EQ(words(" \n"), Parts{});
}

}  // namespace
}  // namespace wavesmith
