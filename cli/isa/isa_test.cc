#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "cli/testing.h"

namespace wavesmith::cli {
namespace {

TEST(IsaCommand, ListsWhatIsEmulatedAndTotals) {
  for (const char* gpu : {"mi210", "mi300x", "mi355x", "rx7900xtx", "radeon8060s", "rx9070xt"}) {
    const CommandResult ran = run_wavesmith("isa --json --gpu " + std::string(gpu));
    ASSERT_EQ(ran.code, 0) << ran.err;
    const auto json = nlohmann::json::parse(ran.out);
    EXPECT_GT(json.size(), 500u) << gpu;
    bool add = false;
    for (const auto& entry : json) {
      const std::string fidelity = entry["fidelity"];
      EXPECT_TRUE(fidelity == "exact" || fidelity == "approximate" || fidelity == "unsupported") << fidelity;
      if (fidelity != "exact") EXPECT_FALSE(entry["note"].get<std::string>().empty()) << entry["mnemonic"];
      if (entry["mnemonic"] == "v_add_f32_e32") add = fidelity == "exact";
    }
    EXPECT_TRUE(add) << gpu;
  }
  const CommandResult text = run_wavesmith("isa v_add_f32 --only exact");
  EXPECT_NE(text.out.find("gfx942: "), text.out.npos);
  EXPECT_EQ(run_wavesmith("isa --only perfect").code, 2);
}

/// The kernel `square`, for two targets; with `extra` in its middle.
std::string compiled(const Scratch& folder, const std::string& extra) {
  const std::string source = folder.write("square.hip", R"(
extern "C" __attribute__((global)) void square(float* p) {
  p[__builtin_amdgcn_workitem_id_x()] *= p[__builtin_amdgcn_workitem_id_x()];
  )" + extra + "\n}\n");
  const std::string object = folder / "square.co";
  const CommandResult ran = run_wavesmith(
      "cc --no-rocm --hip-headers=none -nogpulib -O2 --genco --offload-arch=gfx942 --offload-arch=gfx1030 " +
          source + " -o " + object,
      "WAVESMITH_CACHE=" + (folder / "cache"));
  EXPECT_EQ(ran.code, 0) << ran.err;
  return object;
}

TEST(IsaCommand, CountsTheInstructionsOfAFile) {
  const Scratch folder;
  const std::string object = compiled(folder, "");
  const CommandResult ran = run_wavesmith("isa --json --object " + object + " " + object);
  ASSERT_EQ(ran.code, 0) << ran.err;
  const auto json = nlohmann::json::parse(ran.out);
  ASSERT_EQ(json.size(), 2u);
  EXPECT_EQ(json[0]["target"], "gfx1030");
  EXPECT_EQ(json[0]["emulated"], false);
  const auto& found = json[1];
  EXPECT_EQ(found["target"], "gfx942");
  EXPECT_EQ(found["objects"], 2);
  EXPECT_EQ(found["kernels"], 2);
  EXPECT_EQ(found["unsupported"], 0);
  EXPECT_EQ(found["exact"], found["instructions"]);
  uint64_t instructions = 0, multiplications = 0;
  for (const auto& one : found["mnemonics"]) {
    instructions += one["count"].get<uint64_t>();
    if (one["mnemonic"] == "v_mul_f32_e32") multiplications = one["count"];
  }
  EXPECT_EQ(instructions, found["instructions"].get<uint64_t>());
  EXPECT_EQ(multiplications, 2u);
  const CommandResult text = run_wavesmith("isa v_mul --gpu mi300x --object " + object);
  EXPECT_EQ(text.code, 0);
  EXPECT_NE(text.out.find("v_mul_f32_e32"), text.out.npos) << text.out;
  EXPECT_EQ(text.out.find("s_endpgm"), text.out.npos);
  EXPECT_EQ(text.out.find("gfx1030"), text.out.npos);
  EXPECT_EQ(run_wavesmith("isa --gpu mi210 --object " + object).code, 5);
  EXPECT_EQ(run_wavesmith("isa --object /no/such/file").code, 4);
}

TEST(IsaCommand, WhatAFileHoldsThatCannotRunIsNamedWithItsPlace) {
  const Scratch folder;
  const std::string object =
      compiled(folder, "\n#ifdef __gfx942__\nasm volatile(\"s_rfe_b64 s[0:1]\");\n#endif\n");
  const CommandResult ran = run_wavesmith("isa --only unsupported --object " + object);
  EXPECT_EQ(ran.code, 6);
  EXPECT_NE(ran.out.find("1 unsupported"), ran.out.npos) << ran.out;
  EXPECT_NE(ran.out.find(object + " in square, pc 0x"), ran.out.npos) << ran.out;
  EXPECT_NE(ran.out.find("s_rfe_b64 s[0:1]"), ran.out.npos) << ran.out;
  EXPECT_EQ(ran.out.find("v_mul_f32"), ran.out.npos) << ran.out;
}

}  // namespace
}  // namespace wavesmith::cli
