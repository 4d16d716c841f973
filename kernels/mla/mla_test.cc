// Latent attention of the kernel library on a GPU of each target, against double precision.
#include "kernels/decode/result_testing.h"

namespace wavesmith::kernels {
namespace {

class Mla : public DecodeOnEachGpu {
 protected:
  static constexpr int64_t kKey = 576, kValue = 512;

  /// Everything but the contexts at random.
  DecodeCase random_case(int64_t longest) {
    DecodeCase one{.batches = between(1, 3), .head_size = kKey, .head_size_v = kValue, .longest = longest};
    one.heads_q = one_of<int64_t>({1, 16, 17, between(1, 40)});
    one.length_q = one_of<int64_t>({1, 1, 2, between(1, 4)});
    one.type = one_of({WAVESMITH_KERNELS_F16, WAVESMITH_KERNELS_BF16});
    one.cache = any_cache(one.type);
    one.paged = between(0, 3) != 0;
    one.page_size = one_of<int64_t>({1, 1, 2, 16, 64});
    one.left = one_of<int64_t>({-1, -1, -1, between(0, 100)});
    one.scale = one_of({0.04F, 0.04F, 0.3F, -0.02F, 0.0F});
    one.sinks = between(0, 3) == 0;
    one.scales = one_of({0, 1});
    one.lse = between(0, 3) != 0;
    one.heads_outside = between(0, 1) == 1;
    one.padding = one_of<int64_t>({0, 0, 16});
    return one;
  }
};

TEST_P(Mla, EveryKernelEqualsDoublePrecision) {
  for (const DecodeConfiguration& row : configurations(true))
    for (const Type type : {WAVESMITH_KERNELS_BF16, WAVESMITH_KERNELS_F16})
      for (const bool small : {false, true}) {
        if (small && !has_e4m3()) continue;
        check({.batches = 2,
               .heads_q = row.rows,
               .head_size = kKey,
               .head_size_v = kValue,
               .longest = 150,
               .type = type,
               .cache = small ? e4m3() : type,
               .scale = 0.04F,
               .scales = small});
        if (HasFatalFailure()) return;
      }
}

TEST_P(Mla, SmallOnesOfAllKindsEqualDoublePrecision) {
  for (int round = 0; round < 16; ++round) {
    check(random_case(one_of<int64_t>({0, 1, 2, between(0, 150)})));
    if (HasFatalFailure()) return;
  }
}

TEST_P(Mla, ManyHeadsEqualDoublePrecision) {
  for (const int64_t heads : {64, 65, 128}) {
    DecodeCase one = random_case(90);
    one.batches = 2, one.heads_q = heads, one.length_q = 1, one.left = -1;
    one.lengths = {90, 31};
    check(one);
    if (HasFatalFailure()) return;
  }
}

TEST_P(Mla, ContextsAroundPagesAndTilesEqualDoublePrecision) {
  for (const int64_t around : {32, 64}) {
    DecodeCase one = random_case(around + 1);
    one.batches = 5, one.page_size = 16, one.paged = true, one.left = -1;
    one.lengths = {0, 1, around - 1, around, around + 1};
    check(one);
    if (HasFatalFailure()) return;
  }
}

TEST_P(Mla, LongContextsAreSplit) {
  for (const int64_t heads : {5, 17}) {
    DecodeCase one = random_case(one_of<int64_t>({1499, 2048, 2049}));
    one.batches = 2, one.heads_q = heads, one.length_q = between(1, 2), one.left = -1;
    one.lengths = {one.longest, one_of<int64_t>({0, 1, 700, between(0, one.longest)})};
    check_split(one);
    if (HasFatalFailure()) return;
  }
}

TEST_P(Mla, ManyRowsOfFewPartsAreCombined) {
  DecodeCase one = random_case(2048);
  // As many that they do not run at once, and as few that contexts are split: by the GPU's compute units.
  const bool large = GetParam() < 3;
  one.batches = large ? 4 : 1, one.length_q = large ? 4 : 1, one.heads_q = 128, one.left = -1;
  one.sinks = true;
  one.lengths = {between(40, 60), 0, between(5, 9), 1};  // parts without a key, too
  DecodeProblem made(one, random_);
  check(made);
  if (HasFatalFailure()) return;
  EXPECT_GT(made.workspace_bytes, 0U);
}

TEST_P(Mla, GreatScoresDoNotOverflow) {
  DecodeCase one = random_case(300);
  one.scale = 0.3F, one.size = 10, one.left = -1;
  check(one);
}

TEST_P(Mla, NanSpoilsTheQueriesThatSeeItAndNoOtherSequence) {
  DecodeCase one{.batches = 2, .heads_q = 4, .head_size = kKey, .head_size_v = kValue, .longest = 90};
  one.lengths = {90, 81};
  DecodeProblem made(one, random_);
  constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
  made.k.elements.set(made.key(made.k, 1, 7, 0) + 570, kNan);
  made.v = made.k;
  check(made);
}

INSTANTIATE_TEST_SUITE_P(On, Mla, testing::Range(0, kGpuCount), gpu_name);

}  // namespace
}  // namespace wavesmith::kernels
