#include <gtest/gtest.h>

#include <cstdlib>

#include "check/init/init_testing.h"
#include "check/testing.h"

namespace wavesmith::check {
namespace {

struct Case {
  const char* name;
  const char* faulty;
  const char* right;
  const char* rule;  ///< of the faulty one: "rule at mnemonic"
};

constexpr const char* kStore = "\nglobal_store_dword v1, v2, s[4:5]\n";

const Case kCases[] = {
    {"SumThatOverflows", "v_mov_b32 v3, 0x7f7fffff\nv_add_f32 v2, v3, v3",
     "v_mov_b32 v3, 1.0\nv_add_f32 v2, v3, v3", "infinity at v_add_f32"},
    {"InfinityThatCame", "v_mov_b32 v3, 0x7f7fffff\nv_mul_f32 v2, 2.0, v3",
     "v_mov_b32 v3, 0x7f800000\nv_mul_f32 v2, 2.0, v3", "infinity at v_mul_f32"},
    {"RootOfANegativeNumber", "v_mov_b32 v3, -1.0\nv_sqrt_f32 v2, v3", "v_mov_b32 v3, 1.0\nv_sqrt_f32 v2, v3",
     "nan at v_sqrt_f32"},
    {"InfinityThatGoesAway", "v_mov_b32 v3, 0\nv_rcp_f32 v2, v3",
     "v_mov_b32 v3, 0\nv_rcp_f32 v2, v3\nv_min_f32 v2, 1.0, v2", "infinity at v_rcp_f32"},
    {"TheFirstOneIsTold",
     "v_mov_b32 v3, 0\nv_rcp_f32 v2, v3\nv_sub_f32 v2, v2, v2\nv_mov_b32 v4, v2\nv_add_f32 v2, 1.0, v4",
     "v_mov_b32 v3, 1.0\nv_rcp_f32 v2, v3\nv_sub_f32 v2, v2, v2\nv_mov_b32 v4, v2\nv_add_f32 v2, 1.0, v4",
     "nan at v_rcp_f32"},
    {"ThroughLds", "v_mov_b32 v3, 0\nv_rcp_f32 v2, v3\nds_write_b32 v1, v2\nWAIT\nds_read_b32 v2, v1\nWAIT",
     "v_mov_b32 v3, 0\nv_rcp_f32 v2, v3\nds_write_b32 v1, v2\nds_write_b32 v1, v3\nWAIT\nds_read_b32 v2, v1\nWAIT",
     "infinity at v_rcp_f32"},
    {"LanesThatAreNotStored", "v_cvt_f32_u32 v3, v0\nv_rcp_f32 v2, v3",
     "v_cvt_f32_u32 v3, v0\nv_rcp_f32 v2, v3\nMOVX EXEC, 0xfffe", "infinity at v_rcp_f32"},
    {"HalvesThatOverflow", "v_mov_b32 v3, 0x7bff7bff\nv_pk_add_f16 v2, v3, v3",
     "v_mov_b32 v3, 0x3c003c00\nv_pk_add_f16 v2, v3, v3", "infinity at v_pk_add_f16"},
    {"WideSum",
     "v_mov_b32 v6, -1\nv_mov_b32 v7, 0x7fefffff\nv_add_f64 v[8:9], v[6:7], v[6:7]\nv_mov_b32 v2, v9",
     "v_mov_b32 v6, 0\nv_mov_b32 v7, 0x3ff00000\nv_add_f64 v[8:9], v[6:7], v[6:7]\nv_mov_b32 v2, v9",
     "infinity at v_add_f64"},
    {"TooLargeForAHalf", "v_mov_b32 v3, 0x47800000\nv_cvt_f16_f32 v2, v3",
     "v_mov_b32 v3, 0x477f0000\nv_cvt_f16_f32 v2, v3", "overflow at v_cvt_f16_f32"},
    {"TooLargeForAnInteger", "v_mov_b32 v3, 0x4f000000\nv_cvt_i32_f32 v2, v3",
     "v_mov_b32 v3, 0x4effffff\nv_cvt_i32_f32 v2, v3", "integer-overflow at v_cvt_i32_f32"},
    {"NegativeForAnUnsigned", "v_mov_b32 v3, -1.0\nv_cvt_u32_f32 v2, v3",
     "v_mov_b32 v3, -0.5\nv_cvt_u32_f32 v2, v3", "integer-overflow at v_cvt_u32_f32"},
    {"TooSmallForAHalf", "v_mov_b32 v3, 0x30000000\nv_cvt_f16_f32 v2, v3",
     "v_mov_b32 v3, 0\nv_cvt_f16_f32 v2, v3", "underflow at v_cvt_f16_f32"},
};

std::vector<std::string> found(const WaveOf& wave, const std::string& text) {
  CheckedKernel kernel("numeric", wave.target, text_for(text, wave), wave.lanes, 4096);
  const auto done = kernel.launch(1, static_cast<uint32_t>(wave.lanes),
                                  {reinterpret_cast<uint64_t>(kernel.allocate(1024))});
  EXPECT_TRUE(done);
  return kernel.rules();
}

void check(const Case& each, const WaveOf& wave) {
  SCOPED_TRACE(std::string(each.name) + " on " + std::string(wave.target) + ", wave" +
               std::to_string(wave.lanes));
  const auto faulty = found(wave, each.faulty + std::string(kStore));
  ASSERT_EQ(faulty.size(), 1u) << (faulty.empty() ? "" : faulty[0] + ", " + faulty.back());
  EXPECT_EQ(faulty[0].substr(0, std::string_view(each.rule).size()), each.rule);
  EXPECT_EQ(found(wave, each.right + std::string(kStore)), std::vector<std::string>{});
}

TEST(Numeric, FaultsAndTheirTwins) {
  for (const Case& each : kCases) {
    for (const WaveOf& wave : kCdna) check(each, wave);
    for (const WaveOf& wave : kRdna) check(each, wave);
  }
}

TEST(Numeric, APairOfBf16IsNoInteger) {
  EXPECT_EQ(found({"gfx950", 64}, "v_mov_b32 v3, -2.0\nv_cvt_pk_bf16_f32 v2, v3, v3" + std::string(kStore)),
            std::vector<std::string>{});
}

/// Of the targets alone that have the instruction.
void check_on(std::initializer_list<WaveOf> waves, const Case& each) {
  for (const WaveOf& wave : waves) check(each, wave);
}

TEST(Numeric, ConversionsToEightBits) {
  const std::initializer_list<WaveOf> own = {{"gfx942", 64}},
                                      common = {{"gfx950", 64}, {"gfx1201", 32}, {"gfx1201", 64}};
  check_on(own, {"E4m3", "v_mov_b32 v3, 0x43800000\nv_cvt_pk_fp8_f32 v2, v3, v3",
                 "v_mov_b32 v3, 0x43700000\nv_cvt_pk_fp8_f32 v2, v3, v3", "overflow at v_cvt_pk_fp8_f32"});
  check_on(common, {"E4m3", "v_mov_b32 v3, 0x44000000\nv_cvt_pk_fp8_f32 v2, v3, v3",
                    "v_mov_b32 v3, 0x43e00000\nv_cvt_pk_fp8_f32 v2, v3, v3", "overflow at v_cvt_pk_fp8_f32"});
  for (const auto& waves : {own, common}) {
    check_on(waves, {"E5m2", "v_mov_b32 v3, 0x47800000\nv_mov_b32 v2, 1.0\nv_cvt_pk_bf8_f32 v2, v2, v3",
                     "v_mov_b32 v3, 0x47600000\nv_mov_b32 v2, 1.0\nv_cvt_pk_bf8_f32 v2, v2, v3",
                     "overflow at v_cvt_pk_bf8_f32"});
    check_on(waves, {"TooSmall", "v_mov_b32 v3, 0x30000000\nv_cvt_pk_fp8_f32 v2, v3, v3",
                     "v_mov_b32 v3, 0\nv_cvt_pk_fp8_f32 v2, v3, v3", "underflow at v_cvt_pk_fp8_f32"});
    check_on(waves, {"Saturates",
                     "s_setreg_imm32_b32 hwreg(HW_REG_MODE, 23, 1), 1\nv_mov_b32 v3, 0x47c00000\n"
                     "v_cvt_pk_bf8_f32 v2, v3, v3",
                     "s_setreg_imm32_b32 hwreg(HW_REG_MODE, 23, 1), 1\nv_mov_b32 v3, 0x47600000\n"
                     "v_cvt_pk_bf8_f32 v2, v3, v3",
                     "saturation at v_cvt_pk_bf8_f32"});
  }
}

TEST(Numeric, NumbersInScalarRegisters) {
  const std::initializer_list<WaveOf> waves = {{"gfx1151", 32}, {"gfx1201", 32}, {"gfx1201", 64}};
  check_on(waves, {"Overflows", "s_mov_b32 s8, 0x7f7fffff\ns_add_f32 s9, s8, s8\nv_mov_b32 v2, s9",
                   "s_mov_b32 s8, 1.0\ns_add_f32 s9, s8, s8\nv_mov_b32 v2, s9", "infinity at s_add_f32"});
  check_on(waves,
           {"BecomesANan",
            "s_mov_b32 s8, 0x7f7fffff\ns_add_f32 s9, s8, s8\ns_sub_f32 s10, s9, s9\nv_add_f32 v2, s10, v3",
            "s_mov_b32 s8, 0x7f800000\ns_sub_f32 s10, s8, s8\nv_add_f32 v2, s10, v3", "nan at s_add_f32"});
  const Case read{"ReadFromALane",
                  "v_mov_b32 v3, 0\nv_rcp_f32 v4, v3\nv_readfirstlane_b32 s8, v4\nv_mov_b32 v2, s8",
                  "v_mov_b32 v3, 1.0\nv_rcp_f32 v4, v3\nv_readfirstlane_b32 s8, v4\nv_mov_b32 v2, s8",
                  "infinity at v_rcp_f32"};
  for (const WaveOf& wave : kCdna) check(read, wave);
  for (const WaveOf& wave : kRdna) check(read, wave);
}

TEST(Numeric, TellsOfCancellationOnRequest) {
  const Case sum{"Cancellation", "v_mov_b32 v3, 0x3f800001\nv_add_f32 v2, -1.0, v3",
                 "v_mov_b32 v3, 1.5\nv_add_f32 v2, -1.0, v3", "cancellation at v_add_f32"};
  EXPECT_EQ(found(kCdna[1], sum.faulty + std::string(kStore)), std::vector<std::string>{});
  setenv("WAVESMITH_CHECK_NUMERIC", "cancellation", 1);
  check(sum, kCdna[1]);
  check(sum, kRdna[0]);
  unsetenv("WAVESMITH_CHECK_NUMERIC");
}

}  // namespace
}  // namespace wavesmith::check
