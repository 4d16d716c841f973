#include "validate/split.h"

#include <gtest/gtest.h>

namespace wavesmith::validate {
namespace {

TEST(Split, ColumnsAreJoinedByBars) {
  EXPECT_EQ(half_of("MI300X", "gemm", "bf16", "M=1"), half_of("MI300X|gemm|bf16|M=1"));
  EXPECT_EQ(half_of("", "", "", ""), half_of("|||"));
}

TEST(Split, HalvesAreAboutEqual) {
  int b = 0;
  for (int i = 0; i < 10000; ++i)
    if (half_of("MI210", "gemm", "f32", "M=" + std::to_string(i)) == Half::B) ++b;
  EXPECT_NEAR(b, 5000, 300);
}

}  // namespace
}  // namespace wavesmith::validate
