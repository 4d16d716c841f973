#include "kernels/gemm/choice/rates.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "gpus/gpu.h"
#include "kernels/gemm/configuration.h"

namespace wavesmith::kernels {
namespace {

TEST(GemmRates, AreThoseOfTheGpusFiles) {
  for (const GemmRates& one : kGemmRates) {
    SCOPED_TRACE(one.gpu);
    const gpus::Gpu& gpu = **gpus::find_gpu(one.gpu);
    EXPECT_EQ(gpu.target, one.target);
    EXPECT_EQ(static_cast<int>(gpu.xcds), one.dies);
    EXPECT_EQ(static_cast<int>(gpu.l1_line_bytes), one.line_bytes);
    const double cycles = gpu.engine_mhz * 1e6;
    ASSERT_TRUE(gpu.sustained_read);
    EXPECT_NEAR(one.gpu_bytes, *gpu.sustained_read * 1e9 / cycles, 0.5);
    EXPECT_EQ(static_cast<double>(gpu.infinity_cache_bytes), one.cache);
    EXPECT_NEAR(one.cache_bytes, gpu.sustained_infinity_cache.value_or(0) * 1e9 / cycles, 0.5);
    double unit = 0;
    if (gpu.l2_bytes_per_clock_per_unit)
      unit = *gpu.l2_bytes_per_clock_per_unit;
    else if (gpu.sustained_l2)
      unit = *gpu.sustained_l2 * 1e9 / cycles / gpu.compute_units;
    EXPECT_NEAR(one.unit_bytes, unit, 0.05);
  }
}

TEST(GemmRates, ThereAreSomeForEachTargetWithKernels) {
  for (const GemmConfiguration& row : gemm_configurations())
    EXPECT_EQ(gemm_rates(row.target).target, row.target);
}

}  // namespace
}  // namespace wavesmith::kernels
