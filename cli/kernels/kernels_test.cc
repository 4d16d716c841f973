#include <gtest/gtest.h>

#include <map>
#include <nlohmann/json.hpp>
#include <set>

#include "cli/testing.h"

namespace wavesmith::cli {
namespace {

using nlohmann::json;

json parsed(const std::string& arguments) {
  const CommandResult ran = run_wavesmith(arguments);
  EXPECT_EQ(ran.code, 0) << ran.err;
  return json::parse(ran.out);
}

TEST(KernelsCommand, ListsAllTargetsAsTextAndAsJson) {
  const CommandResult text = run_wavesmith("kernels");
  EXPECT_EQ(text.code, 0) << text.err;
  std::set<std::string> targets;
  for (const json& library : parsed("kernels --json")) {
    const std::string target = library["target"];
    targets.insert(target);
    EXPECT_NE(text.out.find(target), text.out.npos);
    EXPECT_GE(library["gpus"].size(), 1U) << target;
    std::map<std::string, json> operations;
    for (const json& each : library["operations"]) operations[each["operation"]] = each;
    EXPECT_EQ(operations["norm"]["types"], (json{"bf16", "f16", "f32"}));
    EXPECT_EQ(operations["attention"]["types"], (json{"bf16", "f16"}));
    const json& gemm = operations["gemm"];
    const auto types = gemm["types"].get<std::set<std::string>>();
    for (const char* type : {"bf16", "f16", "f32", "i8"}) EXPECT_TRUE(types.contains(type)) << target << type;
    EXPECT_GE(gemm["tiles"].size(), 2U) << target;
    EXPECT_GT(gemm["code_bytes"], 50'000) << target;
    EXPECT_LT(gemm["code_bytes"], library["bytes"]) << target;
  }
  EXPECT_EQ(targets, (std::set<std::string>{"gfx90a", "gfx942", "gfx950", "gfx1100", "gfx1151", "gfx1201"}));
}

TEST(KernelsCommand, ResourcesAreThoseThatDisasmShows) {
  const json library = parsed("kernels --gpu mi300x --json")[0];
  std::map<std::string, json> shown;
  const json listed = parsed("disasm --list --json " + library["file"].get<std::string>())[0];
  for (const json& kernel : listed["kernels"]) shown[kernel["name"]] = kernel;
  size_t count = 0;
  const auto compare = [&](const json& kernel) {
    ++count;
    ASSERT_TRUE(shown.contains(kernel["name"])) << kernel["name"];
    const json& other = shown[kernel["name"]];
    for (const char* name : {"vgprs", "agprs", "sgprs", "lds_bytes", "scratch_bytes"})
      EXPECT_EQ(kernel[name], other[name]) << kernel["name"] << " " << name;
    EXPECT_EQ(kernel["waves_per_simd"], other["occupancy"]["waves_per_simd"]) << kernel["name"];
    EXPECT_EQ(kernel["limited_by"], other["occupancy"]["limited_by"]) << kernel["name"];
  };
  for (const json& operation : library["operations"]) {
    const json got =
        parsed("kernels " + operation["operation"].get<std::string>() + " --gpu mi300x --json")[0];
    if (operation["operation"] != "gemm") {
      for (const json& kernel : got["kernels"]) compare(kernel);
      continue;
    }
    for (const json& tile : got["tiles"]) {
      EXPECT_FALSE(tile["kernels"].empty()) << tile["tile"];
      EXPECT_EQ(tile["step_cycles"]["kind"], "modelled");
      for (const json& kernel : tile["kernels"]) {
        compare(kernel);
        // Two buffers of both operands' steps, in bytes, or one of an A that is gathered; waves that share K
        // keep parts of longer steps.
        const std::string types = tile["types"];
        const int buffers = types.ends_with('c') ? 1 : 2;
        const int size = types.starts_with("f32") ? 4 : types.starts_with("f16") ? 2 : 1;
        const int row = size * tile["depth"].get<int>();
        constexpr int kLine = 128;
        if (row <= kLine)
          EXPECT_GE(kernel["lds_bytes"],
                    buffers * row * (tile["rows"].get<int>() + tile["columns"].get<int>()));
      }
    }
  }
  EXPECT_EQ(count, shown.size());
}

TEST(KernelsCommand, ListsTheKernelsOfOperationsWithoutTiles) {
  const json attention = parsed("kernels attention --gpu mi300x --json")[0];
  ASSERT_EQ(attention["heads"].size(), 4U);
  EXPECT_EQ(attention["heads"][1]["up_to"], 128);
  size_t forward = 0;
  for (const json& kernel : attention["kernels"])
    forward += kernel["name"].get<std::string>().find("_backward_") == std::string::npos;
  EXPECT_EQ(forward, 20U);  // of four sizes and two types, plain and shaped, of two sizes with dropout
  EXPECT_GT(attention["kernels"].size(), forward);
  const CommandResult text = run_wavesmith("kernels attention --gpu mi300x");
  EXPECT_NE(text.out.find("attention_bf16_128_shaped"), text.out.npos);
  EXPECT_NE(text.out.find("heads of up to 256"), text.out.npos);
  std::set<std::string> names;
  const json quantise = parsed("kernels quantise --gpu mi300x --json")[0];
  for (const json& kernel : quantise["kernels"]) names.insert(kernel["name"]);
  for (const char* name : {"quantise_eights", "quantise_largest", "quantise_mx", "quantise_256x4"})
    EXPECT_TRUE(names.contains(name)) << name;
}

TEST(KernelsCommand, ListsTheKernelsOfDecodeAndTheirCaches) {
  const json decode = parsed("kernels decode --gpu mi300x --json")[0];
  ASSERT_EQ(decode["heads"].size(), 3U);
  EXPECT_EQ(decode["heads"][1]["of"], 128);
  EXPECT_EQ(decode["heads"][1]["caches"], "same,e4m3fnuz,e4m3fnuz_token,i8");
  EXPECT_EQ(decode["kernels"].size(), 26U);  // of three sizes, two types, four caches, and what combines
  const json mla = parsed("kernels mla --gpu mi300x --json")[0];
  ASSERT_EQ(mla["heads"].size(), 2U);
  EXPECT_EQ(mla["heads"][0]["rows"], 16);
  EXPECT_EQ(mla["heads"][1]["of_values"], 512);
  EXPECT_EQ(mla["kernels"].size(), 8U);  // for few rows and many, two types, two caches
  const CommandResult text = run_wavesmith("kernels decode --gpu mi210");
  EXPECT_NE(text.out.find("decode_bf16_128"), text.out.npos);
  EXPECT_EQ(text.out.find("e4m3"), text.out.npos);
}

TEST(KernelsCommand, TellsWhichKernelAProductGetsAndWhatTheOthersWouldTake) {
  const json got = parsed("kernels gemm --m 4096 --n 4096 --k 4096 --dtype bf16 --gpu mi300x --json")[0];
  EXPECT_EQ(got["kernel"], "gemm_bf16_256x224x32_kk");
  EXPECT_EQ(got["workgroups"], 304);
  EXPECT_EQ(got["rounds"], 1);
  for (const json& other : got["candidates"]) {
    EXPECT_LE(got["cycles"]["value"], other["cycles"]["value"]);
    EXPECT_DOUBLE_EQ(other["seconds"]["value"].get<double>(),
                     other["cycles"]["value"].get<double>() / (got["clock_mhz"].get<double>() * 1e6));
    EXPECT_DOUBLE_EQ(
        other["flops_per_second"]["value"].get<double>() * other["seconds"]["value"].get<double>(),
        2.0 * 4096 * 4096 * 4096);
  }
  EXPECT_EQ(parsed("kernels --m 4096 --n 4096 --k 4096 --layout nt --dtype f16 --json")[0]["kernel"],
            "gemm_f16_256x224x32_mn");
  const json few = parsed("kernels --m 16 --n 1024 --k 14336 --gpu mi300x --json")[0];
  EXPECT_GT(few["splits"], 1);
  EXPECT_EQ(few["tile"], "16x16x256/" + std::to_string(few["splits"].get<int>()));
  EXPECT_EQ(few["workspace_bytes"], 16 * 1024 * 4 * few["splits"].get<int>());
  EXPECT_EQ(got["splits"], 1);
  EXPECT_EQ(parsed("kernels --m 512 --n 512 --k 513 --json")[0]["kernel"], "gemm_bf16_64x64x64_kk_elements");
  EXPECT_EQ(parsed("kernels --m 4096 --n 4096 --k 4096 --tile 64x64x64 --json")[0]["tile"], "64x64x64");
  EXPECT_EQ(parsed("kernels --m 64 --n 64 --k 64 --dtype e4m3fnuz --json")[0]["kernel"],
            "gemm_e4m3fnuz_16x16x512_kk");
  EXPECT_NE(
      run_wavesmith("kernels --m 64 --n 64 --k 64 --dtype e4m3 --gpu mi210").err.find("e4m3 for gfx90a"),
      std::string::npos);
  // Fewer compute units: more rounds.
  EXPECT_EQ(parsed("kernels --m 4096 --n 4096 --k 4096 --tile 256x256x32 --set cus=64 --json")[0]["rounds"],
            4);
  const CommandResult text = run_wavesmith("kernels --m 4096 --n 4096 --k 4096 --gpu mi300x,rx9070xt");
  EXPECT_NE(text.out.find("gemm_bf16_256x224x32_kk"), text.out.npos);
  EXPECT_NE(text.out.find("RX 9070 XT"), text.out.npos);
}

TEST(KernelsCommand, SaysWhatThereIsNot) {
  const CommandResult operation = run_wavesmith("kernels conv");
  EXPECT_EQ(operation.code, 4);
  EXPECT_NE(operation.err.find("no operation 'conv'"), operation.err.npos);
  const CommandResult gpu = run_wavesmith("kernels gemm --gpu h100");
  EXPECT_EQ(gpu.code, 4);
  EXPECT_NE(gpu.err.find("gfx942"), gpu.err.npos);
  const CommandResult tile = run_wavesmith("kernels --m 64 --n 64 --k 64 --tile 1x2x3");
  EXPECT_EQ(tile.code, 6);
  EXPECT_NE(tile.err.find("no kernel with a tile 1x2x3"), tile.err.npos);
  EXPECT_EQ(run_wavesmith("kernels --m 64").code, 2);
  EXPECT_EQ(run_wavesmith("kernels --m 0 --n 1 --k 1").code, 2);
  const CommandResult missing = run_wavesmith("kernels", "WAVESMITH_KERNELS_FOLDER=/nowhere");
  EXPECT_EQ(missing.code, 4);
  EXPECT_NE(missing.err.find("/nowhere/gfx"), missing.err.npos);
}

}  // namespace
}  // namespace wavesmith::cli
