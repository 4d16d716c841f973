// The occupancy rules against the compiler's own: llc prints what it computed for kernels that clobber given
// registers.
#include "gpus/occupancy.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <unistd.h>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <random>

namespace wavesmith::gpus {
namespace {

struct Case {
  uint32_t vgprs, agprs, sgprs, lds, workgroup;
};

/// What the compiler printed for a kernel.
struct Compiled {
  uint32_t sgprs = 0, vgprs = 0, occupancy = 0;
};

std::string kernel_of(const Case& c, size_t number, const Gpu& gpu, uint32_t wave) {
  std::string clobbers = fmt::format("~{{v{}}},~{{s{}}}", c.vgprs - 1, c.sgprs - 1);
  if (c.agprs) clobbers += fmt::format(",~{{a{}}}", c.agprs - 1);
  std::string text;
  if (c.lds)
    text += fmt::format("@l{} = internal addrspace(3) global [{} x i8] poison, align 4\n", number, c.lds);
  text +=
      fmt::format("define amdgpu_kernel void @k{}() \"amdgpu-flat-work-group-size\"=\"{},{}\"{} {{\n", number,
                  c.workgroup, c.workgroup,
                  gpu.wave_sizes.size() > 1 && wave == 64 ? " \"target-features\"=\"+wavefrontsize64\"" : "");
  text += fmt::format("  call void asm sideeffect \"\", \"{}\"()\n", clobbers);
  if (c.lds) text += fmt::format("  store volatile i8 0, ptr addrspace(3) @l{}\n", number);
  return text + "  ret void\n}\n";
}

std::vector<Compiled> compile(const std::string& text, const Gpu& gpu) {
  const auto folder = std::filesystem::temp_directory_path();
  const std::string base = (folder / fmt::format("occupancy-{}-{}", ::getpid(), gpu.target)).string();
  std::ofstream(base + ".ll") << "target triple = \"amdgcn-amd-amdhsa\"\n" << text;
  const std::string command =
      fmt::format("llc-22 -O1 -mcpu={} {}.ll -o {}.s 2>/dev/null", gpu.target, base, base);
  std::vector<Compiled> compiled;
  if (std::system(command.c_str()) != 0) return compiled;
  std::ifstream output(base + ".s");
  Compiled one;
  for (std::string line; std::getline(output, line);) {
    std::sscanf(line.c_str(), "; NumSGPRsForWavesPerEU: %u", &one.sgprs);
    if (std::sscanf(line.c_str(), "; TotalNumVgprs: %u", &one.vgprs) != 1)
      std::sscanf(line.c_str(), "; NumVgprs: %u", &one.vgprs);
    if (std::sscanf(line.c_str(), "; Occupancy: %u", &one.occupancy) == 1) compiled.push_back(one);
  }
  for (const char* end : {".ll", ".s"}) std::filesystem::remove(base + end);
  return compiled;
}

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
  auto pick = [&](std::initializer_list<uint32_t> values) {
    return values.begin()[random() % values.size()];
  };
  std::vector<Case> cases;
  std::string text;
  while (cases.size() < 120) {
    Case c{1 + static_cast<uint32_t>(random() % 256),
           gpu.unified_accumulation ? pick({0, 0, 1, 32, 100, 256}) : 0, pick({10, 16, 40, 80, 88, 94, 96}),
           pick({0, 0, 0, 100, 1024, 5000, 8192, 16384, 20000, 32768, 65536}),
           pick({32, 64, 128, 192, 256, 512, 1000, 1024})};
    // The compiler promises that one workgroup fits; leave out clobbers that break the promise.
    const KernelResources fits{(c.agprs ? (c.vgprs + 3) / 4 * 4 + c.agprs : c.vgprs), 104, c.lds, c.workgroup,
                               wave};
    if (occupancy(gpu, fits).workgroups == 0) continue;
    text += kernel_of(c, cases.size(), gpu, wave);
    cases.push_back(c);
  }
  const std::vector<Compiled> compiled = compile(text, gpu);
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
  // 80 VGPRs: 6 waves a SIMD, 24 a unit, of which one workgroup of 16 waves uses 16.
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
