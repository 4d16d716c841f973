#include "toolchain/hipcc.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>

#include "base/scratch.h"

namespace wavesmith::toolchain {
namespace {

using Language = Arguments::Language;

TEST(HipccArguments, SourcesAreHipUnlessTheyAreC) {
  const Arguments got = *parse_arguments(
      {"a.cpp", "b.c", "c.hip", "d.o", "-x", "hip", "e.txt", "-x", "none", "f.a", "-xc++", "g"});
  std::vector<Language> languages;
  for (const auto& input : got.inputs) languages.push_back(input.language);
  EXPECT_EQ(languages, (std::vector{Language::Hip, Language::C, Language::Hip, Language::Other, Language::Hip,
                                    Language::Other, Language::Cxx}));
}

TEST(HipccArguments, TargetsComeInAllSpellings) {
  const Arguments got = *parse_arguments(
      {"--offload-arch=gfx942,gfx90a:xnack+", "--offload-arch", "gfx1100", "--amdgpu-target=gfx950"});
  EXPECT_EQ(got.targets, (std::vector<std::string>{"gfx942", "gfx90a:xnack+", "gfx1100", "gfx950"}));
  EXPECT_FALSE(parse_arguments({"--offload-arch=x86"}));
}

TEST(HipccArguments, WhatIsForTheLinkerIsNotGivenToTheCompiler) {
  const Arguments got = *parse_arguments({"-L/x", "-lfoo", "-L", "/y", "-Wl,-z,now", "-shared", "-fPIC",
                                          "-O3", "-DA", "-I", "inc", "-Xlinker", "-E", "a.cpp"});
  EXPECT_EQ(got.link, (std::vector<std::string>{"-L/x", "-lfoo", "-L", "/y", "-Wl,-z,now", "-shared",
                                                "-Xlinker", "-E"}));
  EXPECT_EQ(got.common, (std::vector<std::string>{"-fPIC", "-O3"}));
  EXPECT_EQ(got.compile, (std::vector<std::string>{"-DA", "-I", "inc"}));
  EXPECT_TRUE(got.mode.empty());
}

TEST(HipccArguments, HeadersThatAnEarlierCallNamedDoNotComeBackAsTheProgramsOwn) {
  const Arguments got = *parse_arguments({"-I" + cache_folder() + "/hip-7.1-x/include", "-I/own", "a.cpp"});
  EXPECT_EQ(got.compile, (std::vector<std::string>{"-I/own"}));
}

TEST(HipccArguments, ModesAndHipccsOwnOptions) {
  EXPECT_EQ(parse_arguments({"--genco", "a.hip"})->mode, "--genco");
  EXPECT_EQ(parse_arguments({"-c", "-fgpu-rdc", "a.hip"})->mode, "-c");
  EXPECT_TRUE(parse_arguments({"-c", "-fgpu-rdc", "a.hip"})->device_code_separate);
  EXPECT_EQ(parse_arguments({"-use_fast_math"})->compile, (std::vector<std::string>{"-ffast-math"}));
  EXPECT_EQ(parse_arguments({"-oout"})->output, "out");
  for (const char* last : {"-o", "-x", "-I", "-L", "--offload-arch"})
    EXPECT_FALSE(parse_arguments({last})) << last;
}

TEST(HipccArguments, WhatIsNotSaidToBeOptimisedIsOptimisedAsHipccDoes) {
  using Words = std::vector<std::string>;
  EXPECT_EQ(parse_arguments({"a.hip"})->common, (Words{"-O3"}));
  EXPECT_EQ(parse_arguments({"-g", "a.hip", "-DO=2"})->common, (Words{"-g", "-O3"}));
  for (const char* level : {"-O", "-O0", "-O1", "-O3", "-Os", "-Ofast"})
    EXPECT_EQ(parse_arguments({level, "a.hip"})->common, (Words{level}));
}

class Folder {
 public:
  std::string write(const std::string& name, const std::string& text) {
    std::filesystem::create_directories((path_ / name).parent_path());
    std::ofstream(path_ / name) << text;
    return (path_ / name).string();
  }
  std::string operator/(const std::string& name) const { return (path_ / name).string(); }

 private:
  const Scratch path_{"hipcc"};
};

TEST(HipccHeaders, TheFirstSetThatHasWhatTheProgramIncludesIsTaken) {
  Folder folder;
  for (const char* name :
       {"new/hip/hip_runtime.h", "full/hip/hip_runtime.h", "full/hip/hip_fp16.h", "full/rocprim/rocprim.hpp"})
    folder.write(name, "");
  Toolchain tools;
  tools.headers = {{Headers::Origin::Triton, folder / "new", 7},
                   {Headers::Origin::TensorFlow, folder / "full", 6}};
  auto chosen = [&](const std::string& source) {
    const Arguments arguments = *parse_arguments({folder.write("main.hip", source)});
    return choose_headers(tools, arguments)->major;
  };
  folder.write("kernels.h", "#include <hip/hip_fp16.h>\n#include \"main.hip\"\n");
  EXPECT_EQ(chosen("#include <hip/hip_runtime.h>\n"), 7);
  EXPECT_EQ(chosen("#include <hip/hip_runtime.h>\n#include <rocprim/rocprim.hpp>\n"), 6);
  EXPECT_EQ(chosen("#include \"kernels.h\"\n"), 6);
  folder.write("deep/angled.h", "#include <rocprim/rocprim.hpp>\n");
  const Arguments searched =
      *parse_arguments({"-I", folder / "deep", folder.write("angled.hip", "#include <angled.h>\n")});
  EXPECT_EQ(choose_headers(tools, searched)->major, 6);
  // Nor do HIP headers of one's own count for what they would include on another machine.
  folder.write("hip6/hip/hip_runtime_api.h", "#include <rocprim/rocprim.hpp>\n");
  const std::string includes = "#include <hip/hip_runtime_api.h>\n";
  const Arguments brought = *parse_arguments({"-I", folder / "hip6", folder.write("brought.hip", includes)});
  EXPECT_EQ(choose_headers(tools, brought)->major, 7);
  const Arguments lacking = *parse_arguments(
      {folder.write("lacking.hip", "#include <hipcub/hipcub.hpp>\n#include <hip/hip_fp16.h>\n")});
  EXPECT_EQ(missing_headers(tools, lacking), (std::vector<std::string>{"hipcub/hipcub.hpp"}));
  EXPECT_EQ(chosen("#include <hip/of_no_set.h>\n"), 7);
  EXPECT_EQ(chosen("int x;\n"), 7);
}

TEST(HipccPlan, WithoutHeadersAndLibrariesNoneAreSearched) {
  Folder folder;
  Toolchain tools;
  tools.clang = "/bin/true";
  tools.lld = tools.bundler = "/bin/true";
  setenv("WAVESMITH_CACHE", (folder / "cache").c_str(), 1);
  const Arguments arguments = *parse_arguments({folder.write("a.hip", ""), "-o", "a"});
  const Result<Plan> steps = plan(tools, arguments, "gfx942");
  ASSERT_TRUE(steps) << steps.error().text();
  ASSERT_EQ(steps->commands.size(), 2u);
  const std::string compile = quoted(steps->commands[0]);
  EXPECT_NE(compile.find("-nogpulib"), compile.npos);
  EXPECT_NE(compile.find("-nogpuinc"), compile.npos);
  tools.lld.clear();
  EXPECT_FALSE(plan(tools, arguments, "gfx942"));
  tools.clang.clear();
  EXPECT_FALSE(plan(tools, arguments, "gfx942"));
}

TEST(HipccPlan, ProgramsAreLinkedWithTheCompilersBuiltins) {
  Folder folder;
  Toolchain tools;
  tools.clang = tools.lld = tools.bundler = "/bin/true";
  tools.builtins = "/clang/libclang_rt.builtins-x86_64.a";
  setenv("WAVESMITH_CACHE", (folder / "cache").c_str(), 1);
  const Result<Plan> steps = plan(tools, *parse_arguments({folder.write("a.hip", ""), "-lm"}), "gfx942");
  ASSERT_TRUE(steps) << steps.error().text();
  ASSERT_EQ(steps->commands.size(), 2u);
  EXPECT_EQ(steps->commands[0].end(),
            std::find(steps->commands[0].begin(), steps->commands[0].end(), tools.builtins));
  EXPECT_EQ(steps->commands[1].back(), tools.builtins);
}

TEST(HipccPlan, BitcodeOfTheDeviceIsCompiledOnly) {
  Folder folder;
  Toolchain tools;
  tools.clang = tools.lld = tools.bundler = "/bin/true";
  setenv("WAVESMITH_CACHE", (folder / "cache").c_str(), 1);
  const std::string source = folder.write("a.hip", "");
  auto times = [&](std::vector<std::string> words, const std::string& wanted) {
    words.push_back(source);
    const Result<Plan> steps = plan(tools, *parse_arguments(words), "gfx942");
    return std::count(steps->commands.at(0).begin(), steps->commands.at(0).end(), wanted);
  };
  EXPECT_EQ(times({"--cuda-device-only", "-c", "-emit-llvm"}, "-c"), 1);
  EXPECT_EQ(times({"--cuda-device-only", "-S", "-emit-llvm"}, "-c"), 0);
  EXPECT_EQ(times({"--cuda-device-only", "-S", "-emit-llvm"}, "-S"), 1);
  EXPECT_EQ(times({"--cuda-device-only", "-c"}, "-c"), 0);  // a code object
}

TEST(Process, TellsExitCodesAndOutput) {
  EXPECT_EQ(run({"sh", "-c", "echo hello; exit 3"}, true)->code, 3);
  EXPECT_EQ(run({"sh", "-c", "echo hello; exit 3"}, true)->output, "hello\n");
  EXPECT_EQ(run({"sh", "-c", "kill -9 $$"}, true)->code, 137);
  EXPECT_FALSE(run({"/no/such/program"}));
  EXPECT_EQ(quoted({"a", "b c", "it's", ""}), "a 'b c' 'it'\\''s' ''");
}

}  // namespace
}  // namespace wavesmith::toolchain
