#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "cli/testing.h"

namespace wavesmith::cli {
namespace {

constexpr const char* kKernel = R"(
struct dim3 { unsigned x, y, z; };
extern "C" int hipLaunchKernel(const void*, dim3, dim3, void**, unsigned long, void*);
extern "C" unsigned __hipPushCallConfiguration(dim3, dim3, unsigned long, void*);
extern "C" int __hipPopCallConfiguration(dim3*, dim3*, unsigned long*, void*);
extern "C" __attribute__((global)) void square(float* p) {
  p[__builtin_amdgcn_workitem_id_x()] *=
      p[__builtin_amdgcn_workitem_id_x()];
}
)";

class Disasm : public testing::Test {
 protected:
  /// Compiles the kernel with the options given; returns the file.
  static std::string compiled(const std::string& name, const std::string& options) {
    static const Scratch folder;
    const std::string source = folder.write("square.hip", kKernel), object = folder / name;
    const CommandResult ran = run_wavesmith(
        "cc --no-rocm --hip-headers=none -nogpulib -O2 " + options + " " + source + " -o " + object,
        "WAVESMITH_CACHE=" + (folder / "cache"));
    EXPECT_EQ(ran.code, 0) << ran.err;
    return object;
  }
};

TEST_F(Disasm, TakesEveryFormThatGpuCodeComesIn) {
  const std::string target = "--offload-arch=gfx942 --offload-arch=gfx1201 ";
  const std::string forms[] = {compiled("bundle.co", "--genco " + target),
                               compiled("compressed.co", "--genco --offload-compress " + target),
                               compiled("host.o", "-c " + target),
                               compiled("plain.co", "--genco --no-gpu-bundle-output --offload-arch=gfx942")};
  for (const std::string& form : forms) {
    const CommandResult ran = run_wavesmith("disasm --target gfx942 " + form);
    EXPECT_EQ(ran.code, 0) << form << ran.err;
    EXPECT_NE(ran.out.find("\nsquare\n"), ran.out.npos) << form;
    EXPECT_NE(ran.out.find("v_mul_f32_e32"), ran.out.npos) << form;
    EXPECT_NE(ran.out.find("s_endpgm"), ran.out.npos) << form;
    EXPECT_NE(ran.out.find("occupancy 8 of 8"), ran.out.npos) << form;
    EXPECT_EQ(ran.out.find("gfx1201"), ran.out.npos) << form;
  }
}

TEST_F(Disasm, DebugInformationGivesLines) {
  const CommandResult ran =
      run_wavesmith("disasm --json " + compiled("debug.co", "-g --genco --offload-arch=gfx942"));
  ASSERT_EQ(ran.code, 0) << ran.err;
  const auto json = nlohmann::json::parse(ran.out);
  const auto& kernel = json[0]["kernels"][0];
  EXPECT_EQ(kernel["name"], "square");
  EXPECT_EQ(kernel["arguments"][0]["size"], 8);
  bool multiplied = false;
  for (const auto& instruction : kernel["instructions"])
    if (instruction["text"].get<std::string>().starts_with("v_mul_f32"))
      multiplied = instruction["line"].get<std::string>().ends_with("square.hip:7");
  EXPECT_TRUE(multiplied);
}

TEST_F(Disasm, NoPaddingIsShownBehindTheKernel) {
  const CommandResult ran =
      run_wavesmith("disasm --target gfx1201 " + compiled("padded.co", "--genco --offload-arch=gfx1201"));
  ASSERT_EQ(ran.code, 0);
  EXPECT_EQ(ran.out.find("s_code_end"), ran.out.npos);
  EXPECT_TRUE(ran.out.substr(0, ran.out.size() - 1).ends_with("s_endpgm"));
}

TEST_F(Disasm, WhatIsNotThereIsNamed) {
  const std::string file = compiled("one.co", "--genco --offload-arch=gfx942");
  const CommandResult target = run_wavesmith("disasm --target gfx90a " + file);
  EXPECT_EQ(target.code, 5);
  EXPECT_NE(target.err.find("gfx942"), target.err.npos);
  EXPECT_EQ(run_wavesmith("disasm --kernel cube " + file).code, 4);
  EXPECT_EQ(run_wavesmith("disasm /no/such/file").code, 4);
  EXPECT_EQ(run_wavesmith("disasm /etc/passwd").code, 3);
  EXPECT_EQ(run_wavesmith("disasm").code, 2);
}

}  // namespace
}  // namespace wavesmith::cli
