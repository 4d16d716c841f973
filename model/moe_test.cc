#include "model/moe.h"

#include <gtest/gtest.h>

#include <cmath>
#include <numeric>
#include <random>

#include "model/constants.h"

namespace wavesmith::model {
namespace {

const gpus::Gpu& gpu(const char* id) { return **gpus::find_gpu(id); }

// Against drawing it: each token's experts at random, blocks counted.
TEST(Moe, ExpectedBlocksAreThoseOfRandomChoices) {
  const uint32_t seed = std::random_device{}();
  SCOPED_TRACE(seed);
  std::mt19937 random(seed);
  struct Setup {
    int tokens, experts, chosen, block;
  };
  for (const Setup& setup :
       {Setup{1, 8, 2, 16}, Setup{7, 16, 4, 16}, Setup{300, 32, 4, 32}, Setup{2000, 64, 8, 64}}) {
    int blocks = 0;
    constexpr int kTimes = 200;
    for (int time = 0; time < kTimes; ++time) {
      std::vector<int> load(static_cast<size_t>(setup.experts), 0), order(load.size());
      for (int token = 0; token < setup.tokens; ++token) {
        std::iota(order.begin(), order.end(), 0);
        for (int i = 0; i < setup.chosen; ++i) {
          std::swap(
              order[static_cast<size_t>(i)],
              order[std::uniform_int_distribution<size_t>(static_cast<size_t>(i), order.size() - 1)(random)]);
          ++load[static_cast<size_t>(order[static_cast<size_t>(i)])];
        }
      }
      for (const int one : load) blocks += (one + setup.block - 1) / setup.block;
    }
    const double expected = expected_blocks(setup.tokens, setup.experts, setup.chosen, setup.block);
    EXPECT_NEAR(static_cast<double>(blocks) / kTimes / expected, 1, 0.04) << setup.tokens;
  }
  EXPECT_DOUBLE_EQ(expected_blocks(100, 4, 4, 32), 16);  // all experts, 4 blocks each
}

TEST(Moe, OneTokenReadsTheExpertsThatItChose) {
  const auto got = predict_moe(gpu("mi300x"), {.tokens = 1,
                                               .experts = 256,
                                               .chosen = 8,
                                               .model_size = 7168,
                                               .inner_size = 2048,
                                               .activations = NumberType::F8,
                                               .weights = NumberType::F8});
  ASSERT_TRUE(got);
  EXPECT_NEAR(got->active, 8, 1e-9);
  EXPECT_NEAR(got->bytes / (8 * 3.0 * 7168 * 2048), 1, 0.01);
  EXPECT_DOUBLE_EQ(got->flops, 2 * 8 * 3.0 * 7168 * 2048);
}

TEST(Moe, MoreTokensNeverTakeMuchLessAndStagesAddUp) {
  for (const char* id : {"mi300x", "mi308x", "mi355x", "rx9070xt"}) {
    double before = 0;
    for (int power = 0; power <= 16; ++power) {
      const double tokens = std::ldexp(1, power);
      MoeProblem problem{
          .tokens = tokens, .experts = 128, .chosen = 8, .model_size = 4096, .inner_size = 1536, .block = 32};
      const double both = predict_moe(gpu(id), problem)->seconds;
      EXPECT_GE(both, before * 0.999) << id << " " << tokens;
      before = both;
      problem.stage = MoeStage::First;
      const double first = predict_moe(gpu(id), problem)->seconds;
      problem.stage = MoeStage::Second;
      EXPECT_NEAR(first + predict_moe(gpu(id), problem)->seconds, both, both * 1e-9);
    }
  }
}

TEST(Moe, TheChosenBlockIsNoWorseThanAnyOther) {
  MoeProblem problem{.tokens = 512, .experts = 64, .chosen = 6, .model_size = 2048, .inner_size = 1408};
  const auto chosen = predict_moe(gpu("mi300x"), problem);
  for (const double block : {16.0, 32.0, 64.0, 128.0}) {
    problem.block = block;
    EXPECT_LE(chosen->seconds, predict_moe(gpu("mi300x"), problem)->seconds * 1.0000001);
  }
}

// Two tokens' 18 experts are 36 workgroups of one kernel, so that 44 of an MI308X's 80 units draw nothing;
// each draws 256 columns of three matrices, 2.36 MB, at 55 bytes a clock of 1,420 MHz: 30 us.
TEST(Moe, OneKernelOfFewTokensWaitsForItsFewWorkgroups) {
  MoeProblem problem{.tokens = 2,
                     .experts = 257,
                     .chosen = 9,
                     .model_size = 3072,
                     .inner_size = 512,
                     .activations = NumberType::F8,
                     .weights = NumberType::F8,
                     .block = 32,
                     .one_kernel = true};
  const double drawn = 3 * 256.0 * 3072 / (55 * 1420e6);
  const double one = predict_moe(gpu("mi308x"), problem)->seconds;
  EXPECT_GT(one, drawn);
  EXPECT_LT(one, drawn + 30e-6);
  problem.tile = 128;  // twice as many workgroups with half of it each
  EXPECT_LT(predict_moe(gpu("mi308x"), problem)->seconds, one - drawn / 8);
}

TEST(Moe, OneKernelHasItsOutputClearedBefore) {
  MoeProblem problem{.tokens = 1, .experts = 8, .chosen = 2, .model_size = 64, .inner_size = 64};
  problem.one_kernel = true;
  EXPECT_GT(predict_moe(gpu("mi300x"), problem)->seconds,
            constant::kMoeFirstLaunch + constant::kKernelSeconds);
}

TEST(Moe, ImpossibleMixturesAreRefused) {
  EXPECT_FALSE(predict_moe(gpu("mi300x"), {}));
  EXPECT_FALSE(predict_moe(gpu("mi300x"),
                           {.tokens = 4, .experts = 4, .chosen = 8, .model_size = 64, .inner_size = 64}));
}

}  // namespace
}  // namespace wavesmith::model
