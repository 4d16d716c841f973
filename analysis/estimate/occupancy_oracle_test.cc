// What is read of code objects and the occupancy that follows, against the compiler's own.
#include "analysis/estimate/occupancy.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <random>

#include "gpus/occupancy_testing.h"
#include "object/code_object.h"

namespace wavesmith::analysis {
namespace {

using gpus::Case;
using gpus::Compiled;

class OccupancyOfObjects : public testing::TestWithParam<std::pair<const char*, uint32_t>> {};

constexpr size_t kKernels = 240;  // ten configurations: 2,400 points

TEST_P(OccupancyOfObjects, IsTheCompilers) {
  const auto [id, wave] = GetParam();
  const gpus::Gpu* gpu = nullptr;
  for (const gpus::Gpu* const each : gpus::gpus())
    if (each->id == id) gpu = each;
  ASSERT_TRUE(gpu);
  const isa::Target* const target = isa::find_target(gpu->target);
  const uint32_t seed = std::random_device{}();
  SCOPED_TRACE(fmt::format("seed {}", seed));
  std::mt19937 random(seed);
  const std::vector<Case> cases = gpus::random_cases(random, *gpu, wave, kKernels);
  const gpus::Compilation compilation = gpus::compile(cases, *gpu, wave, true);
  ASSERT_EQ(compilation.said.size(), cases.size()) << "llc-22 did not compile the kernels";
  const auto object = object::CodeObject::parse(compilation.object);
  ASSERT_TRUE(object) << object.error().text();
  size_t points = 0, blocks_matter = 0;
  for (size_t i = 0; i < cases.size(); ++i) {
    const Case& c = cases[i];
    const Compiled& said = compilation.said[i];
    SCOPED_TRACE(fmt::format("{} VGPRs, {} SGPRs, {} B LDS, workgroup {}{}", said.vgprs, said.sgprs, c.lds,
                             c.exactly ? "" : "up to ", c.workgroup));
    ++points;
    if (!target) {  // a GPU for predictions: from what the compiler counted
      gpus::Gpu loose = *gpu;
      loose.sgpr_granule = 1;
      EXPECT_EQ(waves_by_compiler(loose, {said.vgprs, said.sgprs, c.lds, c.workgroup, wave},
                                  c.exactly ? c.workgroup : 1, c.workgroup),
                said.occupancy);
      continue;
    }
    const object::Kernel* const kernel = object->kernel(fmt::format("k{}", i));
    ASSERT_TRUE(kernel);
    const Resources resources = resources_of(*kernel, *target, *gpu, {});
    EXPECT_EQ(resources.wave_size, wave);
    EXPECT_EQ(resources.lds_bytes, c.lds);
    EXPECT_EQ(resources.workgroup, c.workgroup);
    EXPECT_GE(resources.vgprs_total, said.vgprs);
    EXPECT_EQ(resources.vgprs_counted, said.vgprs);
    const Occupancy occupancy = occupancy_of(resources, *gpu, {});
    EXPECT_EQ(occupancy.compiler_waves, said.occupancy);
    blocks_matter += c.exactly && occupancy.now.waves_per_simd != said.occupancy;
  }
  RecordProperty("points", static_cast<int>(points));
  fmt::print("{} wave{}: {} points; blocks in which LDS is given make {} differ on the hardware\n", id, wave,
             points, blocks_matter);
}

INSTANTIATE_TEST_SUITE_P(Gpus, OccupancyOfObjects,
                         testing::Values(std::pair{"mi210", 64u}, std::pair{"mi250x", 64u},
                                         std::pair{"mi300x", 64u}, std::pair{"mi355x", 64u},
                                         std::pair{"rx7900xtx", 32u}, std::pair{"rx7900xtx", 64u},
                                         std::pair{"rx9070xt", 32u}, std::pair{"rx9070xt", 64u},
                                         std::pair{"rx6900xt", 32u}, std::pair{"rx6900xt", 64u}),
                         [](const auto& info) {
                           return fmt::format("{}_wave{}", info.param.first, info.param.second);
                         });

TEST(Occupancy, TheNextStepIsExact) {
  const gpus::Gpu& gpu = **gpus::find_gpu("mi300x");
  Resources resources;
  resources.vgprs_total = 140;
  resources.allocated = {140, 0, 32};
  resources.workgroup = resources.max_workgroup = 256;
  const Occupancy now = occupancy_of(resources, gpu, {.workgroup = 256});
  EXPECT_EQ(now.now.waves_per_simd, 3u);
  ASSERT_EQ(now.next.size(), 1u);
  EXPECT_EQ(now.next[0].text, "12 VGPRs fewer: one more wave");
  // And it is: 128 give four, 129 do not.
  resources.vgprs_total = 128;
  EXPECT_EQ(occupancy_of(resources, gpu, {.workgroup = 256}).now.waves_per_simd, 4u);
  resources.vgprs_total = 129;
  EXPECT_EQ(occupancy_of(resources, gpu, {.workgroup = 256}).now.waves_per_simd, 3u);
}

TEST(Occupancy, TwoLimitsAreToldTogether) {
  const gpus::Gpu& gpu = **gpus::find_gpu("mi300x");
  Resources resources;
  resources.vgprs_total = 256;
  resources.allocated = {256, 0, 32};
  resources.lds_bytes = 32768;
  resources.workgroup = resources.max_workgroup = 256;
  const Occupancy now = occupancy_of(resources, gpu, {.workgroup = 256});
  EXPECT_EQ(now.now.waves_per_simd, 2u);
  ASSERT_EQ(now.next.size(), 2u);
  EXPECT_EQ(now.next[0].limiter, gpus::Limiter::Vgprs);
  EXPECT_EQ(now.next[1].limiter, gpus::Limiter::Lds);
  EXPECT_EQ(now.next[1].to, 21504u) << "three workgroups in 64 KiB, in blocks of 512 B";
}

}  // namespace
}  // namespace wavesmith::analysis
