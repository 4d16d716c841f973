// Decode of the kernel library on a GPU of each target, against double precision.
#include "kernels/decode/result_testing.h"

namespace wavesmith::kernels {
namespace {

class Decode : public DecodeOnEachGpu {
 protected:
  /// Everything but the contexts at random.
  DecodeCase random_case(int64_t longest) {
    DecodeCase one{.batches = between(1, 3), .longest = longest};
    one.head_size = any_head_size();
    one.heads_kv = between(1, 2);
    one.heads_q = one.heads_kv * one_of<int64_t>({1, 3, 8, between(1, 20)});
    one.length_q = one_of<int64_t>({1, 1, 2, between(1, 6)});
    one.type = one_of({WAVESMITH_KERNELS_F16, WAVESMITH_KERNELS_BF16});
    one.cache = between(0, 3) == 0 ? WAVESMITH_KERNELS_I8 : any_cache(one.type);
    one.paged = between(0, 3) != 0;
    one.page_size = one_of<int64_t>({8, 16, 16, 32, 64, 128});
    one.left = one_of<int64_t>({-1, -1, 0, between(0, 100)});
    one.scale = one_of({0.125F, 0.125F, 1.0F, 0.01F, -0.2F, 0.0F});
    one.softcap = one_of({0.0F, 0.0F, 5.0F, 30.0F});
    one.alibi = between(0, 2) == 0;
    one.alibi_per_batch = between(0, 1) == 1;
    one.sinks = between(0, 2) == 0;
    const bool integers = one.cache == WAVESMITH_KERNELS_I8;
    one.scales = integers                ? one_of({1, 2, kPerToken})
                 : one.cache == one.type ? one_of({0, 1, 2})
                                         : one_of({0, 1, 2, kPerToken});
    one.lse = between(0, 3) != 0;
    one.heads_outside = between(0, 1) == 1;
    one.padding = one_of<int64_t>({0, 0, 16});
    return one;
  }
  int64_t any_head_size() {
    const auto rows = configurations(false);
    return rows[static_cast<size_t>(between(0, static_cast<int64_t>(rows.size()) - 1))].head_size;
  }
};

TEST_P(Decode, EveryKernelEqualsDoublePrecision) {
  for (const DecodeConfiguration& row : configurations(false))
    for (const Type type : {WAVESMITH_KERNELS_BF16, WAVESMITH_KERNELS_F16}) {
      DecodeCase one{.batches = 2,
                     .heads_q = 8,
                     .heads_kv = 2,
                     .head_size = row.head_size,
                     .longest = 200,
                     .type = type,
                     .cache = type};
      check(one);
      one.cache = WAVESMITH_KERNELS_I8, one.scales = kPerToken;
      check(one);
      for (const int scales : {1, kPerToken}) {
        if (!has_e4m3() || HasFatalFailure()) break;
        one.cache = e4m3(), one.scales = scales;
        check(one);
      }
      if (HasFatalFailure()) return;
    }
}

TEST_P(Decode, ScalesOfPositionsInRowsOrBesideThem) {
  for (int round = 0; round < 12; ++round) {
    DecodeCase one = random_case(one_of<int64_t>({1, 40, between(1, 300)}));
    one.cache = has_e4m3() && between(0, 2) == 0 ? e4m3() : WAVESMITH_KERNELS_I8;
    one.scales = kPerToken, one.scales_inside = round % 2 == 0;
    one.cache_padding = one.scales_inside ? one_of<int64_t>({4, 8, 16}) : one_of<int64_t>({0, 4, 16});
    check(one);
    if (HasFatalFailure()) return;
  }
}

TEST_P(Decode, ScalesOfPositionsMayDifferByOrdersOfMagnitude) {
  for (const Type type : {WAVESMITH_KERNELS_BF16, WAVESMITH_KERNELS_F16})
    for (const int64_t longest : {60, 1300}) {
      DecodeCase one = random_case(longest);
      one.type = type, one.cache = WAVESMITH_KERNELS_I8, one.scales = kPerToken;
      // Numbers are up to 127 / 40 times the scale, and f16 ends at 65,504.
      one.spread = type == WAVESMITH_KERNELS_F16 ? 3 : 12;
      one.lengths.assign(static_cast<size_t>(one.batches), longest), one.left = -1;
      check(one);
      if (HasFatalFailure()) return;
    }
}

TEST_P(Decode, SmallOnesOfAllKindsEqualDoublePrecision) {
  for (int round = 0; round < 40; ++round) {
    check(random_case(one_of<int64_t>({0, 1, 2, between(0, 200)})));
    if (HasFatalFailure()) return;
  }
}

TEST_P(Decode, ContextsAroundPagesAndTilesEqualDoublePrecision) {
  for (const int64_t page : {16, 64})
    for (const int64_t around : {page, int64_t{128}, int64_t{256}}) {
      DecodeCase one = random_case(around + 1);
      one.batches = 5, one.page_size = page, one.paged = true, one.left = -1;
      one.lengths = {0, 1, around - 1, around, around + 1};
      check(one);
      if (HasFatalFailure()) return;
    }
}

TEST_P(Decode, LongContextsAreSplit) {
  for (int round = 0; round < 4; ++round) {
    DecodeCase one = random_case(one_of<int64_t>({1499, 2048, 2049, 4099}));
    one.batches = 2, one.heads_kv = 1, one.heads_q = one_of<int64_t>({1, 5, 8}), one.length_q = between(1, 2);
    one.left = one_of<int64_t>({-1, 1200});
    one.lengths = {one.longest, one_of<int64_t>({0, 1, 700, between(0, one.longest)})};
    check_split(one);
    if (HasFatalFailure()) return;
  }
}

TEST_P(Decode, GreatScoresDoNotOverflow) {
  DecodeCase one = random_case(1300);
  one.scale = 1, one.size = 30, one.softcap = 0, one.left = -1;
  check(one);
}

TEST_P(Decode, NanSpoilsTheRowsThatSeeItAndNoOthers) {
  for (const int64_t longest : {90, 1500}) {
    DecodeCase one{.batches = 2, .heads_q = 4, .heads_kv = 2, .length_q = 3, .longest = longest};
    one.type = one_of({WAVESMITH_KERNELS_F16, WAVESMITH_KERNELS_BF16}), one.cache = one.type;
    one.lengths = {longest, longest - 9};
    DecodeProblem made(one, random_);
    constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
    made.k.elements.set(made.key(made.k, 0, longest - 2, 1) + 5, kNan);  // which the first query does not see
    made.v.elements.set(made.key(made.v, 1, 7, 0) + 9, kNan);
    made.k.elements.set(made.key(made.k, 1, 11, 1) + 3, kInfinity);
    check(made);
    if (HasFatalFailure()) return;
  }
}

TEST_P(Decode, AScaleThatIsNanSpoilsItsPosition) {
  for (const Type type : {WAVESMITH_KERNELS_F16, WAVESMITH_KERNELS_BF16}) {
    DecodeCase one{.batches = 3, .heads_q = 4, .heads_kv = 2, .length_q = 3, .longest = 90};
    one.type = type, one.cache = WAVESMITH_KERNELS_I8, one.scales = kPerToken;
    one.lengths = {90, 81, 33};
    DecodeProblem made(one, random_);
    constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
    made.set_scale(made.k, made.k_token_scales, 0, 88, 1, kNan);  // which the first query does not see
    made.set_scale(made.v, made.v_token_scales, 1, 7, 0, kNan);
    for (const DecodeHeads* cache : {&made.k, &made.v})  // as it is written of a head with an infinity
      for (int64_t i = 0; i < one.head_size; ++i)
        (cache == &made.k ? made.k : made.v)
            .elements.set(made.key(*cache, 2, 3, 1) + static_cast<size_t>(i), 0);
    made.set_scale(made.k, made.k_token_scales, 2, 3, 1, kInfinity);
    made.set_scale(made.v, made.v_token_scales, 2, 3, 1, kInfinity);
    check(made);
    if (HasFatalFailure()) return;
  }
}

INSTANTIATE_TEST_SUITE_P(On, Decode, testing::Range(0, kGpuCount), gpu_name);

}  // namespace
}  // namespace wavesmith::kernels
