// Published steps of optimising one product: the model has to put them into the measured order.
#include "validate/gemm/ladder.h"

#include <gtest/gtest.h>

#include <vector>

#include "gpus/gpu.h"
#include "gpus/lds_phases.h"

namespace wavesmith::validate {
namespace {

const Rung& rung(const Ladder& ladder, std::string_view name) {
  for (const Rung& each : ladder.rungs)
    if (each.name == name) return each;
  ADD_FAILURE() << "no " << name;
  return ladder.rungs.front();
}

TEST(GemmLadder, Cdna4Fp8StepsComeOutInOrder) {
  Ladder ladder = fp8_ladder();
  const Result<void> done = predict(ladder);
  ASSERT_TRUE(done) << done.error().text();
  const LadderOrder order = order_of(ladder);
  EXPECT_EQ(order.pairs, 11u);
  EXPECT_EQ(order.in_order, order.pairs) << (order.wrong.empty() ? "" : order.wrong.front());
  EXPECT_EQ(order.same_sign, order.pairs);
  // Bank conflicts hide behind loads that nobody asked for in time, and no longer once they are: the
  // swizzle's address arithmetic is all that it changes at first.
  const double early = rung(ladder, "direct to LDS").predicted / rung(ladder, "swizzle").predicted,
               late = rung(ladder, "double buffer, no swizzle").predicted /
                      rung(ladder, "double buffer").predicted;
  EXPECT_LT(early, 1);
  EXPECT_GT(early, 0.98);
  EXPECT_GT(late, 1.05);
}

// The tutorial's addresses: row = lane & 15, chunk of 16 bytes = lane >> 4, rows of 128 bytes.
TEST(GemmLadder, ConflictsOfTheStepsAreThoseOfTheirAddresses) {
  const gpus::Gpu& gpu = **gpus::find_gpu("mi355x");
  const auto cycles = [&](bool swizzled) {
    std::vector<uint32_t> at(64);
    for (uint32_t lane = 0; lane < 64; ++lane) {
      const uint32_t row = lane & 15, pair = row >> 1 & 7, mask = (pair ^ ((pair >> 1 ^ pair >> 2) & 1)) << 4;
      at[lane] = row * 128 + ((lane >> 4) * 16 ^ (swizzled ? mask : 0));
    }
    return gpus::lds_cycles(gpu, gpus::LdsAccess::Read, 16, 64, at, ~uint64_t{0}).cycles;
  };
  const Ladder ladder = fp8_ladder();
  EXPECT_EQ(cycles(false), rung(ladder, "direct to LDS").kernel.lds_conflicts * cycles(true));
  EXPECT_EQ(cycles(true), 4u);
}

TEST(GemmLadder, PairsAreCountedByTheirSignBeyondTheNoise) {
  Ladder ladder;
  ladder.rungs = {
      {.name = "a", .measured = 2.00, .predicted = 4.0},
      {.name = "b", .measured = 1.00, .predicted = 3.0},   // faster, and predicted so
      {.name = "c", .measured = 1.01, .predicted = 2.0},   // equal, and predicted faster
      {.name = "d", .measured = 1.50, .predicted = 1.9},   // slower, and predicted faster
      {.name = "e", .measured = 1.51, .predicted = 1.92},  // equal, and predicted so
  };
  const LadderOrder order = order_of(ladder);
  EXPECT_EQ(order.pairs, 4u);
  EXPECT_EQ(order.in_order, 2u);
  EXPECT_EQ(order.same_sign, 2u);
  EXPECT_EQ(order.wrong.size(), 2u);
}

TEST(GemmLadder, APairThatTwoMeasurementsOrderDifferentlyIsPredictedBetweenThem) {
  for (const auto& [predicted, in_order] :
       {std::pair{1.04, true}, {0.98, true}, {1.10, false}, {0.90, false}}) {
    Ladder ladder;
    ladder.rungs = {{.name = "a", .measured = 1.00, .predicted = 1.0, .again = 1.00},
                    {.name = "b", .measured = 1.05, .predicted = predicted, .again = 0.97}};
    EXPECT_EQ(order_of(ladder).in_order, in_order ? 1u : 0u) << predicted;
  }
}

// HipKittens: bf16 8192^3 on an MI355X took 992 us in groups of 4 rows of tiles and 1256 us in groups of 32.
TEST(GemmLadder, GroupsOfTilesAreReadFromTheTableAndComeOutInOrder) {
  const Csv csv = *Csv::parse(
      "gpu,gfx,rocm,library,op,dtype,shape,layout,metric,value,unit,source,confidence\n"
      "MI355X,gfx950,,HipKittens,gemm (grid swizzle "
      "ablation),bf16,M=8192;N=8192;K=8192;WGM=32,TN,time,1256.4,us,,\n"
      "MI355X,gfx950,,HipKittens,gemm (grid swizzle "
      "ablation),bf16,M=8192;N=8192;K=8192;WGM=4,TN,time,991.6,us,,\n"
      "MI355X,gfx950,,HipKittens,gemm,bf16,M=8192;N=8192;K=8192,TN,time,682.7,us,,\n",
      "t.csv");
  Result<std::vector<Ladder>> ladders = grid_ladders(csv);
  ASSERT_TRUE(ladders) << ladders.error().text();
  ASSERT_EQ(ladders->size(), 1u);
  Ladder& ladder = ladders->front();
  ASSERT_EQ(ladder.rungs.size(), 2u);
  EXPECT_EQ(ladder.rungs[0].kernel.group_m, 4);
  ASSERT_TRUE(predict(ladder));
  EXPECT_EQ(order_of(ladder).in_order, 1u);
  EXPECT_GT(ladder.rungs[1].predicted, ladder.rungs[0].predicted * 1.02);
}

}  // namespace
}  // namespace wavesmith::validate
