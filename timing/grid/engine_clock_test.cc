#include "timing/grid/engine_clock.h"

#include <gtest/gtest.h>

namespace wavesmith::timing {
namespace {

const gpus::Gpu& gpu(const char* id) { return **gpus::find_gpu(id); }

TEST(EngineClock, MatrixWorkIsSortedByTheTypeOfItsOperands) {
  const auto of = [](std::string_view mnemonic) {
    gpus::Activity activity;
    add_matrix_work(activity, mnemonic, 1);
    return activity.matrix_f16 ? "f16" : activity.matrix_bf16 ? "bf16" : activity.matrix_f8 ? "f8" : "none";
  };
  EXPECT_STREQ(of("v_mfma_f32_32x32x8_f16"), "f16");
  EXPECT_STREQ(of("v_mfma_f32_16x16x16f16"), "f16");
  EXPECT_STREQ(of("v_wmma_f16_16x16x16_f16"), "f16");
  EXPECT_STREQ(of("v_mfma_f32_32x32x8_bf16_1k"), "bf16");
  EXPECT_STREQ(of("v_mfma_f32_16x16x8_xf32"), "bf16");
  EXPECT_STREQ(of("v_mfma_f32_16x16x32_fp8_bf8"), "f8");
  EXPECT_STREQ(of("v_mfma_i32_32x32x16_i8"), "f8");
  EXPECT_STREQ(of("v_mfma_scale_f32_16x16x128_f8f6f4"), "f8");
  EXPECT_STREQ(of("v_mfma_f32_32x32x1_2b_f32"), "none");
  EXPECT_STREQ(of("v_mfma_f64_16x16x4_f64"), "none");
}

TEST(EngineClock, FullMatrixPipesOfAnMI300XRunAtTheClockThatWasMeasured) {
  // AMD, "Measuring max-achievable FLOPs", part 2: 708 TFLOP/s of bf16 at 1207 MHz and 750 W.
  gpus::Activity work;
  work.matrix_bf16 = 708e12;
  const EngineClock clock = engine_clock(gpu("mi300x"), work, 1207e6);
  EXPECT_NEAR(clock.mhz, 1207, 25);
  EXPECT_TRUE(clock.limited);
  EXPECT_EQ(clock.kind, gpus::Kind::Modelled);
  EXPECT_NE(clock.why.find("power-limited: 750 W"), std::string::npos) << clock.why;
}

TEST(EngineClock, NarrowFormatsDrawAsMuchACycle) {
  // v_mfma_scale_f32_32x32x64_f8f6f4: 131,072 FLOPs in 64 cycles of 8 bits, in 32 of fewer (CDNA4 ISA
  // reference).
  gpus::Activity wide, narrow;
  add_matrix_work(wide, "v_mfma_scale_f32_32x32x64_f8f6f4", 131072, 64);
  add_matrix_work(narrow, "v_mfma_scale_f32_32x32x64_f8f6f4", 131072, 32);
  EXPECT_EQ(wide.matrix_f8, 131072);
  EXPECT_EQ(narrow.matrix_f8, 65536);
}

TEST(EngineClock, WhereEnergiesAreNotPublishedFullPipesRunAtTheClockThatTheySustain) {
  const gpus::Gpu& mi355x = gpu("mi355x");
  const double full = *mi355x.sustained_matrix_mhz;
  const auto at = [&](double share) {
    gpus::Activity work;
    work.matrix_bf16 = share * mi355x.compute_units * mi355x.matrix_bf16 * 1e6;
    return engine_clock(mi355x, work, 1e6);
  };
  EXPECT_NEAR(at(1).mhz, full, 1);
  EXPECT_TRUE(at(1).limited);
  EXPECT_EQ(at(0.2).mhz, mi355x.engine_mhz);
  double before = full;
  for (const double share : {0.9, 0.8, 0.7, 0.6}) {
    EXPECT_GT(at(share).mhz, before) << share;
    before = at(share).mhz;
  }
}

TEST(EngineClock, LittleMatrixWorkOrNoneRunsAtThePeak) {
  gpus::Activity work;
  EXPECT_EQ(engine_clock(gpu("mi300x"), work, 1e6).mhz, gpu("mi300x").engine_mhz);
  work.matrix_bf16 = 1e9;
  const EngineClock clock = engine_clock(gpu("mi300x"), work, 1e6);
  EXPECT_EQ(clock.mhz, gpu("mi300x").engine_mhz);
  EXPECT_EQ(clock.kind, gpus::Kind::Modelled);
  // A GPU of which nothing is known says so.
  const EngineClock unknown = engine_clock(gpu("rx7900xtx"), work, 1e6);
  EXPECT_EQ(unknown.mhz, gpu("rx7900xtx").engine_mhz);
  EXPECT_NE(unknown.why.find("not known"), std::string::npos) << unknown.why;
}

}  // namespace
}  // namespace wavesmith::timing
