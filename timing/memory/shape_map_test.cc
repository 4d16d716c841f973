#include "timing/memory/shape_map.h"

#include <gtest/gtest.h>

namespace wavesmith::timing {
namespace {

AccessShape shape(uint64_t stride, uint64_t lanes, uint32_t begins) {
  return {.wave = 0, .shape = stride, .lanes = lanes, .begins = begins, .bytes = 4};
}

TEST(ShapeMap, KeepsApartWhatDiffersInOneRespectOnly) {
  ShapeMap<uint64_t> map;
  EXPECT_EQ(map.find(shape(4, ~uint64_t{0}, 0)), nullptr);
  for (uint64_t i = 0; i < 500; ++i) {  // grows several times
    EXPECT_EQ(*map.insert(shape(i, ~uint64_t{0}, 0), i), i);
    EXPECT_EQ(*map.insert(shape(4, i, 0), 1000 + i), 1000 + i);
    EXPECT_EQ(*map.insert(shape(4, ~uint64_t{0}, static_cast<uint32_t>(i + 1)), 2000 + i), 2000 + i);
  }
  EXPECT_EQ(map.size(), 1500u);
  for (uint64_t i = 0; i < 500; ++i) {
    EXPECT_EQ(*map.find(shape(i, ~uint64_t{0}, 0)), i);
    EXPECT_EQ(*map.find(shape(4, i, 0)), 1000 + i);
    EXPECT_EQ(*map.find(shape(4, ~uint64_t{0}, static_cast<uint32_t>(i + 1))), 2000 + i);
  }
  AccessShape other = shape(3, ~uint64_t{0}, 0);
  other.wave = 1;
  EXPECT_EQ(map.find(other), nullptr);
}

}  // namespace
}  // namespace wavesmith::timing
