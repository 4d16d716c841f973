#include "timing/memory/access_shape.h"

#include <gtest/gtest.h>

#include <bit>
#include <set>

namespace wavesmith::timing {
namespace {

AccessRecord affine(uint64_t base, int64_t stride) {
  AccessRecord access;
  access.lanes = ~uint64_t{0};
  access.base = base;
  access.stride = stride;
  return access;
}

TEST(AccessShapes, TellApartWhatCostsDifferently) {
  AccessShapes shapes;
  const uint32_t first = shapes.number_of(affine(4096, 4), {});
  EXPECT_EQ(shapes.number_of(affine(4096 + 3 * kShapePeriod, 4), {}), first);
  AccessRecord store = affine(4096, 4);  // the same lines and banks
  store.kind = AccessKind::Store, store.space = AccessSpace::Lds;
  EXPECT_EQ(shapes.number_of(store, {}), first);

  std::set<uint32_t> others = {first};
  AccessRecord fewer = affine(4096, 4), wider = affine(4096, 4), scattered = affine(4096, 0);
  fewer.lanes = 0xffff;
  wider.bytes = 16;
  scattered.lanes = 3, scattered.affine = false;
  for (const AccessRecord& access : {affine(4096, 8), affine(4096 + 64, 4), fewer, wider})
    EXPECT_TRUE(others.insert(shapes.number_of(access, {})).second);
  for (const uint64_t second : {4u, 8u})
    EXPECT_TRUE(others.insert(shapes.number_of(scattered, std::vector<uint64_t>{0, second})).second);
  // Where a wave keeps its offsets does not matter.
  scattered.first = 100;
  EXPECT_FALSE(others.insert(shapes.number_of(scattered, std::vector<uint64_t>{0, 8})).second);
  EXPECT_EQ(shapes.number_of(affine(4096, 4), {}), first);
}

TEST(AccessShapes, OfTooManyThereIsNone) {
  AccessShapes shapes;
  const uint32_t first = shapes.number_of(affine(0, 0), {});
  int64_t stride = 1;
  while (shapes.number_of(affine(0, stride), {}) != AccessRecord::kNoShape) ASSERT_LT(++stride, 1 << 20);
  EXPECT_GT(stride, 10'000);
  EXPECT_EQ(shapes.number_of(affine(0, 0), {}), first);
}

}  // namespace
}  // namespace wavesmith::timing
