// What is read of code objects and the occupancy that follows, against the compiler's own: llc says what it
// computed for kernels that clobber given registers, want LDS, and allow a range of workgroup sizes.
#include "analysis/occupancy.h"

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <random>

#include "object/code_object.h"

namespace wavesmith::analysis {
namespace {

struct Case {
  uint32_t vgprs, agprs, sgprs, lds, workgroup;
  bool exactly;  ///< workgroups of that size, not of up to that size
};

struct Compiled {
  uint32_t sgprs = 0, vgprs = 0, occupancy = 0;
};

std::string kernel_of(const Case& c, size_t number, const gpus::Gpu& gpu, uint32_t wave) {
  std::string text;
  std::string clobbers = fmt::format("~{{v{}}},~{{s{}}}", c.vgprs - 1, c.sgprs - 1);
  if (c.agprs) clobbers += fmt::format(",~{{a{}}}", c.agprs - 1);
  if (c.lds)
    text += fmt::format("@l{} = internal addrspace(3) global [{} x i8] poison, align 4\n", number, c.lds);
  text += fmt::format(
      "define amdgpu_kernel void @k{}() \"amdgpu-flat-work-group-size\"=\"{},{}\"{}{} {{\n", number,
      c.exactly ? c.workgroup : 1, c.workgroup,
      gpu.wave_sizes.size() > 1 && wave == 64 ? " \"target-features\"=\"+wavefrontsize64\"" : "",
      c.exactly ? fmt::format(" !reqd_work_group_size !{{i32 {}, i32 1, i32 1}}", c.workgroup) : "");
  text += fmt::format("  call void asm sideeffect \"\", \"{}\"()\n", clobbers);
  if (c.lds) text += fmt::format("  store volatile i8 0, ptr addrspace(3) @l{}\n", number);
  return text + "  ret void\n}\n";
}

/// The kernels' code object and what the compiler says of each.
struct Compilation {
  std::vector<Compiled> said;
  std::vector<uint8_t> object;
};

Compilation compile(const std::string& text, const gpus::Gpu& gpu, uint32_t wave) {
  const auto folder = std::filesystem::temp_directory_path();
  const std::string base = (folder / fmt::format("waves-{}-{}-{}", ::getpid(), gpu.target, wave)).string();
  std::ofstream(base + ".ll") << "target triple = \"amdgcn-amd-amdhsa\"\n" << text;
  Compilation compilation;
  const std::string options = fmt::format("-O1 -mcpu={} {}.ll 2>/dev/null", gpu.target, base);
  const std::string command = fmt::format(
      "llc-22 -o {0}.s {1} && llc-22 -filetype=obj -o {0}.o {1} && ld.lld-22 -shared {0}.o -o {0}.co", base,
      options);
  if (std::system(command.c_str()) == 0) {
    std::ifstream output(base + ".s");
    Compiled one;
    for (std::string line; std::getline(output, line);) {
      std::sscanf(line.c_str(), "; NumSGPRsForWavesPerEU: %u", &one.sgprs);
      if (std::sscanf(line.c_str(), "; TotalNumVgprs: %u", &one.vgprs) != 1)
        std::sscanf(line.c_str(), "; NumVgprs: %u", &one.vgprs);
      if (std::sscanf(line.c_str(), "; Occupancy: %u", &one.occupancy) == 1) compilation.said.push_back(one);
    }
    std::ifstream object(base + ".co", std::ios::binary);
    compilation.object.assign(std::istreambuf_iterator<char>(object), {});
  }
  for (const char* end : {".ll", ".s", ".o", ".co"}) std::filesystem::remove(base + end);
  return compilation;
}

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
  const auto pick = [&](std::initializer_list<uint32_t> values) {
    return values.begin()[random() % values.size()];
  };
  std::vector<Case> cases;
  std::string text;
  while (cases.size() < kKernels) {
    const Case c{1 + static_cast<uint32_t>(random() % 256),
                 gpu->unified_accumulation ? pick({0, 0, 1, 32, 100, 256}) : 0,
                 pick({10, 16, 40, 80, 88, 94, 96}),
                 pick({0, 0, 100, 1024, 5000, 8192, 12000, 16384, 20000, 32768, 65536}),
                 pick({32, 64, 128, 192, 256, 512, 768, 1000, 1024}),
                 random() % 2 == 0};
    // The compiler promises that one workgroup fits; leave out clobbers that break the promise.
    const gpus::KernelResources fits{c.agprs ? (c.vgprs + 3) / 4 * 4 + c.agprs : c.vgprs, 104, c.lds,
                                     c.workgroup, wave};
    if (gpus::occupancy(*gpu, fits).workgroups == 0) continue;
    text += kernel_of(c, cases.size(), *gpu, wave);
    cases.push_back(c);
  }
  const Compilation compilation = compile(text, *gpu, wave);
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
