#include "base/zeros.h"

#include <gtest/gtest.h>

#include <vector>

namespace wavesmith {
namespace {

TEST(Zeros, AnyOtherByteIsFound) {
  std::vector<std::byte> bytes(1000);
  EXPECT_TRUE(only_zeros(bytes));
  EXPECT_TRUE(only_zeros({}));
  for (const size_t place : {size_t{0}, size_t{1}, size_t{500}, size_t{999}}) {
    bytes[place] = std::byte{1};
    EXPECT_FALSE(only_zeros(bytes)) << place;
    bytes[place] = std::byte{0};
  }
}

}  // namespace
}  // namespace wavesmith
