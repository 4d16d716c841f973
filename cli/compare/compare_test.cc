#include "cli/compare/show.h"

#include <algorithm>
#include <numeric>

#include "report/testing.h"
#include "study/code_testing.h"

namespace wavesmith::cli {
namespace {

/// A loop with a chain of multiplications, as long as STEPS says.
constexpr const char* kSource = R"(
struct dim3 { unsigned x, y, z; };
extern "C" int hipLaunchKernel(const void*, dim3, dim3, void**, unsigned long, void*);
#define GLOBAL extern "C" __attribute__((global)) __attribute__((amdgpu_flat_work_group_size(64, 256)))
GLOBAL void chain(float* p, int count) {
  float x = p[0];
  for (int i = 0; i < count; ++i) {
    float y = p[i];
#pragma unroll
    for (int j = 0; j < STEPS; ++j) y = y * x + 1.5f;
    x = y;
  }
  p[1] = x;
}
)";

CommandResult compare(const std::string& arguments) {
  return run_wavesmith("compare " + arguments + " -- " + study::kSampleFlags,
                       study::CodeSamples::get().environment());
}

nlohmann::json json_of_run(const std::string& arguments) {
  const CommandResult ran = compare(arguments + " --json");
  EXPECT_EQ(ran.code, 0) << ran.err;
  return ran.code == 0 ? nlohmann::json::parse(ran.out) : nlohmann::json{};
}

double figure(const nlohmann::json& changes, const std::string& name, const char* side) {
  for (const auto& change : changes)
    if (change["name"] == name) return change[side];
  ADD_FAILURE() << "no " << name;
  return 0;
}

TEST(Compare, TakesEveryFormAndFindsItTheSameAsItself) {
  for (const auto& [form, path] : study::sample_files()) {
    SCOPED_TRACE(form);
    const CommandResult ran = compare(path + " " + path + " --kernel dot");
    ASSERT_EQ(ran.code, 0) << ran.err;
    EXPECT_NE(ran.out.find("nothing has changed"), ran.out.npos) << ran.out;
  }
}

TEST(Compare, MoreWorkInTheLoopIsFoundWithItsLineAndItsInstruction) {
  const std::string source = study::CodeSamples::get().write("chain.hip", kSource);
  const auto json = json_of_run(source + " --flags-a=-DSTEPS=8 --flags-b=-DSTEPS=16");
  const auto& kernel = json["kernels"][0];
  EXPECT_FALSE(kernel["same_code"]);
  EXPECT_NE(kernel["verdict"].get<std::string>().find("more"), std::string::npos) << kernel["verdict"];
  EXPECT_NE(kernel["lines"][0]["name"].get<std::string>().find("y = y * x + 1.5f"), std::string::npos)
      << kernel["lines"];
  EXPECT_EQ(kernel["lines"][0]["count_b"].get<int>() - kernel["lines"][0]["count_a"].get<int>(), 8);
  const auto loops = kernel["loops"];
  ASSERT_EQ(loops.size(), 1);
  const double a = figure(loops[0]["changes"], "cycles per pass at its occupancy", "a"),
               b = figure(loops[0]["changes"], "cycles per pass at its occupancy", "b");
  EXPECT_GT(b, a);
  double sum = 0;
  for (const auto& cause : kernel["causes"]) sum += cause["cycles"].get<double>();
  EXPECT_NEAR(sum, b - a, 1e-6 * b) << "the causes add up to the difference";
}

TEST(Compare, LinesThatOnlyMovedAreTheSameLines) {
  const study::CodeSamples& samples = study::CodeSamples::get();
  const std::string a = samples.write("before.hip", kSource),
                    b = samples.write("after.hip", "// one\n// two\n\n" + std::string(kSource));
  const auto json = json_of_run(a + " " + b + " --flags-a=-DSTEPS=4 --flags-b=-DSTEPS=4");
  EXPECT_TRUE(json["kernels"][0]["same_code"]);
  EXPECT_TRUE(json["kernels"][0]["lines"].empty()) << json["kernels"][0]["lines"];
  EXPECT_TRUE(json["kernels"][0]["mnemonics"].empty());
}

TEST(Compare, AnUnrolledLoopIsComparedByItsWork) {
  const study::CodeSamples& samples = study::CodeSamples::get();
  const std::string text = R"(
struct dim3 { unsigned x, y, z; };
extern "C" int hipLaunchKernel(const void*, dim3, dim3, void**, unsigned long, void*);
extern "C" __attribute__((global)) __attribute__((amdgpu_flat_work_group_size(64, 256))) void sum(const float* p, float* out) {
  float x = 0;
#pragma unroll UNROLL
  for (int i = 0; i < 4096; ++i) x += p[64 * i + __builtin_amdgcn_workitem_id_x()];
  out[__builtin_amdgcn_workitem_id_x()] = x;
}
)";
  const std::string source = samples.write("unrolled.hip", text);
  const auto json = json_of_run(source + " --flags-a=-DUNROLL=1 --flags-b=-DUNROLL=8");
  EXPECT_EQ(json["kernels"][0]["work"], 8);
  EXPECT_NE(json["kernels"][0]["verdict"].get<std::string>().find("8 times as much"), std::string::npos);
}

// Nothing is loaded: that it does eight times as much and runs an eighth as often says so.
TEST(Compare, AnUnrolledLoopOfArithmeticIsComparedByItsWork) {
  const study::CodeSamples& samples = study::CodeSamples::get();
  const std::string text = R"(
struct dim3 { unsigned x, y, z; };
extern "C" int hipLaunchKernel(const void*, dim3, dim3, void**, unsigned long, void*);
extern "C" __attribute__((global)) __attribute__((amdgpu_flat_work_group_size(64, 256))) void power(float* out) {
  float x = __builtin_amdgcn_workitem_id_x();
#pragma unroll UNROLL
  for (int i = 0; i < 4096; ++i) {
    x = x * x + 1.5f;
    asm volatile("" : "+v"(x));
  }
  out[__builtin_amdgcn_workitem_id_x()] = x;
}
)";
  const std::string source = samples.write("unrolled_arithmetic.hip", text);
  const auto json = json_of_run(source + " --flags-a=-DUNROLL=1 --flags-b=-DUNROLL=8");
  EXPECT_EQ(json["kernels"][0]["work"], 8);
  EXPECT_NE(json["kernels"][0]["verdict"].get<std::string>().find("8 times as much"), std::string::npos);
}

TEST(Compare, GpusAreComparedByTimeNotByCycles) {
  const auto json = json_of_run(study::CodeSamples::get() / "sample.hip" +
                                std::string(" --kernel dot --gpu mi300x,rx9070xt"));
  EXPECT_EQ(json["kernels"][0]["gpu_a"], "mi300x");
  EXPECT_EQ(json["kernels"][0]["gpu_b"], "rx9070xt");
  figure(json["kernels"][0]["loops"][0]["changes"], "ns per pass at the peak clock", "a");
}

TEST(Compare, TwoKernelsOfAFileAreComparedByTheirNames) {
  const auto json =
      json_of_run(study::CodeSamples::get() / "sample.hip" + std::string(" --kernel square,dot"));
  EXPECT_EQ(json["kernels"][0]["kernel_a"], "square");
  EXPECT_EQ(json["kernels"][0]["kernel_b"], "dot");
}

TEST(Compare, TheSummaryFitsAScreenAndThePageIsSound) {
  const std::string source = study::CodeSamples::get().write("chain2.hip", kSource),
                    page = study::CodeSamples::get() / "compare.html";
  std::string pages[2];
  for (std::string& text : pages) {
    const CommandResult ran = compare(source + " --flags-a=-DSTEPS=8 --flags-b=-DSTEPS=32 --html " + page);
    ASSERT_EQ(ran.code, 0) << ran.err;
    EXPECT_LE(std::count(ran.out.begin(), ran.out.end(), '\n'), 25) << ran.out;
    text = slurp(page);
  }
  EXPECT_EQ(pages[0], pages[1]);
  for (const std::string& fault : report::faults(pages[0])) ADD_FAILURE() << fault;
  EXPECT_NE(pages[0].find("What explains the difference"), std::string::npos);
}

TEST(Compare, WhatIsNotThereIsNamed) {
  const study::CodeSamples& samples = study::CodeSamples::get();
  study::sample_files();
  EXPECT_EQ(compare(samples / "sample.co" + std::string(" /no/such/file")).code, 4);
  EXPECT_EQ(compare(samples / "sample.co" + std::string(" --gpu mi300x,mi210")).code, 5);
  EXPECT_EQ(compare(samples / "sample.co" + std::string(" --kernel cube")).code, 4);
  EXPECT_EQ(compare("").code, 2);
}

}  // namespace
}  // namespace wavesmith::cli
