// Products whose K is split, on a GPU of each target.
#include "kernels/gemm/choice/split.h"

#include <algorithm>
#include <array>

#include "kernels/gemm/testing.h"
#include "kernels/library/failure.h"

namespace wavesmith::kernels {
namespace {

class SplitGemm : public GemmOnGpu {
 protected:
  /// One with so many parts of at least two steps of the tile, everything else at random.
  Case split_case(const std::string& tile, std::pair<Type, Type> types, int parts) {
    const int64_t depth = std::atoi(&tile[tile.rfind('x') + 1]);
    const int64_t most = std::clamp<int64_t>(10000 / depth, 20, 150);  // a reference takes long, too
    Case one = random_case(between(1, most), between(1, most), depth * parts * between(2, 4), types);
    one.tile = tile, one.parts = parts, one.batches = 1;
    if (!configuration(tile, types.first, types.second).has_layout(false, false))
      one.a_by_rows = true, one.b_by_rows = false, one.padding = one.padding / 8 * 8,
      one.offset = one.offset / 8 * 8, one.d_by_rows = true;
    // All tiles have kernels that read dwords; few have others.
    if (!one.a_by_rows || one.b_by_rows) one.m = (one.m + 3) / 4 * 4, one.n = (one.n + 3) / 4 * 4;
    one.padding = one.padding / 4 * 4, one.offset = one.offset / 4 * 4;
    return one;
  }
};

TEST_P(SplitGemm, EveryTypeAndTileEqualsSumsInDoublePrecision) {
  for (const auto& types : pairs())
    for (size_t index = 0;; ++index) {
      const char* const tile = wavesmith_kernels_gemm_tile(types.first, types.second, index);
      if (!tile) break;
      check(split_case(tile, types, static_cast<int>(between(2, 7))));
      if (HasFatalFailure()) return;
    }
}

TEST_P(SplitGemm, DispatchTakesPartsOfAWorkspaceAndTheResultsAreTheSameInEachRun) {
  // One row of tiles, and so few workgroups without parts.
  Case one{.m = 5, .n = 192, .k = 4096, .type_d = WAVESMITH_KERNELS_F32, .beta = 0};
  const HostMatrix a = random_matrix(one.m, one.k, 1, true, 0, one.type),
                   b = random_matrix(one.k, one.n, 1, false, 0, one.type);
  const OnGpu on_a(a.elements), on_b(b.elements);
  std::array<Elements, 3> results;
  for (size_t run = 0; run < results.size(); ++run) {
    HostMatrix d = matrix(one.m, one.n, 1, true, 0, one.type_d);
    const OnGpu on_d(d.elements);
    wavesmith_kernels_gemm_description gemm{.m = one.m,
                                            .n = one.n,
                                            .k = one.k,
                                            .batches = 1,
                                            .alpha = 1,
                                            .a = a.on(on_a),
                                            .b = b.on(on_b),
                                            .d = d.on(on_d)};
    size_t bytes = 0;
    ASSERT_EQ(wavesmith_kernels_gemm_workspace(&gemm, nullptr, &bytes), WAVESMITH_KERNELS_SUCCESS)
        << message();
    ASSERT_GT(bytes, 0U);
    ASSERT_EQ(bytes % (static_cast<size_t>(one.m * one.n) * 4), 0U);
    // Poisoned in one way, and in another.
    Elements workspace(WAVESMITH_KERNELS_F32, bytes / 4);
    if (run == 1) std::ranges::fill(workspace.bytes, uint8_t{0x3f});
    const OnGpu on_workspace(workspace);
    if (run < 2) gemm.workspace = on_workspace.data(), gemm.workspace_bytes = bytes;
    ASSERT_EQ(wavesmith_kernels_gemm(&gemm, nullptr), WAVESMITH_KERNELS_SUCCESS) << message();
    ASSERT_EQ(hipDeviceSynchronize(), 0);
    on_d.copy_to(d.elements);
    results[run] = d.elements;
    on_workspace.copy_to(workspace);
    EXPECT_EQ(workspace.get(0) == workspace.get(0) && run != 1, run == 0) << "whether parts were written";
  }
  EXPECT_EQ(results[0].bytes, results[1].bytes);
  // Other sums of the same products: not the same bits, so that the parts were there.
  EXPECT_NE(results[0].bytes, results[2].bytes);
  for (size_t i = 0; i < results[0].count(); ++i)
    ASSERT_NEAR(results[0].get(i), results[2].get(i), 2e-3) << i;
}

INSTANTIATE_TEST_SUITE_P(On, SplitGemm, testing::Range(0, kGpuCount), gpu_name);

}  // namespace
}  // namespace wavesmith::kernels
