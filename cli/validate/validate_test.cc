// `wavesmith validate` on tables of one's own, as a user sees it.
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "cli/testing.h"

namespace wavesmith::cli {
namespace {

constexpr const char* kKernel = R"(
extern "C" __attribute__((global)) void axpy(const float* x, float* y, float a) {
  const unsigned id = __builtin_amdgcn_workgroup_id_x() * 64 + __builtin_amdgcn_workitem_id_x();
  y[id] += a * __builtin_sqrtf(x[id]);
}
)";

/// Statistics of the kernel on that GPU.
std::string statistics(const Scratch& scratch, const char* gpu) {
  static const Scratch folder;
  static const std::string object = compiled_kernels(folder, kKernel);
  const std::string path = scratch / (std::string(gpu) + ".csv");
  const CommandResult ran =
      run_wavesmith("profile " + object +
                    " --kernel axpy --grid 4096 --block 64 --arg 'f32[262144]=iota' --arg "
                    "'f32[262144]=ones' --arg f32=2 --gpu " +
                    gpu + " --statistics " + path);
  EXPECT_EQ(ran.code, 0) << ran.err;
  return path;
}

double figure(const std::string& json, const std::string& name) {
  const auto all = nlohmann::json::parse(json, nullptr, false);
  if (all.is_object())
    for (const auto& each : all["summary"])
      if (each["name"] == name) return each["value"];
  ADD_FAILURE() << "no " << name << " in " << json;
  return -1;
}

TEST(Validate, AProfileAgainstItsOwnStatisticsHasNoError) {
  const Scratch scratch;
  const std::string path = statistics(scratch, "mi300x");
  const CommandResult ran = run_wavesmith("validate --json --data " + path + " --against " + path);
  ASSERT_EQ(ran.code, 0) << ran.err;
  EXPECT_EQ(figure(ran.out, "statistics_latency_median"), 0);
  EXPECT_EQ(figure(ran.out, "statistics_matched_time"), 1);
  // Alone: what `profile` writes is what the costs say, transcendental instructions apart.
  const CommandResult alone = run_wavesmith("validate --json --gpu mi300x --data " + path);
  ASSERT_EQ(alone.code, 0) << alone.err;
  EXPECT_GT(figure(alone.out, "statistics_issue_exact"), 0.8);
}

TEST(Validate, AGpuWithSlowerMemoryWaitsElsewhere) {
  const Scratch scratch;
  const std::string fast = statistics(scratch, "mi300x"),
                    slow = statistics(scratch, "mi300x+latency.memory_cycles=3000");
  const CommandResult ran = run_wavesmith("validate --json --data '" + fast + "' --against '" + slow + "'");
  ASSERT_EQ(ran.code, 0) << ran.err;
  EXPECT_EQ(figure(ran.out, "statistics_matched_time"), 1);
  EXPECT_LT(figure(ran.out, "statistics_time_on_right_instruction"), 1);
}

TEST(Validate, BadTablesAreAnswered) {
  const Scratch scratch;
  const std::string statistics =
      scratch.write("s.csv", "Vaddr,Instruction,Hitcount,Latency,Stall,Idle\n0,s_mov_b32 s0,1,4,0,0\n");
  const std::string other = scratch.write("o.csv", "a,b\n1,2\n");
  const std::string cells =
      scratch.write("c.csv", "Vaddr,Instruction,Hitcount,Latency,Stall,Idle\n0,s_nop 0,1,4,0\n");
  const std::string heading = scratch.write("h.csv", "kernel_name,problem_size,iterations,avg_ms\n");
  EXPECT_EQ(run_wavesmith("validate --data " + other).code, 3);
  EXPECT_EQ(run_wavesmith("validate --data " + heading).code, 3);
  EXPECT_EQ(run_wavesmith("validate --data " + cells).code, 3);
  EXPECT_EQ(run_wavesmith("validate --against " + statistics).code, 3);
  EXPECT_EQ(run_wavesmith("validate --data " + statistics + " --against " + other).code, 3);
  EXPECT_EQ(run_wavesmith("validate --data " + statistics + " --against /nowhere.csv").code, 4);
  EXPECT_EQ(run_wavesmith("validate --data " + statistics + " --gpu nothing").code, 4);
}

}  // namespace
}  // namespace wavesmith::cli
