// Sweeps that run what they compile: a program with a main, the kernels of another program, a kernel by
// itself.
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "cli/testing.h"
#include "study/sweep/knob_launch.h"

namespace wavesmith::cli {
namespace {

// Adds one to each number; A and B are turns of a loop that does nothing but take time, and WRONG adds two.
constexpr const char* kProgram = R"(
struct dim3 { unsigned x, y, z; };
extern "C" int hipLaunchKernel(const void*, dim3, dim3, void**, unsigned long, void*);
extern "C" unsigned __hipPushCallConfiguration(dim3, dim3, unsigned long, void*);
extern "C" int __hipPopCallConfiguration(dim3*, dim3*, unsigned long*, void*);
extern "C" int hipMalloc(void**, unsigned long);
extern "C" int hipMemcpy(void*, const void*, unsigned long, int);
extern "C" int hipConfigureCall(dim3, dim3, unsigned long, void*);
extern "C" int printf(const char*, ...);
extern "C" double atof(const char*);
extern "C" long clock();
#ifndef A
#define A 50
#endif
#ifndef B
#define B 50
#endif
#ifdef WRONG
#define MORE 2
#else
#define MORE 1
#endif
extern "C" __attribute__((global)) void add(int* p) {
  const unsigned i = __builtin_amdgcn_workgroup_id_x() * 64 + __builtin_amdgcn_workitem_id_x();
  for (int turn = 0; turn < A; ++turn) asm volatile("s_nop 7");
  for (int turn = 0; turn < B; ++turn) asm volatile("s_nop 6");
  p[i] += MORE;
}
#ifndef NO_MAIN
int main(int count, char** words) {
  const int n = 64 * 512;
  static int host[n];
  int* device;
  if (hipMalloc(reinterpret_cast<void**>(&device), sizeof host)) return 2;
  hipMemcpy(device, host, sizeof host, 1);
  void* arguments[] = {&device};
  hipLaunchKernel(reinterpret_cast<const void*>(add), dim3{n / 64, 1, 1}, dim3{64, 1, 1}, arguments, 0, nullptr);
  hipMemcpy(host, device, sizeof host, 2);
  long sum = 0;
  for (int i = 0; i < n; ++i) sum += host[i];
  printf("sum %ld\n", sum);
  printf("it took %ld ms\n", clock());
  return count > 1 ? static_cast<int>(atof(words[1])) : 0;
}
#endif
)";

class KnobSimulation : public testing::Test {
 protected:
  void SetUp() override {
    if (WAVESMITH_CROSS) GTEST_SKIP() << "the host's programs cannot load this library";
  }
  static const Scratch& folder() {
    static const Scratch scratch;
    return scratch;
  }
  static std::string environment() { return "WAVESMITH_CACHE=" + (folder() / "cache"); }
  static CommandResult sweep(const std::string& options, const std::string& behind = {}) {
    const std::string file = folder().write("program.hip", kProgram);
    return run_wavesmith(
        fmt::format("sweep {} --gpu mi300x --flags=\"-nogpuinc -nogpulib\" {} {}", file, options, behind),
        environment());
  }
  static nlohmann::json json_of(const CommandResult& ran) {
    EXPECT_EQ(ran.code, 0) << ran.err << ran.out;
    return nlohmann::json::parse(ran.out, nullptr, false);
  }
  static const nlohmann::json& trial(const nlohmann::json& json, const std::string& name) {
    for (const auto& one : json["trials"])
      if (one["name"] == name) return one;
    static const nlohmann::json none;
    ADD_FAILURE() << "no " << name << " in " << json.dump();
    return none;
  }
};

TEST_F(KnobSimulation, AProgramIsRunWithEachVariantAndWhatChangesItsResultsIsNotRanked) {
  const auto json = json_of(sweep("--json --try=-O3 --try=-DA=200 --try=-DWRONG --try=-DA=5"));
  EXPECT_EQ(json["ranked_by"], "simulation");
  EXPECT_EQ(json["idle"], nlohmann::json::array({"-O3"}));
  EXPECT_EQ(json["changed"], nlohmann::json::array({"-DWRONG"}));
  EXPECT_NE(trial(json, "-DWRONG")["changed"].get<std::string>().find("sum 65536"), std::string::npos)
      << trial(json, "-DWRONG");
  EXPECT_EQ(json["ranked"], nlohmann::json::array({"-DA=5", "baseline", "-DA=200"}));
  const double before = trial(json, "baseline")["kernel_seconds"]["value"];
  EXPECT_GT(before, 0);
  EXPECT_GT(trial(json, "-DA=200")["kernel_seconds"]["value"].get<double>(), before);
  EXPECT_LT(trial(json, "-DA=5")["kernel_seconds"]["value"].get<double>(), before);
}

TEST_F(KnobSimulation, WhatHelpsAloneIsTriedTogether) {
  const auto json = json_of(sweep("--json --try=-DA=5 --try=-DB=5"));
  EXPECT_EQ(json["combinations"], 1);
  ASSERT_EQ(json["ranked"].size(), 4) << json["ranked"];
  const std::string best = json["ranked"][0];
  EXPECT_TRUE(best == "-DA=5 + -DB=5" || best == "-DB=5 + -DA=5") << best;
  EXPECT_EQ(json_of(sweep("--json --alone --try=-DA=5 --try=-DB=5"))["combinations"], 0);
}

TEST_F(KnobSimulation, TheKernelsOfAnotherProgramAreReplaced) {
  const std::string source = folder().write("other.hip", kProgram), program = folder() / "other";
  const CommandResult built = run_wavesmith(
      fmt::format("cc --no-rocm --hip-headers=none -nogpulib --gpu=mi300x -O2 {} -o {}", source, program),
      environment());
  ASSERT_EQ(built.code, 0) << built.err;
  const auto json = json_of(sweep("--json --try=-DA=5", "-- " + program));
  EXPECT_EQ(json["ranked"], nlohmann::json::array({"-DA=5", "baseline"}));
  EXPECT_EQ(json["checked"], "exit codes and 1 of 2 lines of output compared");
  // A program that fails, and one without these kernels.
  const CommandResult fails = sweep("--try=-DA=5", "-- " + program + " 7");
  EXPECT_EQ(fails.code, 3) << fails.out;
  EXPECT_NE(fails.err.find("exit code 7"), std::string::npos) << fails.err;
  const CommandResult none = sweep("--try=-DA=5", "-- true");
  EXPECT_EQ(none.code, 6) << none.err;
}

TEST_F(KnobSimulation, AKernelIsLaunchedByItself) {
  const std::string options = "--grid 512 --block 64 --arg 'i32[32768]=iota' --try=-DWRONG --try=-DB=5 ";
  const auto json = json_of(sweep(options + "--json", "-- -DNO_MAIN"));
  EXPECT_EQ(json["ranked"], nlohmann::json::array({"-DB=5", "baseline"}));
  EXPECT_EQ(json["changed"], nlohmann::json::array({"-DWRONG"}));
  EXPECT_EQ(trial(json, "-DWRONG")["changed"], "buffer 0 has other contents");
}

TEST_F(KnobSimulation, WithoutALaunchItSaysThatStaticCyclesRank) {
  const CommandResult ran = sweep("--try=-DB=5", "-- -DNO_MAIN");
  EXPECT_EQ(ran.code, 0) << ran.err;
  EXPECT_NE(ran.out.find("ranked by static cycles of the hot loop, since the program could not be run"),
            std::string::npos)
      << ran.out;
  const CommandResult by_choice = sweep("--static --try=-O1");
  EXPECT_EQ(by_choice.code, 0) << by_choice.err;
  EXPECT_NE(by_choice.out.find("ranked by static cycles"), std::string::npos) << by_choice.out;
  EXPECT_EQ(sweep("--static --try=-O1 --args=1").code, 3);
  EXPECT_EQ(sweep("--grid 4 --args=1").code, 3);
}

TEST(KnobLaunch, AMainIsFoundInCodeOnly) {
  EXPECT_TRUE(study::has_main("#include <x>\nint main() {}"));
  EXPECT_TRUE(study::has_main("auto main(int n, char** w) -> int {}"));
  EXPECT_FALSE(study::has_main("// int main() {}\nvoid f();"));
  EXPECT_FALSE(study::has_main("/* int main() */ const char* s = \"int main() {}\"; int domain();"));
  EXPECT_FALSE(study::has_main(""));
}

TEST(KnobLaunch, TimesRatesAndWhatVariesAreNotCompared) {
  study::Simulation once, again;
  once.output = "sum 5\nGPU time: 0.1\n3.4 ms\nseed 1\n12 GFLOP/s\n";
  again.output = "sum 5\nGPU time: 0.1\n3.4 ms\nseed 2\n12 GFLOP/s\n";
  const study::OutputCheck check(once, again);
  EXPECT_EQ(check.lines(), 1);
  study::Simulation other = once;
  other.output = "sum 5\nGPU time: 9\n7 ms\nseed 4\n1 GFLOP/s\n";
  EXPECT_EQ(check.difference(other), "");
  other.output = "sum 6\nGPU time: 9\n7 ms\nseed 4\n1 GFLOP/s\n";
  EXPECT_EQ(check.difference(other), "writes 'sum 6' in place of 'sum 5'");
  other = once;
  other.code = 1;
  EXPECT_EQ(check.difference(other), "exit code 1 in place of 0");
}

}  // namespace
}  // namespace wavesmith::cli
