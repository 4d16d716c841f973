// The table of tuned tiles: what is read, what is refused, and that the choice of a kernel obeys it. No GPU.
#include "kernels/gemm/choice/tuned.h"

#include <gtest/gtest.h>

#include "kernels/gemm/choice/choice_testing.h"
#include "kernels/library/failure.h"

namespace wavesmith::kernels {
namespace {

const std::string kHead = "# how it was made\n" + TunedGemms::columns() + "\n";

TunedGemm row_of(int64_t size, const char* tile, const char* layout = "kk") {
  return {.target = "gfx942",
          .compute_units = 304,
          .problem = {"bf16", layout, size, size, size},
          .tile = tile,
          .microseconds = 12.5};
}

/// What reading says that is wrong; empty: nothing.
std::string said_of(const std::string& text) {
  TunedGemms table;
  const auto status = table.read(text, "t.tsv");
  EXPECT_EQ(status != WAVESMITH_KERNELS_SUCCESS, *message() != 0);
  if (status == WAVESMITH_KERNELS_SUCCESS) return "";
  EXPECT_EQ(status, WAVESMITH_KERNELS_INVALID_TABLE);
  return message();
}

TEST(TunedGemms, FindsARowForItsProblemAndNoOther) {
  TunedGemms table;
  const TunedGemm row = row_of(1024, "128x128x32");
  ASSERT_EQ(
      table.read(kHead + TunedGemms::line(row) + "\n\n" + TunedGemms::line(row_of(64, "64x64x64")), "t"),
      WAVESMITH_KERNELS_SUCCESS)
      << message();
  const TunedTile* const found = table.find("gfx942", 304, row.problem);
  ASSERT_TRUE(found);
  EXPECT_EQ(found->configuration->name, "128x128x32");
  EXPECT_EQ(found->configuration->target, "gfx942");
  EXPECT_EQ(found->parts, 1);
  EXPECT_FALSE(table.find("gfx942", 303, row.problem));
  EXPECT_FALSE(table.find("gfx90a", 304, row.problem));
  GemmProblem other = row.problem;
  other.types = "f16";
  EXPECT_FALSE(table.find("gfx942", 304, other));
  other = row.problem, other.layout = "kn";
  EXPECT_FALSE(table.find("gfx942", 304, other));
  for (int64_t GemmProblem::* size : {&GemmProblem::m, &GemmProblem::n, &GemmProblem::k}) {
    other = row.problem, other.*size = 1025;
    EXPECT_FALSE(table.find("gfx942", 304, other));
  }
  EXPECT_EQ(table.find("gfx942", 304, row_of(64, "").problem)->configuration->name, "64x64x64");
}

TEST(TunedGemms, NamesTheLineAndTheMistake) {
  const auto row = [](const char* text) { return kHead + text; };
  const std::string end = "\t12.5\tmodelled\n";
  const std::pair<std::string, const char*> wrong[] = {
      {"", "t.tsv: there is no line that names the columns"},
      {"# only this\n", "t.tsv: there is no line that names the columns"},
      {"m\tn\tk\n", "t.tsv:1: the columns are not those of a tuned table"},
      {row("gfx942\t304\tbf16\n"), "t.tsv:3: it has 3 cells, not 10"},
      {row("gfx942\t304\tbf16\tkk\t8\t8\t8\t64x64x64\t1\tmodelled\tmore\n"),
       "t.tsv:3: it has 11 cells, not 10"},
      {row("gfx942\tmany\tbf16\tkk\t8\t8\t8\t64x64x64") + end, "t.tsv:3: compute_units is 'many'"},
      {row("gfx942\t0\tbf16\tkk\t8\t8\t8\t64x64x64") + end, "compute_units is '0'"},
      {row("gfx942\t304\tbf16\tkx\t8\t8\t8\t64x64x64") + end, "layout is 'kx', not kk, mk, kn or mn"},
      {row("gfx942\t304\tbf16\tkk\t0\t8\t8\t64x64x64") + end, "m is '0', no size"},
      {row("gfx942\t304\tbf16\tkk\t8\t8.5\t8\t64x64x64") + end, "n is '8.5', no size"},
      {row("gfx942\t304\tbf16\tkk\t8\t8\t3000000000\t64x64x64") + end, "k is '3000000000', no size"},
      {row("gfx942\t304\tbf16\tkk\t8\t8\t8\t64x64x64\tnan\tmodelled\n"), "microseconds is 'nan', no time"},
      {row("gfx942\t304\tbf16\tkk\t8\t8\t8\t64x64x64\t-1\tmodelled\n"), "microseconds is '-1', no time"},
      {row("gfx942\t304\tbf16\tkk\t8\t8\t8\t64x64x64\t1\tguessed\n"), "kind is 'guessed'"},
      {row("gfx803\t64\tbf16\tkk\t8\t8\t8\t64x64x64") + end, "no kernels for the target 'gfx803'"},
      {row("gfx942\t304\te4m3\tkk\t8\t8\t8\t64x64x64") + end, "no kernels of types 'e4m3' for gfx942"},
      {row("gfx942\t304\tbf16\tkk\t8\t8\t8\t1x2x3") + end, "no tile '1x2x3' of bf16 for gfx942"},
      {row("gfx942\t304\tbf16\tkk\t8\t8\t9\t64x64x64/2") + end, "'64x64x64/2', with no number of parts of 9"},
      {row("gfx942\t304\tbf16\tkk\t8\t8\t8\t64x64x64/stream") + end,
       "there is no tile '64x64x64/stream' of bf16 for gfx942"},
      {row("gfx942\t304\tbf16\tkk\t8\t8\t8\t64x64x64/two") + end, "with no number of parts"},
      {row("gfx942\t304\ti8\tkn\t8\t8\t8\t64x64x128") + end, "64x64x128 wants the layout kk, not kn"},
      {row("gfx950\t256\tbf16\tkk\t8\t8\t12\t256x256x64") + end, "whole pieces of 16 bytes, not of 12"},
      {row("gfx942\t304\tbf16\tkk\t8\t8\t8\t64x64x64") + end +
           "#\ngfx942\t304\tbf16\tkk\t8\t8\t8\t128x128x32" + end,
       "t.tsv:5: its problem is that of t.tsv:3"}};
  for (const auto& [text, mistake] : wrong)
    EXPECT_NE(said_of(text).find(mistake), std::string::npos)
        << "said: " << said_of(text) << "\nnot: " << mistake;
  EXPECT_EQ(said_of(kHead), "");
  EXPECT_EQ(said_of(row("gfx950\t256\tbf16\tkk\t8\t8\t16\t256x256x64") + end), "");
}

std::string kernel_of(const wavesmith_kernels_gemm_description& gemm, const TunedGemms* table,
                      const char* tile = nullptr) {
  GemmChoice choice;
  EXPECT_EQ(choose_gemm(gemm, "gfx942", 304, tile, choice, table), WAVESMITH_KERNELS_SUCCESS) << message();
  return choice.kernel;
}

TEST(TunedGemms, TakeThePlaceOfDispatchsChoiceForJustTheirProblems) {
  TunedGemm row = row_of(0, "64x64x64");
  row.problem = {"bf16", "kk", 4096, 2048, 4096};
  TunedGemms table;
  ASSERT_EQ(table.read(kHead + TunedGemms::line(row), "t"), WAVESMITH_KERNELS_SUCCESS) << message();
  auto gemm = product(4096, 2048, 4096);
  const std::string untuned = kernel_of(gemm, nullptr);
  ASSERT_NE(untuned, "gemm_bf16_64x64x64_kk");
  EXPECT_EQ(kernel_of(gemm, &table), "gemm_bf16_64x64x64_kk");
  EXPECT_EQ(kernel_of(gemm, &table, "256x256x32"), "gemm_bf16_256x256x32_kk") << "a tile that is asked for";
  EXPECT_NE(kernel_of(product(4096, 2048, 4104), &table), "gemm_bf16_64x64x64_kk");
  EXPECT_NE(kernel_of(product(2048, 4096, 4096), &table), "gemm_bf16_64x64x64_kk");
  gemm.batches = 2;
  EXPECT_EQ(kernel_of(gemm, &table), kernel_of(gemm, nullptr)) << "a batch is another problem";

  // D by columns: its transpose is computed, whose sizes are exchanged.
  auto transposed = product(2048, 4096, 4096);
  transposed.d.row_stride = 1, transposed.d.column_stride = 2048;
  EXPECT_EQ(kernel_of(transposed, &table), "gemm_bf16_64x64x64_kk");
}

TEST(TunedGemms, NamePartsOfKWhichAWorkspaceMustHold) {
  TunedGemm row = row_of(0, "128x128x32/16");
  row.problem = {"bf16", "kk", 16, 4096, 4096};
  TunedGemms table;
  ASSERT_EQ(table.read(kHead + TunedGemms::line(row), "t"), WAVESMITH_KERNELS_SUCCESS) << message();
  auto gemm = product(16, 4096, 4096);
  gemm.workspace = reinterpret_cast<void*>(uintptr_t{1} << 40),
  gemm.workspace_bytes = size_t{16} * 16 * 4096 * 4;
  GemmChoice choice;
  ASSERT_EQ(choose_gemm(gemm, "gfx942", 304, nullptr, choice, &table), WAVESMITH_KERNELS_SUCCESS)
      << message();
  EXPECT_EQ(choice.configuration->name, "128x128x32");
  EXPECT_EQ(choice.splits, 16);
  EXPECT_TRUE(choice.is_tuned);
  --gemm.workspace_bytes;
  GemmChoice without;
  ASSERT_EQ(choose_gemm(gemm, "gfx942", 304, nullptr, without, &table), WAVESMITH_KERNELS_SUCCESS);
  EXPECT_EQ(without.configuration->name, "16x16x256");
  EXPECT_FALSE(without.is_tuned);
}

TEST(TunedGemms, APassedOverTileLeavesTheChoiceToDispatch) {
  // Rows of an odd number of bytes: only the smallest tile has a kernel that reads them.
  TunedGemms table;
  ASSERT_EQ(table.read(kHead + TunedGemms::line(row_of(512, "256x256x32")), "t"), WAVESMITH_KERNELS_SUCCESS);
  auto gemm = product(512, 512, 512);
  EXPECT_EQ(kernel_of(gemm, &table), "gemm_bf16_256x256x32_kk");
  gemm.a.row_stride = 513;
  EXPECT_EQ(kernel_of(gemm, &table), "gemm_bf16_64x64x64_kk_elements");
}

}  // namespace
}  // namespace wavesmith::kernels
