// The order in which tiles are computed: neighbours in time share operands in the L2, or do not.
#include <gtest/gtest.h>

#include "model/gemm/gemm.h"

namespace wavesmith::model {
namespace {

double teraflops(const GemmProblem& problem, GemmKernel kernel, std::string_view schedule) {
  kernel.schedule = schedule;
  const Result<GemmPrediction> result = predict_gemm(**gpus::find_gpu("mi355x"), problem, kernel);
  EXPECT_TRUE(result) << result.error().text();
  return result ? result->flops_per_second() * 1e-12 : 0;
}

// HipKittens, analysis/paper_experiments/grid_micro: bf16 8192^3 on an MI355X took 992 us in groups of 4 rows
// of tiles and 1256 us in groups of 32.
TEST(GemmGroups, GroupsOfTilesThatShareLittleAreSlower) {
  const GemmProblem problem{.m = 8192, .n = 8192, .k = 8192};
  const auto at = [&](int group) {
    GemmKernel kernel{.tile_m = 256, .tile_n = 256, .tile_k = 64, .threads = 512, .group_m = group};
    kernel.double_buffered_lds = false;
    return teraflops(problem, kernel, "");
  };
  EXPECT_GT(at(4), at(32) * 1.05);
  EXPECT_GT(at(8), at(1));
  EXPECT_GE(at(4), at(2));
}

}  // namespace
}  // namespace wavesmith::model
