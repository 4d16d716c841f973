#include "validate/gemm/row.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

namespace wavesmith::validate {
namespace {

constexpr const char* kTensile =
    "gpu,unit,repo,layout,typestr,M,N,B,K,value,MT0,MT1,DepthU,MI,MIWaveGroup,NumThreads,GSU,WGM,PGR,1LDS,"
    "DTL,"
    "LSU,solname\n";

GemmRows tensile(const std::string& rows) {
  const Result<Csv> csv = Csv::parse(kTensile + rows, "t.csv");
  EXPECT_TRUE(csv) << csv.error().text();
  Result<GemmRows> found = tensile_rows(*csv);
  EXPECT_TRUE(found) << found.error().text();
  return found ? *std::move(found) : GemmRows{};
}

// By hand: 2*1024^3 FLOP at half of 110 units x 256 FLOP/clk x 1.7 GHz.
TEST(GemmRow, ShareOfThePeakBecomesSeconds) {
  const GemmRows found = tensile(
      "MI250X GCD "
      "(110CU),%peak@tuning_clock,ROCm+rocBLAS,NT,SB,1024,1024,1,1024,50,128,64,16,32x32x2x1,2x2,256,3,"
      "-4,2,1.0,False,1,Cijk_MT128x64x16_GRVW4_SE\n");
  ASSERT_EQ(found.rows.size(), 1u);
  const GemmRow& row = found.rows[0];
  EXPECT_NEAR(row.seconds, 2.0 * 1024 * 1024 * 1024 / (0.5 * 110 * 256 * 1.7e9), 1e-12);
  EXPECT_FALSE(row.problem.a_transposed);
  EXPECT_TRUE(row.problem.b_transposed);
  EXPECT_FALSE(row.conditions.cold);
  EXPECT_EQ(row.kernel->split_k, 3u);
  EXPECT_EQ(row.kernel->group_m, -4);
  EXPECT_EQ(row.kernel->prefetch, 2u);
  EXPECT_EQ(row.kernel->vector_bytes, 16u);
  EXPECT_EQ(row.kernel->matrix_k, 2u);
  EXPECT_EQ(row.kernel->wave_n, 2u);
  EXPECT_FALSE(row.kernel->double_buffered_lds);
  EXPECT_EQ(row.line, 2u);
}

TEST(GemmRow, ThroughputBecomesSeconds) {
  const GemmRows found = tensile(
      "RX 7900 XTX / W7900 "
      "(navi31),GFLOP/s,ROCm+rocBLAS,TN,SB,1000,1000,2,1000,20000,128,128,16,,,256,1,8,True,0.0,"
      "False,1,x\n");
  ASSERT_EQ(found.rows.size(), 1u);
  EXPECT_DOUBLE_EQ(found.rows[0].seconds, 4e9 / 20000e9);
  EXPECT_TRUE(found.rows[0].kernel->vector);
  EXPECT_EQ(found.rows[0].chip, "rx7900xtx+compute.units=72");
}

TEST(GemmRow, GeneralBatchedHalfTypesOfMi250xAreAnMi100s) {
  const GemmRows found = tensile(
      "MI250X GCD "
      "(110CU),%peak@tuning_clock,ROCm+rocBLAS,NT,BBS_BH_GB,1024,1024,1,1024,50,128,96,32,32x32x4x1,2x2,"
      "256,1,1,2,0.0,False,1,x\n");
  ASSERT_EQ(found.rows.size(), 1u);
  EXPECT_EQ(found.rows[0].family, "MI100");
  EXPECT_NEAR(found.rows[0].seconds, 2.0 * 1024 * 1024 * 1024 / (0.5 * 120 * 512 * 1.502e9), 1e-10);
}

// The files of MI300A hold rows that only the 304 units of an MI300X can have made.
TEST(GemmRow, FasterThanItsUnitsIsAnotherChip) {
  const auto family = [](const char* sizes_value_tile_split) {
    const GemmRows found = tensile(fmt::format(
        "\"MI300A (228CU, inferred)\",%peak@tuning_clock,ROCm+rocBLAS,NT,SB,{},1.0,False,1,Cijk_MT\n",
        sizes_value_tile_split));
    EXPECT_EQ(found.rows.size(), 1u);
    return found.rows.empty() ? std::string() : found.rows[0].family;
  };
  // M, N, B, K, value, tile, depth, MI, waves, threads, GSU, WGM, PGR.
  EXPECT_EQ(family("192,192,1,100352,30,64,192,32,16x16x4x1,4x1,256,101,1,2"), "MI300X");  // 3 x 101 of 304
  EXPECT_EQ(family("2432,384,1,25216,42,128,128,64,16x16x4x1,2x2,256,4,1,2"), "MI300A");   // 57 x 4 = 228
  EXPECT_EQ(family("4096,4096,1,8192,76.9,256,224,32,16x16x4x1,2x2,256,1,1,2"),
            "MI300X");  // 304 tiles: 66.7 %
  EXPECT_EQ(family("4096,4096,1,8192,66.0,256,224,32,16x16x4x1,2x2,256,1,1,2"), "MI300A");
}

// By the number of the solution: runs on an MI300X were added to those on an MI300A.
TEST(GemmRow, LaterSolutionsOfMi300asFilesAreAnMi300x) {
  const auto chip = [](const char* layout_type, const char* sizes_value_tile, int solution) {
    const std::string table = std::string(kTensile).insert(std::string(kTensile).size() - 1, ",solidx");
    const Result<Csv> csv =
        Csv::parse(table + fmt::format("\"MI300A (228CU, inferred)\",%peak@tuning_clock,ROCm+rocBLAS,{},{},"
                                       "1.0,False,1,Cijk_MT64x64x32_GLVWA4_GLVWB2_WGM1,{}\n",
                                       layout_type, sizes_value_tile, solution),
                   "t.csv");
    const Result<GemmRows> found = tensile_rows(*csv);
    return found && found->rows.size() == 1 ? found->rows[0] : GemmRow{};
  };
  const char* row = "2048,2432,1,1024,50,64,64,32,16x16x4x1,2x2,256,1,1,2";
  EXPECT_EQ(chip("NN,SB", row, 64).family, "MI300A");
  EXPECT_EQ(chip("NN,SB", row, 65).family, "MI300X");
  EXPECT_EQ(chip("NT,SB", row, 61).family, "MI300X");
  EXPECT_EQ(chip("TT,SB", row, 400).family, "MI300A");  // all of that file
  // Both operands' loads: 64 numbers of A four by four, 64 of B two by two are 48 loads of 128 numbers.
  EXPECT_EQ(chip("NN,SB", row, 65).kernel->vector_bytes, 11u);  // 128 / 48 x 4 bytes
  // Solutions 95 to 145 started slowly.
  EXPECT_FALSE(chip("NN,SB", row, 94).conditions.slow_start);
  EXPECT_TRUE(chip("NN,SB", row, 95).conditions.slow_start);
  EXPECT_FALSE(chip("NN,SB", row, 146).conditions.slow_start);
  EXPECT_FALSE(chip("TN,SB", row, 100).conditions.slow_start);
  // 144 workgroups have 47.4 % of 304 units: no row of theirs is faster.
  EXPECT_EQ(chip("NN,SB", "768,768,1,3072,47.3,64,64,32,16x16x4x1,2x2,256,1,1,2", 76).family, "MI300X");
  EXPECT_EQ(chip("NN,SB", "768,768,1,3072,47.5,64,64,32,16x16x4x1,2x2,256,1,1,2", 76).family, "");
}

TEST(GemmRow, WhatIsNotJudgedIsCountedWithItsReason) {
  const GemmRows found = tensile(
      "MI999,GFLOP/s,ROCm+rocBLAS,TN,SB,1,1,1,1,1,16,16,8,,,64,1,1,1,0.0,False,1,x\n"
      "MI300X,GFLOP/s,ROCm+rocBLAS,TN,XYZ,1,1,1,1,1,16,16,8,,,64,1,1,1,0.0,False,1,x\n"
      "MI300X,GFLOP/s,ROCm+rocBLAS,TN,SB,0,1,1,1,1,16,16,8,,,64,1,1,1,0.0,False,1,x\n");
  EXPECT_TRUE(found.rows.empty());
  EXPECT_EQ(found.left_out.size(), 3u);
}

TEST(GemmRow, ACellThatIsNoNumberIsAnErrorWithItsLine) {
  const Result<Csv> csv =
      Csv::parse(std::string(kTensile) +
                     "MI300X,GFLOP/s,ROCm+rocBLAS,TN,SB,8,8,1,8,1,16,16,8,,,64,1,1,1,0.0,False,1,x\n" +
                     "MI300X,GFLOP/s,ROCm+rocBLAS,TN,SB,8,many,1,8,1,16,16,8,,,64,1,1,1,0.0,False,1,x\n",
                 "t.csv");
  const Result<GemmRows> found = tensile_rows(*csv);
  ASSERT_FALSE(found);
  EXPECT_EQ(found.error().where, "t.csv:3");
  EXPECT_NE(found.error().what.find("many"), std::string::npos);
}

GemmRow aiter(const std::string& library, const std::string& dtype, const std::string& shape,
              const std::string& gpu = "MI350X/MI355X") {
  const Result<Csv> csv = Csv::parse("gpu,library,op,dtype,shape,value,unit\n" + gpu + "," + library +
                                         ",gemm," + dtype + "," + shape + ",12.5,us\n",
                                     "p.csv");
  const Result<GemmRows> found = aiter_rows(*csv);
  EXPECT_TRUE(found) << found.error().text();
  EXPECT_EQ(found->rows.size(), 1u) << library;
  return found->rows.empty() ? GemmRow{} : found->rows[0];
}

TEST(GemmRow, KernelsOfAiterByTheirNames) {
  GemmRow row = aiter(
      "AITER/"
      "ck|a8w8_blockscale_1x128x128_256x64x96x256_16x16_32x32_1x3_16x16x1_16x16x1_1x32x1x8_8_1x1_intrawave_"
      "v1",
      "fp8_a8w8_blockscale128", "M=64;N=512;K=7168;splitK=2");
  EXPECT_DOUBLE_EQ(row.seconds, 12.5e-6);
  EXPECT_EQ(row.problem.block_scale, 128u);
  ASSERT_TRUE(row.kernel);
  EXPECT_EQ(row.kernel->tile_m, 64u);
  EXPECT_EQ(row.kernel->tile_n, 96u);
  EXPECT_EQ(row.kernel->tile_k, 256u);
  EXPECT_EQ(row.kernel->matrix_m, 32u);
  EXPECT_EQ(row.kernel->wave_m, 2u);
  EXPECT_EQ(row.kernel->wave_n, 1u);
  EXPECT_EQ(row.kernel->prefetch, 1u);
  EXPECT_EQ(row.kernel->split_k, 4u);
  EXPECT_EQ(row.kernel->schedule, "CK blockscale v1");

  row = aiter("AITER/asm|_ZN5aiter39bf16gemm_fp32bf16_tn_96x64_splitk_cleanE", "bfloat16->bfloat16",
              "M=96;N=4096;K=4096;splitK=3;bias=False");
  EXPECT_EQ(row.kernel->tile_m, 96u);
  EXPECT_EQ(row.kernel->tile_n, 64u);
  EXPECT_EQ(row.kernel->split_k, 3u);
  EXPECT_EQ(row.kernel->schedule, "assembly");

  row = aiter("AITER/flydsl|flydsl_gemm8_abf16_wbf16_bf16_t16x64x128_split_k2_block_m", "bfloat16->float32",
              "M=16;N=4096;K=4096;splitK=0");
  EXPECT_EQ(row.kernel->tile_k, 128u);
  EXPECT_EQ(row.kernel->split_k, 2u);
  EXPECT_EQ(row.problem.c, model::NumberType::F32);

  row = aiter("AITER/opus|opus_gemm_512x128x256x64_2x4_16x16x32_0x0x0", "bfloat16->bfloat16", "M=1;N=2;K=3");
  EXPECT_EQ(row.kernel->threads, 512u);
  EXPECT_EQ(row.kernel->wave_n, 4u);
  EXPECT_EQ(row.kernel->matrix_k, 32u);

  EXPECT_FALSE(aiter("AITER/torch|native", "bfloat16->bfloat16", "M=1;N=2;K=3").kernel);
}

}  // namespace
}  // namespace wavesmith::validate
