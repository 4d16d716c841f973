// The occupancy rules against the compiler's own.
#include "gpus/occupancy.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <random>

#include "gpus/occupancy_testing.h"

namespace wavesmith::gpus {
namespace {

class OccupancyOracle : public testing::TestWithParam<std::pair<const char*, uint32_t>> {};

TEST_P(OccupancyOracle, AgreesWithTheCompiler) {
  const auto [id, wave] = GetParam();
  // The compiler divides SGPRs and LDS by what the kernel uses; the hardware allocates both in blocks, as
  // HIP's own occupancy calls know (ROCclr, hip_platform.cpp). Apart from that the two must agree.
  Gpu gpu = **find_gpu(id);
  gpu.sgpr_granule = gpu.lds_granule = 1;
  const uint32_t seed = std::random_device{}();
  SCOPED_TRACE(fmt::format("seed {}", seed));
  std::mt19937 random(seed);
  std::vector<Case> cases = random_cases(random, gpu, wave, 120);
  for (Case& c : cases) c.exactly = true;
  const std::vector<Compiled> compiled = compile(cases, gpu, wave, false).said;
  ASSERT_EQ(compiled.size(), cases.size()) << "llc-22 did not compile the kernels";
  for (size_t i = 0; i < cases.size(); ++i) {
    const Case& c = cases[i];
    const Occupancy ours = occupancy(gpu, {compiled[i].vgprs, compiled[i].sgprs, c.lds, c.workgroup, wave});
    EXPECT_EQ(ours.waves_per_simd, compiled[i].occupancy) << fmt::format(
        "{} VGPRs, {} SGPRs, {} B LDS, workgroup {}: by VGPRs {}, SGPRs {}, LDS {}, workgroups {}",
        compiled[i].vgprs, compiled[i].sgprs, c.lds, c.workgroup, ours.by_vgprs, ours.by_sgprs, ours.by_lds,
        ours.by_workgroups);
  }
}

INSTANTIATE_TEST_SUITE_P(Gpus, OccupancyOracle,
                         testing::Values(std::pair{"mi210", 64u}, std::pair{"mi300x", 64u},
                                         std::pair{"mi355x", 64u}, std::pair{"rx7900xtx", 32u},
                                         std::pair{"rx7900xtx", 64u}, std::pair{"rx9070xt", 32u},
                                         std::pair{"rx9070xt", 64u}),
                         [](const auto& info) {
                           return fmt::format("{}_wave{}", info.param.first, info.param.second);
                         });

TEST(Occupancy, AWorkgroupThatNeedsMoreThanThereIsDoesNotFit) {
  const Gpu& gpu = **find_gpu("mi300x");
  EXPECT_EQ(occupancy(gpu, {.vgprs = 32, .lds_bytes = 65537, .workgroup = 64}).workgroups, 0u);
  EXPECT_EQ(occupancy(gpu, {.vgprs = 513, .workgroup = 64}).workgroups, 0u);
  EXPECT_EQ(occupancy(gpu, {.vgprs = 32, .workgroup = 1025}).workgroups, 0u);
  // 16 waves need 4 a SIMD; 192 VGPRs leave room for 2.
  EXPECT_EQ(occupancy(gpu, {.vgprs = 192, .workgroup = 1024}).workgroups, 0u);
}

TEST(Occupancy, WholeWorkgroupsOnly) {
  const Gpu& gpu = **find_gpu("mi300x");
  // 80 VGPRs: 6 waves per SIMD, 24 a unit, of which one workgroup of 16 waves uses 16.
  const Occupancy got = occupancy(gpu, {.vgprs = 80, .workgroup = 1024});
  EXPECT_EQ(got.by_vgprs, 6u);
  EXPECT_EQ(got.workgroups, 1u);
  EXPECT_EQ(got.limiter, Limiter::Vgprs);
}

TEST(Occupancy, LdsThatIsNotUsedIsNoLimit) {
  const Gpu& gpu = **find_gpu("mi300x");
  // Workgroups of 12 waves: two of them leave 8 of 32 slots empty.
  const Occupancy got = occupancy(gpu, {.vgprs = 32, .workgroup = 768});
  EXPECT_EQ(got.waves_per_simd, 6u);
  EXPECT_EQ(got.limiter, Limiter::Workgroups);
  EXPECT_EQ(occupancy(gpu, {.vgprs = 32, .lds_bytes = 1024, .workgroup = 768}).limiter, Limiter::Workgroups);
  EXPECT_EQ(occupancy(gpu, {.vgprs = 32, .lds_bytes = 40000, .workgroup = 768}).limiter, Limiter::Lds);
}

}  // namespace
}  // namespace wavesmith::gpus
