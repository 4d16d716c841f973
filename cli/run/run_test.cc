// Running programs and kernels, as a user sees it. Kernels are compiled here, with no headers.
#include <gtest/gtest.h>

#include <cstring>
#include <nlohmann/json.hpp>

#include "cli/testing.h"
#include "study/npy.h"

namespace wavesmith::cli {
namespace {

// y += a * x, twice the work-items of a plain kernel, and ones that go wrong.
constexpr const char* kKernels = R"(
#define KERNEL extern "C" __attribute__((global)) void
struct dim3 { unsigned x, y, z; };
extern "C" int hipLaunchKernel(const void*, dim3, dim3, void**, unsigned long, void*);
extern "C" unsigned __hipPushCallConfiguration(dim3, dim3, unsigned long, void*);
extern "C" int __hipPopCallConfiguration(dim3*, dim3*, unsigned long*, void*);
__attribute__((device)) static unsigned id() {
  return __builtin_amdgcn_workgroup_id_x() * 64 + __builtin_amdgcn_workitem_id_x();
}
KERNEL axpy(const float* x, float* y, float a, int n) { if (id() < n) y[id()] += a * x[id()]; }
KERNEL stray(int* p) { p[(unsigned long)id() << 40] = 1; }
KERNEL beyond(int* p) { p[2048 + id()] = 1; }
KERNEL forever(int* p) { while (1) __atomic_fetch_add(p, 1, __ATOMIC_RELAXED); }
)";

class Run : public testing::Test {
 protected:
  /// The kernels for gfx942 and gfx1100, compiled once.
  static const std::string& kernels() {
    static const Scratch folder;
    static const std::string path = compiled_kernels(folder, kKernels, "-g");
    return path;
  }
  static CommandResult kernel(const std::string& arguments) {
    return run_wavesmith("run " + kernels() + " " + arguments);
  }
  Scratch scratch_;
};

TEST_F(Run, AProgramAndItsChildrenSeeTheKernelDriversFilesAndARocmFolder) {
  if (WAVESMITH_CROSS) GTEST_SKIP() << "the host's programs cannot load this library";
  const std::string cache =
      "env -u ROCM_PATH WAVESMITH_CACHE=" + (scratch_ / "cache") + " WAVESMITH_MACHINE=";
  const std::string look =
      "run --gpu mi300x:2 -- sh -c 'ls /sys/class/kfd/kfd/topology/nodes; cat $ROCM_PATH/.info/version'";
  const CommandResult shown = run_wavesmith(look, cache + "1");
  EXPECT_EQ(shown.out.substr(0, 8), "0\n1\n2\n7.") << shown.err;
  const CommandResult hidden = run_wavesmith("run -- sh -c 'echo $WAVESMITH_MACHINE_ROOT'", cache + "0");
  EXPECT_EQ(hidden.out, "\n") << hidden.err;
  const CommandResult sanitized =
      run_wavesmith("run -- sh -c 'echo $ASAN_OPTIONS'", cache + "1 ASAN_OPTIONS=detect_leaks=0");
  EXPECT_EQ(sanitized.out, "detect_leaks=0:verify_asan_link_order=0\n") << sanitized.err;
  // What the user preloads stays, and stays first.
  const char* const before = std::getenv("LD_PRELOAD");  // a sanitizer's
  const std::string own = (before ? std::string(before) + ":" : "") + "libc.so.6";
  const CommandResult both = run_wavesmith("run -- sh -c 'echo $LD_PRELOAD'", cache + "1 LD_PRELOAD=" + own);
  EXPECT_EQ(both.out.substr(0, own.size() + 1), own + ":") << both.err;
}

TEST_F(Run, AProgramFindsThisCompilerAsHipcc) {
  const std::string cache = "env -u ROCM_PATH WAVESMITH_CACHE=" + (scratch_ / "cache");
  const CommandResult ran =
      run_wavesmith("run -- sh -c 'hipcc --help; dirname $(command -v hipcc); echo $ROCM_PATH'", cache);
  EXPECT_NE(ran.out.find("wavesmith cc"), std::string::npos) << ran.out << ran.err;
  const size_t end = ran.out.find_last_of('\n', ran.out.size() - 2),
               start = ran.out.find_last_of('\n', end - 1);
  EXPECT_EQ(ran.out.substr(start + 1, end - start - 1),
            ran.out.substr(end + 1, ran.out.size() - end - 2) + "/bin");
}

TEST_F(Run, AFolderThatCannotBeWrittenIsSaidAndTheProgramRuns) {
  const CommandResult ran =
      run_wavesmith("run -- echo done", "env -u ROCM_PATH WAVESMITH_MACHINE=1 WAVESMITH_CACHE=/proc/none");
  EXPECT_EQ(ran.out, "done\n");
  EXPECT_NE(ran.err.find("WAVESMITH_CACHE"), std::string::npos) << ran.err;
}

TEST_F(Run, TheEnvironmentIsPrintedForShellsAndAsJson) {
  const std::string cache = "env -u ROCM_PATH WAVESMITH_CACHE=" + (scratch_ / "cache");
  const CommandResult shell = run_wavesmith("env --gpu mi210:2", cache),
                      json = run_wavesmith("env --gpu mi210:2 --json", cache);
  EXPECT_NE(shell.out.find("export WAVESMITH_GPU='mi210:2'\n"), std::string::npos) << shell.err;
  const auto parsed = nlohmann::json::parse(json.out, nullptr, false);
  ASSERT_TRUE(parsed.is_object()) << json.out << json.err;
  EXPECT_EQ(parsed["WAVESMITH_GPU"], "mi210:2");
  EXPECT_TRUE(parsed.contains("ROCM_PATH"));
  EXPECT_EQ(run_wavesmith("env --gpu mi999", cache).code, 4);
}

TEST_F(Run, AKernelComputesOnBothTargetsOfTheBundle) {
  for (const char* gpu : {"mi300x", "rx7900xtx"}) {
    const std::string out = scratch_ / "y.npy";
    const CommandResult ran =
        kernel("--gpu " + std::string(gpu) +
               " --kernel axpy --grid 3 --block 64 --arg 'f32[130]=iota' --arg 'f32[130]=1' " +
               "--arg f32=2 --arg i32=130 --print 1:4 --dump 1=" + out);
    ASSERT_EQ(ran.code, 0) << ran.err;
    EXPECT_EQ(ran.out, "1: 1 3 5 7 ...\n");
    const Result<study::Npy> y = study::read_npy(out);
    ASSERT_TRUE(y);
    float last = 0;
    std::memcpy(&last, y->bytes.data() + 129 * 4, 4);
    EXPECT_EQ(last, 259);
  }
}

TEST_F(Run, ResultsAreComparedAndADifferenceIsExit1) {
  const std::string common =
      "--kernel axpy --grid 1 --block 64 --arg 'f32[64]=2' --arg 'f32[64]=1' --arg f32=2 --arg i32=64 ";
  EXPECT_EQ(kernel(common + "--expect 1=5").code, 0);
  EXPECT_EQ(kernel(common + "--expect 1=5.01 --rtol 0.01").code, 0);
  const CommandResult wrong = kernel(common + "--expect 1=5.5 --json");
  EXPECT_EQ(wrong.code, 1);
  const auto json = nlohmann::json::parse(wrong.out);
  EXPECT_EQ(json["same"], false);
  EXPECT_EQ(json["compared"][0]["different"], 64);
  EXPECT_EQ(json["compared"][0]["max_abs_error"], 0.5);
}

TEST_F(Run, IntegersAreComparedExactlyUnlessAToleranceIsGiven) {
  const std::string common =  // of no elements: the buffers stay as they are
      "--kernel axpy --arg null --arg 'i64[4]=9007199254740992' --arg f32=1 --arg i32=0 --expect ";
  EXPECT_EQ(kernel(common + "1=9007199254740992").code, 0);
  const CommandResult wrong = kernel(common + "1=9007199254740993");
  EXPECT_EQ(wrong.code, 1);
  EXPECT_NE(wrong.out.find("9007199254740992, expected 9007199254740993; largest error 1\n"),
            std::string::npos)
      << wrong.out;
  EXPECT_EQ(kernel(common + "1=9007199254740993 --atol 1").code, 0);
}

TEST_F(Run, WrongArgumentsAreNamedBeforeAnythingRuns) {
  const std::pair<const char*, int> cases[] = {
      {"--kernel axpy --arg null", 3},
      {"--kernel nothing", 4},
      {"", 3},  // several kernels
      {"--kernel stray --arg f32=1", 3},
      {"--kernel stray --arg 'f32[x]=1'", 3},
      {"--kernel stray --arg 'f99[4]=1'", 3},
      {"--kernel stray --arg 'i8[4]=300'", 3},
      {"--kernel stray --arg 'i32[4]=zeros' --grid 0", 3},
      {"--kernel stray --arg 'i32[4]=zeros' --grid 1,2,3,4", 3},
      {"--kernel stray --arg 'i32[4]=zeros' --print 1", 3},
      {"--kernel stray --arg nowhere.npy", 4},
      {"--kernel stray --gpu mi999 --arg null", 4},
      {"--kernel stray --gpu mi210 --arg null", 5},
      {"--kernel stray --arg 'u8[999999999999]=zeros'", 7},
  };
  for (const auto& [arguments, code] : cases) {
    const CommandResult ran = kernel(arguments);
    EXPECT_EQ(ran.code, code) << arguments << "\n" << ran.err;
    EXPECT_TRUE(ran.err.starts_with("wavesmith: ")) << arguments << "\n" << ran.err;
  }
}

TEST_F(Run, AStrayAccessIsExit8AndNamesTheKernel) {
  const CommandResult ran = kernel("--kernel stray --grid 1 --block 64 --arg 'i32[4]=zeros'");
  EXPECT_EQ(ran.code, 8) << ran.err;
  EXPECT_NE(ran.err.find("kernel 'stray'"), ran.err.npos);
  EXPECT_NE(ran.err.find("kernels.hip:11"), ran.err.npos) << "the line\n" << ran.err;
}

TEST_F(Run, WithoutGuardsAnAccessJustPastABufferPassesUnnoticed) {
  const std::string arguments = "--kernel beyond --grid 1 --block 64 --arg 'i32[1024]=zeros'";
  EXPECT_EQ(kernel(arguments).code, 8);
  EXPECT_EQ(kernel(arguments + " --no-guard").code, 0);
}

TEST_F(Run, AnEndlessKernelIsStoppedWithExit9) {
  const std::string common = "--kernel forever --grid 1 --block 64 --arg 'i32[1]=zeros' ";
  EXPECT_EQ(kernel(common + "--max-instructions 100000").code, 9);
  EXPECT_EQ(kernel(common + "--timeout 0.2").code, 9);
}

TEST_F(Run, FilesThatAreNoCodeAreErrors) {
  const std::string good = slurp(kernels());
  EXPECT_EQ(run_wavesmith("run " + (scratch_ / "nothing.co")).code, 4);
  EXPECT_EQ(run_wavesmith("run " + scratch_.write("empty.co", "")).code, 3);
  EXPECT_EQ(run_wavesmith("run " + scratch_.write("text.co", "hello")).code, 3);
  EXPECT_EQ(
      run_wavesmith("run " + scratch_.write("half.co", good.substr(0, good.size() / 2)) + " --kernel axpy")
          .code,
      3);
}

TEST_F(Run, AProgramGetsTheLibraryAndTheMachine) {
  const CommandResult ran = run_wavesmith(
      "run --gpu mi300x:2,mi210 --set compute.units=8 --threads 3 --timeout 5 --torch-cuda -- sh -c 'echo "
      "$WAVESMITH_GPU $WAVESMITH_THREADS $WAVESMITH_TIMEOUT $WAVESMITH_TORCH $LD_LIBRARY_PATH; exit 7'");
  EXPECT_EQ(ran.code, 7);
  EXPECT_TRUE(ran.out.starts_with("mi300x+compute.units=8:2,mi210+compute.units=8 3 5 cuda /")) << ran.out;
  EXPECT_EQ(run_wavesmith("run -- /no/such/program").code, 127);
  EXPECT_EQ(run_wavesmith("run --report -- /no/such/program").code, 127);
  EXPECT_EQ(run_wavesmith("run").code, 2);
  EXPECT_EQ(run_wavesmith("run --gpu nothing -- true").code, 4);
  const CommandResult wrong = run_wavesmith("run --set l2.size=8MHz -- true");
  EXPECT_EQ(wrong.code, 3);
  EXPECT_NE(wrong.err.find("units of cache.l2_bytes are"), wrong.err.npos) << wrong.err;
}

TEST_F(Run, AReportSaysWhatRan) {
  const CommandResult ran = kernel(
      "--report --json --kernel axpy --grid 3 --block 64 --arg 'f32[130]=iota' --arg 'f32[130]=1' --arg "
      "f32=2 --arg i32=130");
  ASSERT_EQ(ran.code, 0) << ran.err;
  // The kernel's own process prints first.
  const auto json = nlohmann::json::parse(
      ran.out.substr(ran.out.find("\n{") == ran.out.npos ? ran.out.find('{') : ran.out.find("\n{")));
  EXPECT_EQ(json["total"]["waves"], 3);
  EXPECT_EQ(json["kernels"][0]["name"], "axpy");
  const CommandResult text = run_wavesmith("run --report -- true");
  EXPECT_EQ(text.code, 0);
  EXPECT_NE(text.err.find("no kernel"), text.err.npos);
}

}  // namespace
}  // namespace wavesmith::cli
