#include "model/attention.h"

#include <gtest/gtest.h>

#include <cmath>

namespace wavesmith::model {
namespace {

const gpus::Gpu& gpu(const char* id) { return **gpus::find_gpu(id); }

// 4 x B x H x N^2 x D, half of it causal; backward 2.5 times.
TEST(Attention, FlopsAreCountedAsPublicationsDo) {
  AttentionProblem problem{.batch = 16, .heads = 64, .kv_heads = 8, .queries = 1024, .keys = 1024};
  EXPECT_DOUBLE_EQ(attention_flops(problem), 4.0 * 16 * 64 * 1024 * 1024 * 128);
  problem.causal = true;
  EXPECT_DOUBLE_EQ(attention_flops(problem), 2.0 * 16 * 64 * 1024 * 1024 * 128);
  problem.backward = true;
  EXPECT_DOUBLE_EQ(attention_flops(problem), 5.0 * 16 * 64 * 1024 * 1024 * 128);
}

// AITER's marks for 64/8 heads, 8,192 tokens, batch 1: 591 and 1,413 TFLOP/s.
TEST(Attention, LongSequencesReachThePublishedRates) {
  const AttentionProblem problem{.batch = 1, .heads = 64, .kv_heads = 8, .queries = 8192, .keys = 8192};
  EXPECT_NEAR(predict_attention(gpu("mi300x"), problem)->flops_per_second() / 1e12, 591, 60);
  EXPECT_NEAR(predict_attention(gpu("mi355x"), problem)->flops_per_second() / 1e12, 1413, 140);
}

TEST(Attention, MoreTokensNeverTakeLess) {
  for (const char* id : {"mi210", "mi300x", "mi355x", "rx7900xtx", "rx6900xt", "h100"})
    for (const bool causal : {false, true})
      for (const bool backward : {false, true}) {
        double before = 0;
        for (int power = 0; power <= 17; ++power) {
          const double tokens = std::ldexp(1, power);
          const auto got = predict_attention(gpu(id), {.heads = 32,
                                                       .kv_heads = 8,
                                                       .queries = tokens,
                                                       .keys = tokens,
                                                       .causal = causal,
                                                       .backward = backward});
          ASSERT_TRUE(got);
          EXPECT_GE(got->seconds, before) << id << " " << tokens << causal << backward;
          EXPECT_GT(got->seconds, 0);
          before = got->seconds;
        }
      }
}

TEST(Attention, AtomicsInF32TakeLongerThanIn16Bits) {
  AttentionProblem problem{
      .batch = 4, .heads = 32, .kv_heads = 32, .queries = 8192, .keys = 8192, .backward = true};
  const double half = predict_attention(gpu("mi355x"), problem)->seconds;
  problem.atomic_f32 = true;
  EXPECT_GT(predict_attention(gpu("mi355x"), problem)->seconds, half * 1.2);
}

TEST(Attention, PartsThatNobodySumsTakeOneKernel) {
  DecodeProblem problem{.batch = 4, .heads = 128, .kv_heads = 1, .context = 4096};
  problem.latent = true, problem.head_size = 576, problem.value_size = 512;
  const Result<AttentionPrediction> both = predict_decode(gpu("mi355x"), problem);
  problem.sums = false;
  const Result<AttentionPrediction> one = predict_decode(gpu("mi355x"), problem);
  ASSERT_TRUE(both && one);
  double sum = 0;
  for (const Part& part : both->parts)
    if (part.name == "sum of the splits") sum = part.seconds;
  EXPECT_GT(sum, 3e-6);
  EXPECT_NEAR(both->seconds - one->seconds, sum, 1e-12);
}

TEST(Attention, NothingAndImpossibleHeadsAreRefused) {
  EXPECT_FALSE(predict_attention(gpu("mi300x"), {}));
  EXPECT_FALSE(predict_attention(gpu("mi300x"), {.heads = 8, .kv_heads = 3, .queries = 8, .keys = 8}));
  EXPECT_FALSE(predict_decode(gpu("mi300x"), {}));
  EXPECT_FALSE(predict_recurrent(gpu("mi300x"), {.batch = 0}));
}

// 256 sequences of 8,192 tokens, 8 heads of K and V of 128 in 16 bits: 8.6 GB at 6.4 TB/s is 1.34 ms.
TEST(Decode, ALongCacheTakesWhatItsBytesTake) {
  const auto got = predict_decode(gpu("mi355x"), {.batch = 256, .context = 8192});
  ASSERT_TRUE(got);
  const double bytes = 256.0 * 8192 * 8 * (128 + 128) * 2;
  EXPECT_NEAR(got->bytes / bytes, 1, 0.01);
  EXPECT_NEAR(got->seconds, bytes / (*gpu("mi355x").sustained_read * 1e9), 40e-6);
  EXPECT_EQ(got->bound, "HBM");
}

TEST(Decode, SplittingHelpsOneSequence) {
  DecodeProblem problem{.batch = 1, .context = 65536, .splits = 1};
  const double whole = predict_decode(gpu("mi300x"), problem)->seconds;
  problem.splits = 8;
  EXPECT_LT(predict_decode(gpu("mi300x"), problem)->seconds, whole / 2);
}

TEST(Decode, LatentAttentionReadsOneRowForAllHeads) {
  DecodeProblem problem{.batch = 8,
                        .heads = 128,
                        .kv_heads = 1,
                        .context = 4096,
                        .head_size = 576,
                        .value_size = 512,
                        .latent = true};
  const auto got = predict_decode(gpu("mi355x"), problem);
  ASSERT_TRUE(got);
  EXPECT_NEAR(got->levels.front().bytes, 8.0 * 4096 * 576 * 2, 1);
  EXPECT_DOUBLE_EQ(got->flops, 2.0 * 8 * 128 * 4096 * (576 + 512));
}

// The state once in and once out: 64 x 32 heads x 128 x 128 x 4 B, twice, is 268 MB.
TEST(Recurrent, ASteppedStateIsReadAndWritten) {
  const auto got = predict_recurrent(gpu("mi355x"), {.batch = 64, .heads = 32, .key_heads = 16});
  ASSERT_TRUE(got);
  EXPECT_NEAR(got->bytes / (2.0 * 64 * 32 * 128 * 128 * 4), 1, 0.01);
  EXPECT_NEAR(got->seconds, 268.4e6 / 6.2e12 + 5e-6, 5e-6);
}

}  // namespace
}  // namespace wavesmith::model
