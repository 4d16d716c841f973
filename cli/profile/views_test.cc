#include "cli/profile/views.h"

#include <gtest/gtest.h>

#include "report/html.h"
#include "report/testing.h"

namespace wavesmith::cli {
namespace {

using timing::KernelProfile;
using timing::ProgramProfile;

KernelProfile gemm() {
  KernelProfile kernel;
  kernel.name = "_Z4gemmPf";
  kernel.grid = {16, 2, 1};
  kernel.block = {256, 1, 1};
  kernel.launches = 3;
  kernel.seconds = 2e-3;
  kernel.cycles = 4.2e6;
  kernel.clock_mhz = 1900;
  kernel.clock_limited_by_power = true;
  kernel.matrix_flops = 1e12;
  kernel.matrix_tflops = 500;
  kernel.exposed_share = 0.25;
  kernel.sample = "9 of 32 workgroups";
  kernel.notes = {"a note"};
  kernel.pipes = {{isa::Pipe::Matrix, 1, 0.5}, {isa::Pipe::Internal, 1, 1}};
  kernel.stalls = {{"wait for loads", 150, 100, 50, 0.2}};
  kernel.replay.workgroups = 4;
  kernel.memory = {.l1_hit_rate = 0.5,
                   .l2_hit_rate = 0.25,
                   .infinity_cache_lines = 2e6,
                   .memory_lines = 1e6,
                   .l1_requests = 8e6,
                   .l2_requests = 4e6,
                   .line_bytes = 125};
  kernel.lds = {.cycles = 10, .conflict_cycles = 5, .conflict_share = 0.5};
  kernel.instructions = {{0,
                          "s_waitcnt vmcnt(0)",
                          isa::Pipe::Internal,
                          2,
                          90,
                          88,
                          4,
                          {{"barrier", 8}, {"wait for loads", 80}},
                          "function 'gemm' + 0x0, /none/gemm.hip:12"},
                         {4, "s_endpgm", isa::Pipe::Branch, 2, 2, 0, 0, {}, ""}};
  kernel.timeline = {{"", "wait for loads"},
                     {{0, 1, 10, 98, 0, 1}, {0, 1, 102, 102, 1, 0}, {7, 0, 0, 4, 99, 9}}};
  return kernel;
}

ProgramProfile sample() {
  KernelProfile cheap;
  cheap.name = "cheap";
  cheap.grid = {1, 1, 1};
  cheap.block = {64, 1, 1};
  cheap.launches = 1;
  cheap.seconds = 1e-6;
  cheap.cycles = 2100;
  cheap.clock_mhz = 2100;
  KernelProfile refused;
  refused.name = "refused";
  refused.grid = {1, 1, 1};
  refused.block = {64, 1, 1};
  refused.launches = 1;
  refused.refused = "it waits for others";
  return {.gpu = "mi300x", .kernels = {cheap, gemm(), refused}};
}

TEST(ProfileViews, ThePageHasWhatTheProfileHasTheCostliestFirst) {
  const report::Page page = page_of_profile(sample());
  ASSERT_EQ(page.sections.size(), 3);
  const report::Section& gemm = page.sections[0];
  EXPECT_EQ(gemm.title, "gemm(float*)");
  EXPECT_EQ(gemm.tiles[0].value.text, "2 ms");
  ASSERT_TRUE(gemm.roofline);
  // 32 workgroups, of which 4 were replayed: 10^6 lines of 125 bytes are 10^9 bytes.
  EXPECT_EQ(gemm.roofline->points.back().name, "against bytes of memory");
  EXPECT_DOUBLE_EQ(gemm.roofline->points.back().intensity, 1000);
  EXPECT_DOUBLE_EQ(gemm.roofline->points.back().flops, 5e14);
  EXPECT_DOUBLE_EQ(gemm.roofline->roofs.back().bytes_per_second, 5.3e12) << "an MI300X";
  EXPECT_DOUBLE_EQ(gemm.roofline->ceilings[0].flops, 1e15) << "the pipes were half busy";
  ASSERT_EQ(gemm.charts.size(), 2);
  EXPECT_EQ(gemm.charts[0].bars[0].parts[1].size, 50);
  EXPECT_TRUE(gemm.charts[0].bars[0].parts[1].faint) << "hidden";
  ASSERT_EQ(gemm.timelines.size(), 1);
  EXPECT_TRUE(gemm.timelines[0].rows[0].spans[0].waits);
  ASSERT_TRUE(gemm.listing);
  EXPECT_EQ(gemm.listing->files[0].name, "gemm.hip");
  EXPECT_EQ(gemm.listing->code[0].line, 12);
  EXPECT_EQ(gemm.listing->code[0].note, "wait for loads") << "the cause that cost most";
  EXPECT_NE(page.sections[2].findings_note.find("it waits for others"), std::string::npos);
  EXPECT_TRUE(page.sections[1].charts.empty());
  const std::string html = report::html(page);
  for (const std::string& fault : report::faults(html)) ADD_FAILURE() << fault;
  EXPECT_EQ(html, report::html(page_of_profile(sample())));
}

TEST(ProfileViews, VectorKernelsHaveARooflineToo) {
  auto profile = sample();
  KernelProfile& kernel = profile.kernels[1];
  kernel.matrix_flops = 0;
  kernel.waves_per_workgroup = 4;
  kernel.lds = {.cycles = 30, .conflict_cycles = 10};
  kernel.instructions.clear();
  for (const char* text :
       {"v_fma_f32 v1, v2, v3, v1", "v_dual_mul_f32 v1, v2, v3 :: v_dual_fmac_f32 v4, v5, v6",
        "v_pk_add_f32 v[2:3], v[4:5], v[6:7]", "v_add_u32 v1, v2, v3", "v_mul_f64 v[2:3], v[4:5], v[6:7]"})
    kernel.instructions.push_back({.text = text, .hits = 1000});
  const report::Page page = page_of_profile(profile);
  ASSERT_TRUE(page.sections[0].roofline);
  const report::Roofline& roofline = *page.sections[0].roofline;
  // 2 + 3 + 2 + 0 + 1 operations of 64 lanes, 1000 times, of 4 of 32 workgroups; in 2 ms.
  EXPECT_DOUBLE_EQ(roofline.points[0].flops, 8.0 * 64 * 1000 * 8 / 2e-3);
  // An MI300X: 304 compute units at 2.1 GHz, 81.7 TFLOP/s of 32 bits and twice that in pairs.
  EXPECT_NEAR(roofline.ceilings.at(0).flops, 81.7e12, 0.1e12);
  EXPECT_NEAR(roofline.ceilings.at(1).flops, 163.4e12, 0.2e12);
  std::vector<std::string> names;
  for (const auto& roof : roofline.roofs) names.push_back(roof.name);
  EXPECT_EQ(names, (std::vector<std::string>{"LDS", "L1", "L2", "Infinity Cache", "memory"}));
  EXPECT_DOUBLE_EQ(roofline.points[0].intensity, 8.0 * 64 * 1000 / (20 * 128)) << "128 bytes a clock of LDS";
}

TEST(ProfileViews, TheTraceHasWavesWaitsAndInstructionsInMicroseconds) {
  const report::Trace trace = trace_of_profile(sample());
  ASSERT_EQ(trace.threads.size(), 1);
  EXPECT_EQ(trace.threads[0].name, "wave 0 on SIMD 1");
  ASSERT_EQ(trace.events.size(), 3) << "events that name no instruction are left out";
  EXPECT_EQ(trace.events[0].name, "wait for loads");
  EXPECT_DOUBLE_EQ(trace.events[0].begin, 10 / 1900.0);
  EXPECT_DOUBLE_EQ(trace.events[0].length, 88 / 1900.0);
  EXPECT_EQ(trace.events[1].name, "s_waitcnt vmcnt(0)");
}

TEST(ProfileViews, AProfileWithNothingInItIsAnEmptyPage) {
  for (const ProgramProfile& profile : {ProgramProfile{}, ProgramProfile{.kernels = {KernelProfile{}}}}) {
    EXPECT_TRUE(report::faults(report::html(page_of_profile(profile))).empty());
    EXPECT_TRUE(trace_of_profile(profile).events.empty());
  }
}

}  // namespace
}  // namespace wavesmith::cli
