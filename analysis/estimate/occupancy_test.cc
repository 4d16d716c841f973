#include "analysis/estimate/occupancy.h"

#include <gtest/gtest.h>

namespace wavesmith::analysis {
namespace {

/// A kernel of one CDNA3 workgroup size whose descriptor asks for `total` VGPRs of which `used` are used.
Resources kernel(uint32_t total, uint32_t used, uint32_t lds_bytes) {
  Resources out;
  out.allocated = {used, total - used, 112};
  out.used = {used, 0, 24};
  out.vgprs_total = total;
  out.lds_bytes = lds_bytes;
  out.workgroup = out.max_workgroup = 256;
  return out;
}

// 17 KiB of LDS: three workgroups, so three waves per SIMD; 136 VGPRs are what LLVM pads 89 to, that no
// fourth wave fits.
TEST(Occupancy, RegistersThatTheCompilerPadsAreNotTheLimit) {
  const gpus::Gpu& gpu = *usual_gpu("gfx942");
  const Occupancy padded = occupancy_of(kernel(136, 89, 17408), gpu, {});
  EXPECT_EQ(padded.now.waves_per_simd, 3u);
  EXPECT_EQ(padded.now.limiter, gpus::Limiter::Lds);
  ASSERT_EQ(padded.next.size(), 1u);
  EXPECT_EQ(padded.next[0].text, "1024 bytes of LDS fewer: one more wave");
  EXPECT_NE(padded.note.find("136 VGPRs though 89"), std::string::npos) << padded.note;
}

TEST(Occupancy, RegistersThatAreUsedAreTheLimit) {
  const gpus::Gpu& gpu = *usual_gpu("gfx942");
  const Occupancy used = occupancy_of(kernel(136, 136, 0), gpu, {});
  EXPECT_EQ(used.now.waves_per_simd, 3u);
  EXPECT_EQ(used.now.limiter, gpus::Limiter::Vgprs);
  EXPECT_TRUE(used.note.find("though") == std::string::npos) << used.note;
}

// Padding that costs waves: nothing else explains it, so the allocation stays the limit.
TEST(Occupancy, AnAllocationThatCostsWavesIsTheLimit) {
  const gpus::Gpu& gpu = *usual_gpu("gfx942");
  const Occupancy wasteful = occupancy_of(kernel(136, 40, 0), gpu, {});
  EXPECT_EQ(wasteful.now.waves_per_simd, 3u);
  EXPECT_EQ(wasteful.now.limiter, gpus::Limiter::Vgprs);
}

// 96 VGPRs leave room for five waves per SIMD, but sixteen waves of a workgroup take four of each: the second
// workgroup needs eight.
TEST(Occupancy, AWorkgroupFitsAllOfItOrNotAtAll) {
  const gpus::Gpu& gpu = *usual_gpu("gfx942");
  Resources large = kernel(96, 96, 0);
  large.workgroup = large.max_workgroup = 1024;
  const Occupancy now = occupancy_of(large, gpu, {.workgroup = 1024});
  EXPECT_EQ(now.now.workgroups, 1u);
  EXPECT_EQ(now.now.waves_per_simd, 4u);
  ASSERT_FALSE(now.next.empty());
  EXPECT_EQ(now.next[0].text, "32 VGPRs fewer: 4 more waves");
  EXPECT_NE(now.note.find("5 waves per SIMD would fit"), std::string::npos) << now.note;
  // Where any size will do, smaller workgroups may have the fifth wave.
  EXPECT_EQ(occupancy_of(large, gpu, {}).now.waves_per_simd, 5u);
}

}  // namespace
}  // namespace wavesmith::analysis
