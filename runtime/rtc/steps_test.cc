#include "runtime/rtc/steps.h"

#include <gtest/gtest.h>

#include "base/file.h"
#include "base/scratch.h"
#include "toolchain/discover.h"

namespace wavesmith::rtc {
namespace {

using toolchain::Command;

TEST(Steps, AreTheQuotedLines) {
  const auto steps = parse_steps(
      "clang version 22\nTarget: x\n \"/a/clang\" \"-cc1\" \"a \\\"b\\\\\" \"\"\n \"/a/lld\" \"-o\" \"x\"\n");
  ASSERT_EQ(steps.size(), 2u);
  EXPECT_EQ(steps[0], (Command{"/a/clang", "-cc1", "a \"b\\", ""}));
  EXPECT_EQ(steps[1], (Command{"/a/lld", "-o", "x"}));
  EXPECT_EQ(parse_steps(" (in-process)\n \"/a/clang\" \"-cc1\"\n").size(), 1u);
}

TEST(Steps, WhatTheDriverHasToSayIsLeftToIt) {
  EXPECT_TRUE(parse_steps("clang: warning: x\n \"/a/clang\" \"-cc1\"\n").empty());
  EXPECT_TRUE(parse_steps("clang: error: x\n").empty());
  EXPECT_TRUE(parse_steps(" \"/a/clang\" \"-cc1\n").empty());
  EXPECT_TRUE(parse_steps(" something else\n \"/a/clang\" \"-cc1\"\n").empty());
}

/// One program, compiled by the driver and by its steps.
struct DriverAndSteps {
  toolchain::Outcome driver;
  std::optional<toolchain::Outcome> steps;
  std::vector<uint8_t> driver_code, steps_code;
};

class CompiledSteps : public testing::Test {
 protected:
  void SetUp() override {
    tools_ = toolchain::discover();
    if (tools_.clang.empty() || tools_.lld.empty()) GTEST_SKIP() << "no clang with lld here";
  }
  DriverAndSteps compile(const std::string& text, const std::vector<std::string>& options = {}) {
    DriverAndSteps compiled;
    const auto made = [&](const Scratch& scratch) {
      EXPECT_TRUE(write_file(scratch / "k.hip", text));
      Command command{tools_.clang, "-x",        "hip", "--cuda-device-only",   "--no-gpu-bundle-output",
                      "-nogpulib",  "-nogpuinc", "-O3", "--offload-arch=gfx942"};
      command.insert(command.end(), options.begin(), options.end());
      command.insert(command.end(), {scratch / "k.hip", "-o", scratch / ".out"});
      return command;
    };
    const auto without_folder = [](toolchain::Outcome outcome, const Scratch& scratch) {
      replace_all(outcome.output, scratch.prefix(), "");
      return outcome;
    };
    const Scratch one("test"), other("test");
    compiled.driver = without_folder(*toolchain::run(made(one), true), one);
    compiled.driver_code = read_file(one / ".out").value_or(std::vector<uint8_t>());
    const Command command = made(other);
    for (int i = 0; i < 2; ++i) compiled.steps = run_steps(command, "k.hip", other);
    if (compiled.steps) compiled.steps = without_folder(*compiled.steps, other);
    compiled.steps_code = read_file(other / ".out").value_or(std::vector<uint8_t>());
    return compiled;
  }
  toolchain::Toolchain tools_;
};

constexpr const char* kProgram =
    "extern \"C\" __attribute__((global)) void k(float* p) { int unused; p[__builtin_amdgcn_workitem_id_x()] "
    "= 2.0f; }\n";

TEST_F(CompiledSteps, GiveTheCodeAndTheWarningsThatTheDriverGives) {
  const DriverAndSteps compiled = compile(kProgram, {"-Wall", "-fuse-cuid=none"});
  ASSERT_TRUE(compiled.steps);
  EXPECT_EQ(compiled.steps->code, 0);
  EXPECT_NE(compiled.driver.output.find("unused"), std::string::npos) << compiled.driver.output;
  EXPECT_EQ(compiled.steps->output, compiled.driver.output);
  EXPECT_FALSE(compiled.driver_code.empty());
  EXPECT_EQ(compiled.steps_code, compiled.driver_code);
}

TEST_F(CompiledSteps, GiveBitcodeToBeLinkedLater) {
  const DriverAndSteps compiled = compile(kProgram, {"-fgpu-rdc", "-c", "-emit-llvm"});
  ASSERT_TRUE(compiled.steps);
  EXPECT_FALSE(compiled.steps_code.empty());
}

TEST_F(CompiledSteps, GiveEachProgramItsNumber) {
  const auto number = [&] {
    const DriverAndSteps compiled = compile(kProgram);
    const std::string text(compiled.steps_code.begin(), compiled.steps_code.end());
    const size_t at = text.find("__hip_cuid_");
    return at == text.npos ? std::string() : text.substr(at, 27);
  };
  const std::string first = number();
  EXPECT_EQ(first.size(), 27u);
  EXPECT_NE(first, number());
}

TEST_F(CompiledSteps, TellOfMistakesAsTheDriverDoes) {
  const DriverAndSteps compiled = compile("int f() { return no_such_name; }\n");
  ASSERT_TRUE(compiled.steps);
  EXPECT_EQ(compiled.steps->code, 1);
  EXPECT_EQ(compiled.steps->output, compiled.driver.output);
}

TEST_F(CompiledSteps, AreNoneWhereTheDriverDoesMore) {
  EXPECT_FALSE(compile(kProgram, {"-save-temps=obj"}).steps);
  EXPECT_FALSE(compile(kProgram, {"-Wno-such-warning", "--no-such-option"}).steps);
}

}  // namespace
}  // namespace wavesmith::rtc
