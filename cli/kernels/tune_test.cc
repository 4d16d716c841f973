#include <gtest/gtest.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "cli/testing.h"
#include "kernels/gemm/choice/tuned.h"

namespace wavesmith::cli {
namespace {

using nlohmann::json;

/// A table with one row, of bf16 on an MI300X.
std::string table(const std::string& tile, int64_t size) {
  return kernels::TunedGemms::columns() + "\n" +
         kernels::TunedGemms::line({.target = "gfx942",
                                    .compute_units = 304,
                                    .problem = {"bf16", "kk", size, size, size},
                                    .tile = tile,
                                    .microseconds = 1}) +
         "\n";
}

/// The kernels that a product launches on an MI300X, by its profile, and the one that dispatch announces.
std::pair<std::vector<std::string>, std::string> launched(int64_t size, const std::string& environment) {
  const CommandResult ran =
      run_wavesmith(fmt::format("profile --gpu mi300x --sampled --json -- " WAVESMITH_BINARY
                                " kernels launch gemm --m {0} --n {0} --k {0}",
                                size),
                    environment);
  EXPECT_EQ(ran.code, 0) << ran.err;
  std::vector<std::string> names;
  const json profile = json::parse(ran.out);
  for (const json& kernel : profile["kernels"]) names.push_back(kernel["name"]);
  return {names, ran.err};
}

TEST(TuneCommand, TimesEachTileOfAProductAndWritesATable) {
  const Scratch scratch;
  const std::string file = scratch / "tuned.tsv";
  const CommandResult ran = run_wavesmith(
      "kernels tune gemm --m 96 --n 64 --k 64 --dtype f16 --layout nn --gpu mi210 --json --output " + file);
  ASSERT_EQ(ran.code, 0) << ran.err;
  const json all = json::parse(ran.out);
  ASSERT_EQ(all.size(), 1U);
  const json& one = all[0];
  EXPECT_EQ(one["target"], "gfx90a");
  EXPECT_EQ(one["layout"], "mk");
  ASSERT_EQ(one["tiles"].size(), 4U) << one.dump(1);
  double least = 1, dispatched = 0;
  for (const json& tile : one["tiles"]) {
    EXPECT_EQ(tile["seconds"]["kind"], "modelled");
    const double seconds = tile["seconds"]["value"];
    EXPECT_GT(seconds, 1e-7) << tile.dump();
    least = std::min(least, seconds);
    if (tile["dispatched"] == true) dispatched = seconds;
    EXPECT_EQ(tile["best"], tile["tile"] == one["best"]);
  }
  for (const json& tile : one["tiles"])
    if (tile["best"] == true) EXPECT_EQ(tile["seconds"]["value"], least);
  EXPECT_DOUBLE_EQ(one["gain"]["value"].get<double>(), dispatched / least);

  kernels::TunedGemms read;
  ASSERT_EQ(read.read(slurp(file), file), WAVESMITH_KERNELS_SUCCESS) << slurp(file);
  const auto* const tile = read.find("gfx90a", 104, {"f16", "mk", 96, 64, 64});
  ASSERT_TRUE(tile) << slurp(file);
  EXPECT_EQ(tile->configuration->name, one["best"].get<std::string>());
}

TEST(TuneCommand, TakesAListOfShapesAndSaysWhatEachGpuGets) {
  const Scratch scratch;
  const std::string shapes = scratch.write("s.csv", "m,n,k\n64,64,64\n64,64,64\n64,64,63\n");
  const CommandResult ran =
      run_wavesmith("kernels tune gemm --gpu rx9070xt --shapes " + shapes + " --output " + (scratch / "t"));
  ASSERT_EQ(ran.code, 0) << ran.err;
  EXPECT_NE(ran.out.find("128x128x32"), ran.out.npos) << ran.out;
  EXPECT_NE(ran.out.find("best"), ran.out.npos) << ran.out;
  const std::string written = slurp(scratch / "t");
  // HIP counts 32 workgroup processors. The product that stands twice has one row; elements one by one have
  // one tile.
  EXPECT_NE(written.find("\ngfx1201\t32\tbf16\tkk\t64\t64\t64\t"), written.npos) << written;
  EXPECT_NE(written.find("\ngfx1201\t32\tbf16\tkk\t64\t64\t63\t64x64x32\t"), written.npos) << written;
  EXPECT_EQ(
      std::count(written.begin(), written.end(), '\n') - std::count(written.begin(), written.end(), '#'), 3)
      << written;
}

TEST(TuneCommand, TakesTypesOfTwoMatricesAndScalesOfBlocks) {
  const Scratch scratch;
  const std::string shapes =
      scratch.write("s.csv", "m,n,k,dtype\n64,64,256,bf16xi4x2\n64,64,256,e4m3b1\n64,64,256,e4m3b128\n");
  const std::string file = scratch / "t";
  const CommandResult ran =
      run_wavesmith("kernels tune gemm --gpu mi355x --json --shapes " + shapes + " --output " + file);
  ASSERT_EQ(ran.code, 0) << ran.err;
  const json all = json::parse(ran.out);
  ASSERT_EQ(all.size(), 3U);
  kernels::TunedGemms read;
  ASSERT_EQ(read.read(slurp(file), file), WAVESMITH_KERNELS_SUCCESS) << slurp(file);
  for (const json& one : all)
    EXPECT_TRUE(read.find("gfx950", 256, {one["types"], "kk", 64, 64, 256})) << one.dump(1);
}

TEST(LaunchCommand, LaunchesGroupsOfRows) {
  for (const auto& [dtype, kernel] :
       {std::pair{"bf16", "gemm_bf16g_"}, {"e4m3fnuzb128", "gemm_e4m3fnuzb128g_"}}) {
    const std::string product = fmt::format("gemm --m 50 --n 64 --k 256 --dtype {} --groups 3", dtype);
    const CommandResult ran =
        run_wavesmith("run --quiet --gpu mi300x -- " WAVESMITH_BINARY " kernels launch " + product);
    EXPECT_EQ(ran.code, 0) << ran.err;
    EXPECT_TRUE(ran.out.starts_with(kernel)) << ran.out;
    const CommandResult asked = run_wavesmith("kernels " + product + " --gpu mi300x --json");
    ASSERT_EQ(asked.code, 0) << asked.err;
    EXPECT_EQ(json::parse(asked.out)[0]["kernel"].get<std::string>() + "\n", ran.out);
  }
}

TEST(TuneCommand, TriesPartsOfKWhereTheyMayGain) {
  const CommandResult ran = run_wavesmith("kernels tune gemm --m 16 --n 64 --k 8192 --gpu mi300x --json");
  ASSERT_EQ(ran.code, 0) << ran.err;
  const json one = json::parse(ran.out)[0];
  const std::string best = one["best"];
  ASSERT_NE(best.find('/'), best.npos) << best;
  const std::string without = best.substr(0, best.find('/'));
  double seconds_without = 0, seconds_of_best = 0;
  for (const json& tile : one["tiles"]) {
    if (tile["tile"] == without) seconds_without = tile["seconds"]["value"];
    if (tile["tile"] == best) seconds_of_best = tile["seconds"]["value"];
  }
  EXPECT_GT(seconds_without, seconds_of_best);  // both kernels' time
}

TEST(TuneCommand, DispatchObeysTheTableThatTheVariableNames) {
  const Scratch scratch;
  const std::string variable = "WAVESMITH_KERNELS_TUNED=" + scratch.write("t.tsv", table("128x128x32", 128));
  const auto [untuned, before] = launched(128, "WAVESMITH_KERNELS_TUNED=");
  EXPECT_EQ(untuned, std::vector<std::string>{"gemm_bf16_16x16x256_kk"});
  const auto [tuned, said] = launched(128, variable);
  EXPECT_EQ(tuned, std::vector<std::string>{"gemm_bf16_128x128x32_kk"});
  EXPECT_NE(said.find("gemm_bf16_128x128x32_kk\n"), said.npos) << "wavesmith_kernels_gemm_check: " << said;
  EXPECT_EQ(launched(192, variable).first, std::vector<std::string>{"gemm_bf16_16x16x256_kk"});
  const CommandResult told = run_wavesmith("kernels --m 128 --n 128 --k 128 --json", variable);
  ASSERT_EQ(told.code, 0) << told.err;
  EXPECT_EQ(json::parse(told.out)[0]["kernel"], "gemm_bf16_128x128x32_kk");
  EXPECT_EQ(json::parse(told.out)[0]["tuned"], true);
}

TEST(TuneCommand, DispatchObeysTheTableBesideTheCodeObjects) {
  const Scratch scratch;
  const json library = json::parse(run_wavesmith("kernels --gpu mi300x --json").out)[0];
  std::filesystem::create_symlink(library["file"].get<std::string>(), scratch / "gfx942.co");
  scratch.write("tuned.tsv", table("256x256x32", 128));
  const std::string folder = "WAVESMITH_KERNELS_FOLDER=" + scratch.folder().string();
  EXPECT_EQ(launched(128, folder).first, std::vector<std::string>{"gemm_bf16_256x256x32_kk"});
  const std::string other = scratch.write("t.tsv", table("128x128x32", 128));
  EXPECT_EQ(launched(128, folder + " WAVESMITH_KERNELS_TUNED=" + other).first,
            std::vector<std::string>{"gemm_bf16_128x128x32_kk"})
      << "the variable's comes first";
}

TEST(TuneCommand, ATableThatIsWrongIsNamedWithItsLine) {
  const Scratch scratch;
  const std::string file = scratch.write("t.tsv", table("1x2x3", 128));
  const std::string sizes = " gemm --m 64 --n 64 --k 64";
  for (const std::string& command : {"run --gpu mi300x -- " WAVESMITH_BINARY " kernels launch" + sizes,
                                     "kernels" + sizes, "kernels tune" + sizes}) {
    const CommandResult ran = run_wavesmith(command, "WAVESMITH_KERNELS_TUNED=" + file);
    EXPECT_EQ(ran.code, 3) << command;
    EXPECT_NE(ran.err.find(file + ":2: there is no tile '1x2x3' of bf16 for gfx942"), ran.err.npos)
        << ran.err;
    const CommandResult missing = run_wavesmith(command, "WAVESMITH_KERNELS_TUNED=/nowhere.tsv");
    EXPECT_EQ(missing.code, 3) << command;
    EXPECT_NE(missing.err.find("/nowhere.tsv: there is no such table"), missing.err.npos) << missing.err;
  }
  // A tile that is asked for needs no table.
  EXPECT_EQ(run_wavesmith("run --gpu mi300x -- " WAVESMITH_BINARY " kernels launch --tile 64x64x64" + sizes,
                          "WAVESMITH_KERNELS_TUNED=" + file)
                .code,
            0);
}

TEST(TuneCommand, SaysWhatItCannotTune) {
  const Scratch scratch;
  const std::string shapes = scratch.write("s.csv", "m,n\n");
  const std::string sizes = " --m 64 --n 64 --k 64";
  const std::tuple<std::string, int, const char*> wrong[] = {
      {"norm" + sizes, 4, "no tiles of an operation 'norm'"},
      {"gemm", 3, "no product to tune"},
      {"gemm --m 64", 2, "--m"},
      {"gemm --gpu mi300" + sizes, 4, "mi300x"},
      {"gemm --gpu mi300x,mi300x" + sizes, 3, "two of the GPUs are gfx942 with 304 compute units"},
      {"gemm --gpu mi210 --dtype e4m3" + sizes, 6, "no kernel for a and b of e4m3 for gfx90a"},
      {"gemm --shapes " + shapes, 3, "s.csv:1"},
      {"gemm --shapes /nowhere.csv", 4, "/nowhere.csv"},
      {"gemm --output /nowhere/at/all" + sizes, 3, "/nowhere/at/all"}};
  for (const auto& [arguments, code, what] : wrong) {
    const CommandResult ran = run_wavesmith("kernels tune " + arguments);
    EXPECT_EQ(ran.code, code) << arguments << ran.err;
    EXPECT_NE(ran.err.find(what), ran.err.npos) << arguments << ": " << ran.err;
  }
}

}  // namespace
}  // namespace wavesmith::cli
