// Profiling kernels, as a user sees it.
#include <gtest/gtest.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "cli/testing.h"

namespace wavesmith::cli {
namespace {

// A kernel whose workgroups do the same, one whose workgroups loop as often as their number says, and one
// that waits for the workgroup before it.
constexpr const char* kKernels = R"(
#define KERNEL extern "C" __attribute__((global)) void
__attribute__((device)) static unsigned group() { return __builtin_amdgcn_workgroup_id_x(); }
__attribute__((device)) static unsigned id() { return group() * 64 + __builtin_amdgcn_workitem_id_x(); }
KERNEL axpy(const float* x, float* y, float a) { y[id()] += a * x[id()]; }
KERNEL triangle(float* y) {
  float sum = 0;
  for (unsigned i = 0; i < group(); ++i) sum = __builtin_fmaf(sum, 1.5f, y[(i * 64 + id()) & 65535]);
  y[id() & 65535] = sum;
}
KERNEL follow(int* flags) {
  if (group())
    while (!__hip_atomic_load(&flags[group() - 1], __ATOMIC_ACQUIRE, __HIP_MEMORY_SCOPE_AGENT)) __builtin_amdgcn_s_sleep(1);
  __hip_atomic_store(&flags[group()], 1, __ATOMIC_RELEASE, __HIP_MEMORY_SCOPE_AGENT);
}
KERNEL queue(int* next, float* data, int tasks) {
  __attribute__((shared)) static int task;
  for (;;) {
    if (__builtin_amdgcn_workitem_id_x() == 0)
      task = __hip_atomic_fetch_add(next, 1, __ATOMIC_RELAXED, __HIP_MEMORY_SCOPE_AGENT);
    __builtin_amdgcn_s_barrier();
    const int mine = task;
    __builtin_amdgcn_s_barrier();
    if (mine >= tasks) return;
    data[mine * 64 + __builtin_amdgcn_workitem_id_x()] *= 2;
  }
}
KERNEL meet(int* counter, int groups) {
  if (__builtin_amdgcn_workitem_id_x() == 0) {
    __hip_atomic_fetch_add(counter, 1, __ATOMIC_ACQ_REL, __HIP_MEMORY_SCOPE_AGENT);
    while (__hip_atomic_load(counter, __ATOMIC_ACQUIRE, __HIP_MEMORY_SCOPE_AGENT) < groups) {}
  }
}
KERNEL lock(int* mutex, float* sum) {
  if (__builtin_amdgcn_workitem_id_x()) return;
  int free = 0;
  while (!__hip_atomic_compare_exchange_strong(mutex, &free, 1, __ATOMIC_ACQUIRE, __ATOMIC_RELAXED,
                                               __HIP_MEMORY_SCOPE_AGENT))
    free = 0;
  *sum += 1;
  __hip_atomic_store(mutex, 0, __ATOMIC_RELEASE, __HIP_MEMORY_SCOPE_AGENT);
}
)";

class Profile : public testing::Test {
 protected:
  static CommandResult kernel(const std::string& arguments) {
    static const Scratch folder;
    static const std::string object = compiled_kernels(folder, kKernels);
    return run_wavesmith("profile " + object + " " + arguments);
  }
};

TEST_F(Profile, ASummaryOfAKernelIsShort) {
  for (const char* gpu : {"mi300x", "rx7900xtx"}) {
    const CommandResult ran =
        kernel(std::string("--kernel axpy --grid 4096 --block 64 --arg f32[262144]=iota --arg "
                           "f32[262144]=ones --arg f32=2 --gpu ") +
               gpu);
    EXPECT_EQ(ran.code, 0) << ran.err;
    EXPECT_LT(std::count(ran.out.begin(), ran.out.end(), '\n'), 25) << ran.out;
    for (const char* word :
         {"axpy", "[modelled]", "MHz [read], the peak", "bound by", "sampled", "pipes busy"})
      EXPECT_NE(ran.out.find(word), std::string::npos) << ran.out;
  }
}

TEST_F(Profile, JsonHoldsInstructionsStallsAndPipes) {
  const CommandResult ran = kernel(
      "--json --kernel axpy --grid 4096 --block 64 --arg f32[262144]=iota --arg f32[262144]=ones --arg f32=2 "
      "--gpu "
      "mi300x");
  ASSERT_EQ(ran.code, 0) << ran.err;
  const auto json = nlohmann::json::parse(ran.out, nullptr, false);
  ASSERT_TRUE(json.is_object()) << ran.out;
  const auto& axpy = json["kernels"][0];
  EXPECT_EQ(axpy["name"], "axpy");
  EXPECT_GT(axpy["cycles"].get<double>(), 500);
  uint64_t hits = 0, ends = 0;
  for (const auto& one : axpy["instructions"]) {
    hits += one["hits"].get<uint64_t>();
    EXPECT_GE(one["latency"].get<uint64_t>(), one["stall"].get<uint64_t>());
    if (one["text"] == "s_endpgm") ends = one["hits"].get<uint64_t>();
  }
  EXPECT_EQ(hits, axpy["replay"]["instructions"].get<uint64_t>());
  EXPECT_EQ(ends, axpy["replay"]["waves"].get<uint64_t>());
  for (const auto& pipe : axpy["pipes"]) EXPECT_LE(pipe["utilisation"].get<double>(), 1.0);
}

TEST_F(Profile, WorkgroupsThatDifferAreNoticed) {
  const CommandResult ran =
      kernel("--kernel triangle --grid 2000 --block 64 --arg f32[65536]=ones --gpu mi300x");
  EXPECT_EQ(ran.code, 0) << ran.err;
  EXPECT_NE(ran.out.find("different amounts of work"), std::string::npos) << ran.out;
}

TEST_F(Profile, AKernelThatWaitsForOtherWorkgroupsIsRefusedWithTheReason) {
  const CommandResult ran = kernel("--kernel follow --grid 600 --block 64 --arg i32[600]=zeros --gpu mi300x");
  EXPECT_EQ(ran.code, 6) << ran.out << ran.err;
  EXPECT_NE(ran.out.find("waits for another workgroup"), std::string::npos) << ran.out;
}

TEST_F(Profile, ABarrierOfTheWholeGridIsRefused) {
  const CommandResult ran =
      kernel("--kernel meet --grid 500 --block 64 --arg i32[1]=zeros --arg i32=500 --gpu mi300x");
  EXPECT_EQ(ran.code, 6) << ran.out << ran.err;
  EXPECT_NE(ran.out.find("again and again"), std::string::npos) << ran.out;
}

TEST_F(Profile, WorkgroupsThatTakeTheirWorkFromAQueueAreRunWhole) {
  const std::string arguments =
      "--kernel queue --grid 1000 --block 64 --arg i32[1]=zeros --arg f32[640000]=ones "
      "--arg i32=10000 --gpu mi300x --json";
  const CommandResult ran = kernel(arguments);
  ASSERT_EQ(ran.code, 0) << ran.out << ran.err;
  EXPECT_NE(ran.err.find("all of them are run"), std::string::npos) << ran.err;
  const auto json = nlohmann::json::parse(ran.out, nullptr, false);
  // 11,000 passes of some 20 to 40 instructions: not a thousand times what the sampled ones would do alone.
  const double instructions = json["kernels"][0]["wave_instructions"];
  EXPECT_GT(instructions, 11'000 * 10);
  EXPECT_LT(instructions, 11'000 * 60);
}

// Whether a sampled workgroup meets the lock taken depends on the host's threads. If none does, its cost is
// missing from the time, which the profile says; if one does, the sample does not stand for the grid.
TEST_F(Profile, ALockIsPointedOut) {
  const CommandResult ran =
      kernel("--kernel lock --grid 4000 --block 64 --arg i32[1]=zeros --arg f32[1]=zeros --gpu mi300x");
  const bool met = ran.code == 6;
  EXPECT_TRUE(met || ran.code == 0) << ran.code << ran.err;
  EXPECT_NE(ran.out.find(met ? "asks for the same memory again and again" : "compares and swaps memory"),
            std::string::npos)
      << ran.out;
}

TEST_F(Profile, ALaterLaunchFindsTheCachesWarm) {
  const auto cycles_of = [](const std::string& launches) {
    const CommandResult ran = kernel(
        "--json --kernel axpy --grid 4096 --block 64 --arg f32[262144]=iota --arg f32[262144]=ones --arg f32=2 "
        "--gpu mi300x --launches " +
        launches);
    EXPECT_EQ(ran.code, 0) << ran.err;
    const auto json = nlohmann::json::parse(ran.out, nullptr, false);
    EXPECT_EQ(json["kernels"][0]["launches"].dump(), launches);
    return json["kernels"][0]["cycles"].get<double>();
  };
  EXPECT_LT(cycles_of("2"), cycles_of("1"));
}

TEST_F(Profile, StatisticsHaveTheColumnsOfAThreadTrace) {
  const Scratch scratch;
  const std::string path = scratch / "statistics.csv";
  const CommandResult ran = kernel(
      "--kernel axpy --grid 4096 --block 64 --arg f32[262144]=iota --arg f32[262144]=ones --arg f32=2 --gpu "
      "mi300x "
      "--statistics " +
      path);
  EXPECT_EQ(ran.code, 0) << ran.err;
  const std::string csv = slurp(path);
  EXPECT_TRUE(csv.starts_with("CodeObj,Vaddr,Instruction,Hitcount,Latency,Stall,Idle,Source\n1,0,\"")) << csv;
  EXPECT_NE(csv.find("\"s_endpgm\""), std::string::npos) << csv;
}

TEST_F(Profile, BadInputIsAnswered) {
  EXPECT_EQ(run_wavesmith("profile").code, 3);
  EXPECT_EQ(run_wavesmith("profile /nowhere.co").code, 4);
  EXPECT_EQ(run_wavesmith("profile --gpu nothing -- true").code, 4);
  EXPECT_EQ(run_wavesmith("profile -- true").code, 6);
  EXPECT_EQ(run_wavesmith("profile -- /nowhere/at/all").code, 127);
}

}  // namespace
}  // namespace wavesmith::cli
