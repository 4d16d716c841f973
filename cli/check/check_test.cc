// Checking kernels, as a user sees it.
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "cli/testing.h"

namespace wavesmith::cli {
namespace {

// One whose first wave misses a barrier, the same put right, one whose result depends on which workgroup
// comes first, and one that waits for what nobody writes.
constexpr const char* kKernels = R"(
#define KERNEL extern "C" __attribute__((global)) void
KERNEL misses(int* x) {
  if (__builtin_amdgcn_readfirstlane(__builtin_amdgcn_workitem_id_x()) == 0) return;
  __builtin_amdgcn_s_barrier();
  x[__builtin_amdgcn_workitem_id_x()] = 1;
}
KERNEL meets(int* x) {
  __builtin_amdgcn_s_barrier();
  x[__builtin_amdgcn_workitem_id_x()] = 1;
}
KERNEL first(int* x) {
  if (__builtin_amdgcn_workitem_id_x()) return;
  const int at = __hip_atomic_fetch_add(x, 1, __ATOMIC_RELAXED, __HIP_MEMORY_SCOPE_AGENT);
  x[1 + at] = __builtin_amdgcn_workgroup_id_x();
}
KERNEL waits(int* x) {
  while (__hip_atomic_load(x, __ATOMIC_RELAXED, __HIP_MEMORY_SCOPE_AGENT) == 0) __builtin_amdgcn_s_sleep(1);
}
)";

class Check : public testing::Test {
 protected:
  static CommandResult kernel(const std::string& arguments) {
    static const Scratch scratch;
    static const std::string object = compiled_kernels(scratch, kKernels, "-g");
    return run_wavesmith(
        fmt::format("check --checks sync --gpu mi300x {} {} --block 128 ", object, arguments));
  }
};

TEST_F(Check, TellsWhatIsWrongAndWhere) {
  const CommandResult ran = kernel("--kernel misses --arg i32[128]=0");
  EXPECT_EQ(ran.code, 1) << ran.err;
  EXPECT_NE(ran.err.find("warning [sync/barrier-without-all]: a barrier is complete without wave 0"),
            std::string::npos)
      << ran.err;
  EXPECT_NE(ran.err.find("kernels.hip:5"), std::string::npos) << ran.err;
  EXPECT_NE(ran.err.find("1 finding in 1 launch (sync)"), std::string::npos) << ran.err;
}

TEST_F(Check, TellsThatNothingIsWrong) {
  const CommandResult ran = kernel("--kernel meets --arg i32[128]=0");
  EXPECT_EQ(ran.code, 0) << ran.err;
  EXPECT_NE(ran.err.find("nothing found in 1 launch (sync)"), std::string::npos) << ran.err;
}

TEST_F(Check, WritesJsonAndSarifAndTakesWhatIsAccepted) {
  const Scratch scratch;
  const std::string misses = "--kernel misses --arg i32[128]=0 ";
  const CommandResult json = kernel(misses + "--json --sarif " + (scratch / "out.sarif"));
  EXPECT_EQ(json.code, 1);
  EXPECT_EQ(nlohmann::json::parse(json.out)["findings"][0]["rule"], "barrier-without-all");
  EXPECT_EQ(nlohmann::json::parse(slurp(scratch / "out.sarif"))["runs"][0]["results"].size(), 1u);

  const std::string known = scratch.write("known.json", json.out);
  const CommandResult again = kernel(misses + "--baseline " + known);
  EXPECT_EQ(again.code, 0) << again.err;
  EXPECT_NE(again.err.find("1 known from"), std::string::npos) << again.err;

  const std::string reasons =
      scratch.write("reasons.toml",
                    "[[suppress]]\nreason = \"the wave has no work\"\nkernel = \"misses\"\n"
                    "[[suppress]]\nreason = \"long gone\"\nkernel = \"other\"\n");
  const CommandResult accepted = kernel(misses + "--suppress " + reasons);
  EXPECT_EQ(accepted.code, 0) << accepted.err;
  EXPECT_NE(accepted.err.find("1 suppressed by"), std::string::npos) << accepted.err;
  EXPECT_NE(accepted.err.find("reasons.toml:4 suppresses nothing: long gone"), std::string::npos)
      << accepted.err;

  const CommandResult wrong = kernel(misses + "--suppress " + scratch.write("wrong.toml", "[[suppress]]\n"));
  EXPECT_EQ(wrong.code, 3);
  EXPECT_NE(wrong.err.find("wrong.toml:1"), std::string::npos) << wrong.err;
}

TEST_F(Check, TriesOtherOrders) {
  const CommandResult depends = kernel("--kernel first --grid 8 --arg i32[9]=0 --orders 3");
  EXPECT_EQ(depends.code, 1) << depends.err;
  EXPECT_NE(depends.err.find("[race/order-dependent]"), std::string::npos) << depends.err;
  const CommandResult same = kernel("--kernel meets --grid 8 --arg i32[128]=0 --orders 3");
  EXPECT_EQ(same.code, 0) << same.err;
  EXPECT_NE(same.err.find("0 of 3 other orders"), std::string::npos) << same.err;
}

TEST_F(Check, TellsWhatAKernelThatDoesNotEndWaitsFor) {
  const CommandResult ran = kernel("--kernel waits --arg i32[1]=0 --max-instructions 100000");
  EXPECT_EQ(ran.code, 1) << ran.err;
  EXPECT_NE(ran.err.find("[sync/no-progress]"), std::string::npos) << ran.err;
  EXPECT_NE(ran.err.find("was looking at memory"), std::string::npos) << ran.err;
}

TEST(CheckCommand, TellsWhatWasFoundWhenASignalEndsTheProgram) {
  if (WAVESMITH_CROSS) GTEST_SKIP() << "the host's programs cannot load this library";
  // The kernel says when its barrier is behind it, which its first wave missed, and never ends.
  const Scratch scratch;
  const std::string source = scratch.write("ended.hip", R"(
struct dim3 { unsigned x, y, z; };
extern "C" int hipLaunchKernel(const void*, dim3, dim3, void**, unsigned long, void*);
extern "C" unsigned __hipPushCallConfiguration(dim3, dim3, unsigned long, void*);
extern "C" int __hipPopCallConfiguration(dim3*, dim3*, unsigned long*, void*);
extern "C" int hipHostMalloc(void**, unsigned long, unsigned);
extern "C" int getpid(), kill(int, int), pause();
extern "C" __attribute__((global)) void misses(int* x) {
  if (__builtin_amdgcn_readfirstlane(__builtin_amdgcn_workitem_id_x()) == 0) return;
  __builtin_amdgcn_s_barrier();
  __hip_atomic_store(x, 1, __ATOMIC_RELAXED, __HIP_MEMORY_SCOPE_SYSTEM);
  while (__hip_atomic_load(x, __ATOMIC_RELAXED, __HIP_MEMORY_SCOPE_SYSTEM) == 1) __builtin_amdgcn_s_sleep(1);
}
int main() {
  int* x;
  if (hipHostMalloc(reinterpret_cast<void**>(&x), sizeof *x, 0)) return 2;
  *x = 0;
  void* arguments[] = {&x};
  hipLaunchKernel(reinterpret_cast<const void*>(misses), dim3{1, 1, 1}, dim3{128, 1, 1}, arguments, 0, nullptr);
  while (__atomic_load_n(x, __ATOMIC_RELAXED) == 0) {}
  kill(getpid(), 15);
  kill(getpid(), 15);  // as `timeout` and the process that passes it on do
  for (;;) pause();
}
)");
  const std::string program = scratch / "ended";
  const CommandResult built = run_wavesmith(
      fmt::format("cc --no-rocm --hip-headers=none -nogpulib --gpu=mi300x -O2 {} -o {}", source, program),
      "WAVESMITH_CACHE=" + (scratch / "cache"));
  ASSERT_EQ(built.code, 0) << built.err;
  const CommandResult ran = run_wavesmith("check --checks sync --gpu mi300x -- " + program);
  EXPECT_EQ(ran.code, 1) << ran.err;
  EXPECT_NE(ran.err.find("[sync/barrier-without-all]"), std::string::npos) << ran.err;
  EXPECT_NE(ran.err.find("signal 15 ended the program"), std::string::npos) << ran.err;
  EXPECT_NE(ran.err.find("1 finding in 1 launch"), std::string::npos) << ran.err;
}

TEST(CheckCommand, RefusesWhatItCannotDo) {
  EXPECT_EQ(run_wavesmith("check").code, 3);
  const CommandResult unknown = run_wavesmith("check --checks rice -- true");
  EXPECT_EQ(unknown.code, 3);
  EXPECT_NE(unknown.err.find("no checker 'rice'"), std::string::npos) << unknown.err;
  EXPECT_NE(unknown.err.find("there are memory, race"), std::string::npos) << unknown.err;
  const CommandResult none = run_wavesmith("check -- true");
  EXPECT_EQ(none.code, 6);
  EXPECT_NE(none.err.find("launched no kernel"), std::string::npos) << none.err;
  EXPECT_NE(run_wavesmith("check --help").out.find("not seen:"), std::string::npos);
}

}  // namespace
}  // namespace wavesmith::cli
