#include "timing/kernel_profile.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>

#include "emulate/instructions/testing.h"
#include "gpus/gpu.h"

namespace wavesmith::timing {
namespace {

/// The profile of a grid of 4 workgroups of 64 on an MI300X. Its places in the source are "pc N".
KernelProfile profile_of(std::string_view assembly, bool timeline) {
  const gpus::Gpu& gpu = **gpus::find_gpu("mi300x");
  emulate::KernelTest test("gfx942", assembly, 64, 1024);
  const auto data = reinterpret_cast<uint64_t>(test.allocate(64));
  const GridShape grid{.extent = {4, 1, 1}, .waves = 1, .resident = 1};
  const Sample sample = choose_sample(gpu, grid);
  Recorder recorder(*isa::find_target("gfx942"), 64, grid.extent, sample.all(), 1000);
  test.listeners = {&recorder};
  const auto done = test.launch(4, 64, {data});
  EXPECT_TRUE(done) << done.error().text();
  GridModel model(gpu);
  const Region region{data, 256};
  const LaunchProfile launch =
      profile(gpu, grid, sample, recorder, done->instructions, {&region, 1},
              [&](const LaunchShape& shape, const auto& touched) { return model.enter(shape, touched); });
  return kernel_profile(gpu, launch, [](uint64_t pc) { return "pc " + std::to_string(pc); }, timeline);
}

constexpr std::string_view kLoad = R"(
  s_load_dwordx2 s[4:5], s[0:1], 0x0
  v_lshlrev_b32 v1, 2, v0
  s_waitcnt lgkmcnt(0)
  global_load_dword v2, v1, s[4:5]
  s_waitcnt vmcnt(0)
  v_add_u32 v2, v2, v2
  global_store_dword v1, v2, s[4:5]
)";

TEST(KernelProfile, ItsPartsAddUp) {
  const KernelProfile kernel = profile_of(kLoad, false);
  ASSERT_TRUE(kernel.has_time()) << kernel.refused;
  EXPECT_EQ(kernel.grid, (Extent3{4, 1, 1}));
  EXPECT_DOUBLE_EQ(kernel.seconds, kernel.cycles / (kernel.clock_mhz * 1e6));
  uint64_t issued = 0;
  for (const KernelProfile::PipeUse& use : kernel.pipes) issued += use.issued;
  double exposed = 0;
  for (const KernelProfile::Stall& stall : kernel.stalls) exposed += stall.exposed_share;
  EXPECT_DOUBLE_EQ(exposed, kernel.exposed_share);
  EXPECT_LE(kernel.exposed_share, 1);
  EXPECT_TRUE(std::ranges::is_sorted(kernel.stalls, std::greater(), &KernelProfile::Stall::exposed));
  uint64_t hits = 0;
  std::map<std::string, double> causes;
  for (const KernelProfile::Instruction& one : kernel.instructions) {
    hits += one.hits;
    for (const auto& [cause, cycles] : one.causes) causes[cause] += static_cast<double>(cycles);
  }
  for (const KernelProfile::Stall& stall : kernel.stalls)
    EXPECT_EQ(causes[stall.cause], stall.wave_cycles) << stall.cause;
  EXPECT_EQ(hits, issued);
  EXPECT_FALSE(kernel.timeline);
}

TEST(KernelProfile, ItsInstructionsStandInTheOrderOfTheCode) {
  const KernelProfile kernel = profile_of(kLoad, false);
  ASSERT_EQ(kernel.instructions.size(), 8u);
  EXPECT_EQ(kernel.instructions[0].offset, 0u);
  EXPECT_TRUE(std::ranges::is_sorted(kernel.instructions, {}, &KernelProfile::Instruction::offset));
  const KernelProfile::Instruction& wait = kernel.instructions[4];
  EXPECT_EQ(wait.text, "s_waitcnt vmcnt(0)");
  EXPECT_EQ(wait.main_cause(), "wait for loads");
  EXPECT_TRUE(wait.source.starts_with("pc ")) << wait.source;
}

TEST(KernelProfile, ItsTimelineNamesInstructionsAndCauses) {
  const KernelProfile kernel = profile_of(kLoad, true);
  ASSERT_TRUE(kernel.timeline);
  ASSERT_EQ(kernel.timeline->events.size(), 8u) << "one wave was replayed";
  for (size_t i = 0; i < 8; ++i) {
    const auto& event = kernel.timeline->events[i];
    EXPECT_EQ(event.instruction, i);
    EXPECT_LE(event.reached, event.issued);
  }
  EXPECT_EQ(kernel.timeline->wait(kernel.timeline->events[4]), kernel.instructions[4].main_cause());
}

TEST(KernelProfile, TheCostliestKernelIsTheOneWithTheMostTimeInAllItsLaunches) {
  ProgramProfile program;
  for (const auto& [name, seconds, launches] :
       {std::tuple{"long", 3.0, 1}, {"often", 1.0, 4}, {"refused", 0.0, 9}, {"like long", 3.0, 1}}) {
    KernelProfile& kernel = program.kernels.emplace_back();
    kernel.name = name, kernel.seconds = seconds, kernel.launches = static_cast<uint64_t>(launches);
  }
  std::vector<std::string> names;
  for (const KernelProfile* const kernel : program.costliest_first()) names.push_back(kernel->name);
  EXPECT_EQ(names, (std::vector<std::string>{"often", "long", "like long", "refused"}));
}

}  // namespace
}  // namespace wavesmith::timing
