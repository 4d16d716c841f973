// Compiling, up to the object: what links needs the runtime and is tested with it.
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "cli/testing.h"

namespace wavesmith::cli {
namespace {

// Needs no header at all.
constexpr const char* kBare = R"(
struct dim3 { unsigned x, y, z; };
extern "C" int hipLaunchKernel(const void*, dim3, dim3, void**, unsigned long, void*);
extern "C" unsigned __hipPushCallConfiguration(dim3, dim3, unsigned long, void*);
extern "C" int __hipPopCallConfiguration(dim3*, dim3*, unsigned long*, void*);
__attribute__((global)) void twice(float* p) { p[__builtin_amdgcn_workitem_id_x()] *= 2; }
)";

class Cc : public testing::Test {
 protected:
  /// One cache for all tests: filling it takes the compiler a while.
  static std::string cache() {
    static const Scratch folder;
    return "WAVESMITH_CACHE=" + (folder / "cache");
  }
  static CommandResult cc(const std::string& arguments) {
    return run_wavesmith("cc --no-rocm " + arguments, cache());
  }
  Scratch scratch_;
};

TEST_F(Cc, CompilesWithNoHeadersAndNoLibrariesAtAll) {
  const std::string source = scratch_.write("bare.hip", kBare), object = scratch_ / "bare.o";
  const CommandResult ran = cc("--hip-headers=none -nogpulib -c " + source + " -o " + object);
  EXPECT_EQ(ran.code, 0) << ran.err;
  EXPECT_TRUE(slurp(object).starts_with("\177ELF"));
}

TEST_F(Cc, GencoMakesABundleForTheTargetAskedFor) {
  const std::string source = scratch_.write("bare.hip", kBare), object = scratch_ / "bare.co";
  const CommandResult ran =
      cc("--genco --hip-headers=none -nogpulib --offload-arch=gfx1100 --offload-arch=gfx90a:xnack- " +
         source + " -o " + object);
  ASSERT_EQ(ran.code, 0) << ran.err;
  const std::string bundle = slurp(object);
  EXPECT_TRUE(bundle.starts_with("__CLANG_OFFLOAD_BUNDLE__"));
  EXPECT_NE(bundle.find("gfx1100"), bundle.npos);
  EXPECT_NE(bundle.find("gfx90a:xnack-"), bundle.npos);
}

TEST_F(Cc, CompilesForEveryTargetWithTheHeadersOfThisMachine) {
  const CommandResult doctor = cc("--doctor --json");
  const auto found = nlohmann::json::parse(doctor.out);
  if (found["headers"].empty()) GTEST_SKIP() << "no HIP headers on this machine";
  EXPECT_EQ(doctor.code, 0);
  for (const char* target : {"gfx90a", "gfx942", "gfx950", "gfx1100", "gfx1151", "gfx1201"})
    EXPECT_EQ(found["compiles"][target], "yes") << target;
}

TEST_F(Cc, ShowsWhatItWouldDo) {
  const std::string a = scratch_.write("a.cpp", kBare), b = scratch_.write("b.c", "int b;\n");
  const CommandResult ran =
      cc("--show -O3 -fopenmp -DX=\"1 2\" " + a + " " + b + " -lm -o " + (scratch_ / "app"));
  ASSERT_EQ(ran.code, 0) << ran.err;
  std::istringstream lines(ran.out);
  std::string first, second, third, none;
  std::getline(lines, first), std::getline(lines, second), std::getline(lines, third);
  EXPECT_NE(first.find("-x hip"), first.npos);
  EXPECT_NE(first.find("--offload-arch=gfx942"), first.npos);
  EXPECT_NE(first.find("'-DX=1 2'"), first.npos);
  EXPECT_NE(second.find("-x c "), second.npos);
  EXPECT_EQ(second.find("--offload-arch"), second.npos);
  EXPECT_NE(third.find("-lm"), third.npos);
  EXPECT_NE(third.find("-l:libamdhip64.so.7"), third.npos);
  EXPECT_EQ(third.find("--offload-arch"), third.npos) << "clang would ask for OpenMP's offloading runtime";
  EXPECT_FALSE(std::getline(lines, none));
}

TEST_F(Cc, SaysWhatOpenMpNeeds) {
  const std::string broken = scratch_.write("a.cpp", "#include <no_such_header.h>\n");
  const bool there = nlohmann::json::parse(cc("--doctor --json").out)["openmp"] != "";
  EXPECT_EQ(cc("-fopenmp -c " + broken).err.find("OpenMP runtime") == std::string::npos, there);
  EXPECT_EQ(cc("-c " + broken).err.find("OpenMP runtime"), std::string::npos);
}

TEST_F(Cc, TheGpuOfTheEnvironmentIsTheTargetUnlessOneIsNamed) {
  const std::string a = scratch_.write("a.hip", kBare);
  auto shown = [&](const std::string& environment, const std::string& options) {
    return run_wavesmith("cc --no-rocm --show -c " + options + " " + a, environment + " " + cache()).out;
  };
  EXPECT_NE(shown("WAVESMITH_GPU=mi355x:2", "").find("--offload-arch=gfx950"), std::string::npos);
  EXPECT_NE(shown("WAVESMITH_GPU=mi355x", "--gpu=rx9070xt").find("--offload-arch=gfx1201"),
            std::string::npos);
  EXPECT_NE(shown("WAVESMITH_GPU=mi355x", "--offload-arch=gfx90a").find("--offload-arch=gfx90a"),
            std::string::npos);
  EXPECT_NE(shown("WAVESMITH_GPU=mi355x", "--offload-arch=native").find("--offload-arch=gfx950"),
            std::string::npos);
}

TEST_F(Cc, TellsTheCompilersVersionAsBuildSystemsAsk) {
  for (const char* option : {"--version", "-v"}) {
    const CommandResult ran = cc(option);
    EXPECT_EQ(ran.code, 0) << option;
    EXPECT_NE(ran.out.find("clang version"), ran.out.npos) << option;
  }
}

TEST_F(Cc, ErrorsAreTheCompilersOrNameWhatIsWrong) {
  EXPECT_EQ(cc((scratch_ / "nothing.hip")).code, 4);
  EXPECT_EQ(cc("--offload-arch=sm_90 x.hip").code, 3);
  EXPECT_EQ(cc("-o").code, 3);
  EXPECT_EQ(cc("--hip-headers=mars x.hip").code, 4);
  const std::string bad = scratch_.write("bad.hip", "this is no program\n");
  const CommandResult ran = cc("-c " + bad + " -o " + (scratch_ / "bad.o"));
  EXPECT_EQ(ran.code, 1);
  EXPECT_NE(ran.err.find("bad.hip:1"), ran.err.npos);
}

TEST_F(Cc, ACacheThatCannotBeWrittenIsNamed) {
  const std::string a = scratch_.write("a.hip", kBare);
  const CommandResult ran = run_wavesmith("cc --no-rocm -c " + a, "WAVESMITH_CACHE=/proc/nowhere");
  EXPECT_EQ(ran.code, 3);
  EXPECT_NE(ran.err.find("WAVESMITH_CACHE"), ran.err.npos);
}

}  // namespace
}  // namespace wavesmith::cli
