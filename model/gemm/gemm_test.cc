#include "model/gemm/gemm.h"

#include <gtest/gtest.h>

#include <cmath>
#include <random>

#include "model/gemm/constants.h"
#include "model/gemm/time.h"

namespace wavesmith::model {
namespace {

const gpus::Gpu& gpu(std::string_view id) { return **gpus::find_gpu(id); }

GemmProblem problem(uint64_t m, uint64_t n, uint64_t k, NumberType type = NumberType::BF16) {
  return {.m = m, .n = n, .k = k, .a = type, .b = type, .c = type};
}

/// Constants under which everything but the arithmetic is free.
GemmConstants ideal() {
  return {.matrix_share = 1,
          .step_cycles = 0,
          .lds_cost = 0,
          .lds_transposed = 0,
          .l1_cost = 0,
          .load_cycles = 0,
          .prologue_cycles = 0,
          .store_cost = 0,
          .memory_share = 1e9,
          .cache_ratio = 1e9,
          .l2_share = 1e9,
          .fixed_us = 0,
          .load_latency = 0,
          .split_us = 0,
          .reduce_cycles = 0,
          .stride_cost = 1,
          .number_cycles = 0};
}

// By hand: 304 tiles of 128x128 on 304 units, one each. A tile: 2*128*128*1024 FLOP at 2048 a clock and unit.
TEST(Gemm, ArithmeticAloneTakesItsCycles) {
  GemmKernel kernel{.tile_m = 128, .tile_n = 128, .tile_k = 64, .threads = 256};
  const GemmProblem one = problem(128 * 16, 128 * 19, 1024);
  kernel = complete_kernel(gpu("mi300x"), one, kernel);
  const GemmTime time = gemm_time(gpu("mi300x"), one, kernel, ideal(), {.clock_mhz = 2000});
  EXPECT_EQ(time.tiles, 304);
  EXPECT_EQ(time.rounds, 1);
  const double cycles = 2.0 * 128 * 128 * 1024 / 2048;
  EXPECT_NEAR(time.seconds, cycles / 2e9, cycles / 2e9 * 1e-6 + 1e-12 + 0.13 * cycles / 2e9);
  // The throughput and the latency of a lone workgroup are equal here: their sum's exponent 6 adds 12 %.
  EXPECT_NEAR(time.seconds * 2e9 / cycles, std::pow(2, 1.0 / 6), 1e-3);
}

TEST(Gemm, OneTileMoreThanUnitsIsARoundMore) {
  GemmKernel kernel{.tile_m = 128, .tile_n = 128, .tile_k = 64, .threads = 1024};
  kernel = complete_kernel(gpu("mi300x"), problem(1, 1, 1), kernel);
  const Conditions conditions{.clock_mhz = 2000};
  const GemmTime full = gemm_time(gpu("mi300x"), problem(128, 128 * 304, 8192), kernel, ideal(), conditions);
  const GemmTime more = gemm_time(gpu("mi300x"), problem(128, 128 * 305, 8192), kernel, ideal(), conditions);
  EXPECT_EQ(full.rounds, 1);
  EXPECT_EQ(more.rounds, 2);
  EXPECT_GT(more.seconds, 1.6 * full.seconds);
}

TEST(Gemm, OldBf16InstructionsRunAtHalfTheRate) {
  GemmKernel kernel{.matrix_m = 32, .matrix_n = 32, .matrix_k = 8};
  EXPECT_EQ(gemm_rate(gpu("mi250x"), NumberType::BF16, kernel), 1024);
  kernel.matrix_k = 4;
  EXPECT_EQ(gemm_rate(gpu("mi250x"), NumberType::BF16, kernel), 512);
  kernel = {.matrix_m = 16, .matrix_n = 16, .matrix_k = 16};
  EXPECT_EQ(gemm_rate(gpu("mi250x"), NumberType::BF16, kernel), 1024);
  EXPECT_EQ(gemm_rate(gpu("mi355x"), NumberType::BF16, kernel), 2048);  // 16x16x32 is the full-rate one
}

TEST(Gemm, BytesOfALargeProblemAreAtLeastItsOperands) {
  const Result<GemmPrediction> big = predict_gemm(gpu("mi300x"), problem(8192, 8192, 8192));
  ASSERT_TRUE(big) << big.error().text();
  EXPECT_EQ(big->flops, 2.0 * 8192 * 8192 * 8192);
  EXPECT_EQ(big->bytes, 3.0 * 2 * 8192 * 8192);
  ASSERT_EQ(big->levels.back().name, "HBM");
  EXPECT_GE(big->levels.back().bytes, big->bytes);
  for (const Level& level : big->levels) EXPECT_LT(level.utilisation, 1.05) << level.name;
  EXPECT_TRUE(big->bound == "matrix" || big->bound == "L2") << big->bound;
}

TEST(Gemm, WhatBindsSkinnyProblemsIsNotTheArithmetic) {
  const Result<GemmPrediction> skinny = predict_gemm(gpu("mi300x"), problem(1, 53248, 16384, NumberType::F8));
  ASSERT_TRUE(skinny);
  EXPECT_NE(skinny->bound, "matrix");
  // 872 MB cannot come faster than the memory gives.
  EXPECT_GT(skinny->seconds, 53248.0 * 16384 / 5.3e12);
  EXPECT_LT(skinny->seconds, 53248.0 * 16384 / 5.3e12 * 4);
}

TEST(Gemm, MoreWorkNeverTakesMuchLess) {
  const uint32_t seed = 11;
  std::mt19937 random(seed);
  for (int i = 0; i < 40; ++i) {
    const auto size = [&](int most) { return uint64_t{1} + random() % most; };
    const GemmProblem one = problem(size(4000), size(4000), size(8000));
    for (const std::string_view id : {"mi210", "mi300x", "mi355x", "rx7900xtx"}) {
      GemmProblem twice = one;
      twice.k *= 2;
      const double before = predict_gemm(gpu(id), one)->seconds,
                   after = predict_gemm(gpu(id), twice)->seconds;
      EXPECT_GE(after, before * 0.999)
          << id << " " << one.m << "x" << one.n << "x" << one.k << " seed " << seed;
      twice = one;
      twice.batch = 3;
      EXPECT_GE(predict_gemm(gpu(id), twice)->seconds, before * 0.999) << id;
    }
  }
}

TEST(Gemm, AFasterMemoryDoesNotSlowDown) {
  const GemmProblem skinny = problem(16, 8192, 8192);
  EXPECT_LE(predict_gemm(gpu("mi300x+memory.gigabytes_per_second=8000"), skinny)->seconds,
            predict_gemm(gpu("mi300x"), skinny)->seconds);
}

TEST(Gemm, ChoosesATileAndSaysWhy) {
  const Result<GemmPrediction> small = predict_gemm(gpu("mi300x"), problem(16, 4096, 4096));
  ASSERT_TRUE(small);
  EXPECT_TRUE(small->chosen);
  EXPECT_LE(small->kernel.tile_m, 32u);
  ASSERT_FALSE(small->notes.empty());
  EXPECT_NE(small->notes.front().find("tile"), std::string::npos);
  const Result<GemmPrediction> large = predict_gemm(gpu("mi300x"), problem(8192, 8192, 8192));
  EXPECT_GE(large->kernel.tile_m * large->kernel.tile_n, 128u * 128u);
  EXPECT_EQ(large->kernel.split_k, 1u);
}

TEST(Gemm, PowerLowersTheClockOfLargeProducts) {
  const Result<GemmPrediction> large = predict_gemm(gpu("mi300x"), problem(8192, 8192, 8192));
  ASSERT_TRUE(large);
  EXPECT_LT(large->clock_mhz, 2000);
  EXPECT_EQ(large->clock_kind, gpus::Kind::Modelled);
  EXPECT_EQ(predict_gemm(gpu("mi300x"), problem(8192, 8192, 8192), {}, {.clock_mhz = 1500})->clock_mhz, 1500);
}

TEST(Gemm, GroupsAreCountedWithTheirOwnTiles) {
  GemmProblem grouped = problem(0, 4096, 4096);
  grouped.groups = {1, 1, 1, 1};
  const GemmKernel kernel{.tile_m = 128, .tile_n = 128, .tile_k = 64};
  const Result<GemmPrediction> result = predict_gemm(gpu("mi300x"), grouped, kernel);
  ASSERT_TRUE(result) << result.error().text();
  EXPECT_EQ(result->tiles, 4u * 32);
  EXPECT_EQ(result->flops, 2.0 * 4 * 4096 * 4096);
  EXPECT_NEAR(result->useful, 1 / 128.0, 1e-9);
}

TEST(Gemm, BadProblemsAreErrors) {
  EXPECT_EQ(predict_gemm(gpu("mi300x"), problem(0, 1, 1)).error().kind, ErrorKind::BadInput);
  EXPECT_EQ(predict_gemm(gpu("mi300x"), problem(uint64_t{1} << 50, 1, 1)).error().kind, ErrorKind::BadInput);
  EXPECT_EQ(predict_gemm(gpu("mi300x"), problem(1, 1, 1, NumberType::F4)).error().kind,
            ErrorKind::Unsupported);
  EXPECT_EQ(predict_gemm(gpu("mi210"), problem(1, 1, 1, NumberType::F8)).error().kind,
            ErrorKind::Unsupported);
}

TEST(Gemm, EveryGpuAndTypeGivesAFiniteTime) {
  for (const gpus::Gpu* each : gpus::gpus())
    for (int type = 0; type <= static_cast<int>(NumberType::C64); ++type) {
      const Result<GemmPrediction> result =
          predict_gemm(*each, problem(777, 333, 555, static_cast<NumberType>(type)));
      if (!result) {
        EXPECT_EQ(result.error().kind, ErrorKind::Unsupported);
        continue;
      }
      EXPECT_TRUE(std::isfinite(result->seconds) && result->seconds > 1e-7 && result->seconds < 1)
          << each->id << " " << name_of(static_cast<NumberType>(type)) << " " << result->seconds;
      EXPECT_FALSE(result->bound.empty());
    }
}

// S. Bekman, Machine Learning Engineering, "Maximum Achievable Matmul FLOPS": cuBLAS reaches at most 794.5
// TFLOP/s bf16 on an H100 SXM, 1402.6 in f8, whatever the sizes; an H200 as much. The data sheet says 989 and
// 1979.
TEST(Gemm, LargeProductsOfHopperAreNearWhatItsLibraryReaches) {
  for (const char* id : {"h100", "h200"})
    for (const uint64_t size : {4096, 8192, 16384}) {
      const Result<GemmPrediction> half = predict_gemm(gpu(id), problem(size, size, size)),
                                   eighth = predict_gemm(gpu(id), problem(size, size, size, NumberType::F8));
      ASSERT_TRUE(half && eighth) << id;
      EXPECT_GT(half->flops_per_second(), 0.75 * 794.5e12) << id << " " << size;
      EXPECT_LT(half->flops_per_second(), 794.5e12) << id << " " << size;
      EXPECT_GT(eighth->flops_per_second(), 0.75 * 1402.6e12) << id << " " << size;
      EXPECT_LT(eighth->flops_per_second(), 1402.6e12) << id << " " << size;
      EXPECT_EQ(half->confidence, Confidence::Low);
      // All pipes busy are at the clock that its file tells, none at the peak's.
      EXPECT_LT(half->clock_mhz, 1740);
      EXPECT_GE(half->clock_mhz, *gpu(id).sustained_matrix_mhz);
    }
  EXPECT_GT(predict_gemm(gpu("h100"), problem(16, 4096, 4096))->clock_mhz, 1800);
}

// A cluster's workgroups load their columns once: two of 128x256 bring 128 + 256 / 2 numbers each.
TEST(Gemm, AClusterLoadsItsColumnsOnce) {
  GemmKernel alone{.tile_m = 128, .tile_n = 256, .tile_k = 64}, two = alone;
  two.cluster = 2;
  const auto l2_bytes = [&](const GemmKernel& kernel) {
    const Result<GemmPrediction> result = predict_gemm(gpu("h100"), problem(4096, 4096, 4096), kernel);
    for (const Level& level : result->levels)
      if (level.name == "L2") return level.bytes;
    return 0.0;
  };
  const double results = 2.0 * 4096 * 4096, steps = 32.0 * 16 * 4096 * 2;
  EXPECT_DOUBLE_EQ(l2_bytes(alone), steps * (128 + 256) + results);
  EXPECT_DOUBLE_EQ(l2_bytes(two), steps * (128 + 128) + results);
}

GemmPrediction of_library(const gpus::Gpu& on, GemmProblem problem, std::string library) {
  problem.library = std::move(library);
  const Result<GemmPrediction> result = predict_gemm(on, problem);
  EXPECT_TRUE(result);
  return result.value_or(GemmPrediction{});
}

TEST(Gemm, ALibraryThatIsToldGetsItsOwnKernelsAndConstants) {
  const GemmProblem f16 = problem(4096, 4096, 4096, NumberType::F16);
  const GemmPrediction blas = of_library(gpu("rx7900xtx"), f16, "rocBLAS"),
                       lt = of_library(gpu("rx7900xtx"), f16, "hipBLASLt");
  EXPECT_EQ(blas.kernel.schedule, "rocBLAS");
  EXPECT_EQ(lt.kernel.schedule, "hipBLASLt");
  EXPECT_GT(lt.seconds, 1.3 * blas.seconds);
}

TEST(Gemm, AnArchitectureThatSharesConstantsHasItsOwnKernels) {
  // An MI100's bf16 instructions go through half the K of an MI250X's.
  const GemmProblem bf16 = problem(2048, 2048, 2048);
  const GemmKernel first = of_library(gpu("mi100"), bf16, "rocBLAS").kernel,
                   second = of_library(gpu("mi250x"), bf16, "rocBLAS").kernel;
  EXPECT_EQ(first.matrix_m * first.matrix_k * first.matrix_blocks, 128u);
  EXPECT_EQ(second.matrix_m * second.matrix_k * second.matrix_blocks, 256u);
  EXPECT_NE(predict_gemm(gpu("mi100"), bf16)->confidence, Confidence::Low);
}

TEST(Gemm, ProductsForWhichALibraryHasOnlyVectorKernels) {
  GemmProblem product = problem(1024, 1024, 1024, NumberType::F16);
  product.c = NumberType::F32;
  EXPECT_TRUE(of_library(gpu("mi100"), product, "rocBLAS").kernel.vector);
  EXPECT_FALSE(of_library(gpu("mi250x"), product, "rocBLAS").kernel.vector);
  GemmProblem deep = product, many = product, narrow = product;
  deep.k = 8192, many.batch = 4, narrow.c = NumberType::F16;
  for (const GemmProblem& other : {deep, many, narrow})
    EXPECT_FALSE(of_library(gpu("mi100"), other, "rocBLAS").kernel.vector);
  // Of bytes in fours no library multiplies with matrix instructions; a kernel that is given is as it says.
  GemmProblem bytes = problem(1024, 1024, 1024, NumberType::I8);
  EXPECT_FALSE(of_library(gpu("mi210"), bytes, "rocBLAS").kernel.vector);
  bytes.quads = true;
  EXPECT_TRUE(of_library(gpu("mi210"), bytes, "rocBLAS").kernel.vector);
  EXPECT_FALSE(predict_gemm(gpu("mi100"), product, GemmKernel{.tile_m = 128, .tile_n = 128, .tile_k = 32})
                   ->kernel.vector);
}

TEST(Gemm, UnknownGenerationsAreOfLowConfidence) {
  EXPECT_EQ(predict_gemm(gpu("rx9070xt"), problem(512, 512, 512, NumberType::F16))->confidence,
            Confidence::Low);
  EXPECT_EQ(predict_gemm(gpu("mi355x"), problem(512, 512, 512))->confidence, Confidence::Medium);
}

}  // namespace
}  // namespace wavesmith::model
