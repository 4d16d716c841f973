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

}  // namespace
}  // namespace wavesmith
