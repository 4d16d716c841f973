// A tile that is remembered is the one that weighing all of them finds.
#include "kernels/gemm/choice/known.h"

#include <gtest/gtest.h>

#include <random>

#include "kernels/gemm/choice/choice.h"
#include "kernels/gemm/choice/choice_testing.h"
#include "kernels/library/failure.h"

namespace wavesmith::kernels {
namespace {

using Random = std::mt19937;

int64_t one_of(Random& random, std::initializer_list<int64_t> values) {
  return values.begin()[random() % values.size()];
}

/// Of few sizes, so that products come again, and nearly again.
wavesmith_kernels_gemm_description random_product(Random& random) {
  auto gemm = product(one_of(random, {1, 16, 200, 2048}), one_of(random, {8, 96, 4096}),
                      one_of(random, {1, 64, 130, 14336}));
  const auto type = static_cast<wavesmith_kernels_type>(
      one_of(random, {WAVESMITH_KERNELS_F32, WAVESMITH_KERNELS_F16, WAVESMITH_KERNELS_BF16}));
  gemm.a.type = gemm.b.type = gemm.d.type = type;
  if (random() % 3 == 0) gemm.a.row_stride = 1, gemm.a.column_stride = gemm.m;
  if (random() % 3 == 0) gemm.b.row_stride = gemm.n, gemm.b.column_stride = 1;
  if (random() % 4 == 0) gemm.d.row_stride = 1, gemm.d.column_stride = gemm.m;
  if (random() % 4 == 0) gemm.a.data = static_cast<char*>(gemm.a.data) + size_of(type);
  if (random() % 4 == 0) gemm.batches = 3;
  gemm.workspace = reinterpret_cast<void*>(uintptr_t{1} << 40);
  gemm.workspace_bytes = static_cast<size_t>(one_of(random, {0, 1 << 20, INT64_MAX}));
  return gemm;
}

TEST(GemmChoice, IsTheSameWhereTheTileIsKnown) {
  const auto seed = std::random_device()();
  Random random(seed);
  SCOPED_TRACE(testing::Message() << "seed " << seed);
  int known = 0;
  for (int i = 0; i < 3000; ++i) {
    const auto gemm = random_product(random);
    const char* const target = random() % 4 ? "gfx942" : "gfx1100";
    const int units = random() % 2 ? 304 : 48;
    GemmChoice weighed, first{.may_be_known = true}, chosen{.may_be_known = true};
    const auto status = choose_gemm(gemm, target, units, nullptr, weighed);
    ASSERT_EQ(choose_gemm(gemm, target, units, nullptr, first), status) << message();
    ASSERT_EQ(first.kernel, weighed.kernel);
    ASSERT_EQ(choose_gemm(gemm, target, units, nullptr, chosen), status) << message();
    if (status != WAVESMITH_KERNELS_SUCCESS) continue;
    known += chosen.candidates.size() < weighed.candidates.size() ? 1 : 0;
    ASSERT_EQ(chosen.kernel, weighed.kernel);
    ASSERT_EQ(chosen.configuration, weighed.configuration);
    ASSERT_EQ(chosen.splits, weighed.splits);
    ASSERT_EQ(chosen.workspace_bytes, weighed.workspace_bytes);
    ASSERT_EQ(chosen.grid.x, weighed.grid.x);
    ASSERT_EQ(chosen.grid.y, weighed.grid.y);
    ASSERT_EQ(chosen.combine, weighed.combine);
  }
  EXPECT_GT(known, 100);
}

}  // namespace
}  // namespace wavesmith::kernels
