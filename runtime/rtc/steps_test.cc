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
struct Both {
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
  Both compile(const std::string& text, const std::vector<std::string>& options = {}) {
    Both both;
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
    both.driver = without_folder(*toolchain::run(made(one), true), one);
    both.driver_code = read_file(one / ".out").value_or(std::vector<uint8_t>());
    const Command command = made(other);
    for (int i = 0; i < 2; ++i) both.steps = run_steps(command, "k.hip", other);
    if (both.steps) both.steps = without_folder(*both.steps, other);
    both.steps_code = read_file(other / ".out").value_or(std::vector<uint8_t>());
    return both;
  }
  toolchain::Toolchain tools_;
};

constexpr const char* kProgram =
    "extern \"C\" __attribute__((global)) void k(float* p) { int unused; p[__builtin_amdgcn_workitem_id_x()] "
    "= 2.0f; }\n";

TEST_F(CompiledSteps, GiveTheCodeAndTheWarningsThatTheDriverGives) {
  const Both both = compile(kProgram, {"-Wall", "-fuse-cuid=none"});
  ASSERT_TRUE(both.steps);
  EXPECT_EQ(both.steps->code, 0);
  EXPECT_NE(both.driver.output.find("unused"), std::string::npos) << both.driver.output;
  EXPECT_EQ(both.steps->output, both.driver.output);
  EXPECT_FALSE(both.driver_code.empty());
  EXPECT_EQ(both.steps_code, both.driver_code);
}

TEST_F(CompiledSteps, GiveBitcodeToBeLinkedLater) {
  const Both both = compile(kProgram, {"-fgpu-rdc", "-c", "-emit-llvm"});
  ASSERT_TRUE(both.steps);
  EXPECT_FALSE(both.steps_code.empty());
}

TEST_F(CompiledSteps, GiveEachProgramItsNumber) {
  const auto number = [&] {
    const Both both = compile(kProgram);
    const std::string text(both.steps_code.begin(), both.steps_code.end());
    const size_t at = text.find("__hip_cuid_");
    return at == text.npos ? std::string() : text.substr(at, 27);
  };
  const std::string first = number();
  EXPECT_EQ(first.size(), 27u);
  EXPECT_NE(first, number());
}

TEST_F(CompiledSteps, TellOfMistakesAsTheDriverDoes) {
  const Both both = compile("int f() { return no_such_name; }\n");
  ASSERT_TRUE(both.steps);
  EXPECT_EQ(both.steps->code, 1);
  EXPECT_EQ(both.steps->output, both.driver.output);
}

TEST_F(CompiledSteps, AreNoneWhereTheDriverDoesMore) {
  EXPECT_FALSE(compile(kProgram, {"-save-temps=obj"}).steps);
  EXPECT_FALSE(compile(kProgram, {"-Wno-such-warning", "--no-such-option"}).steps);
}

}  // namespace
}  // namespace wavesmith::rtc
