// What decode refuses, and how contexts are split.
#include "kernels/decode/choice.h"
#include "kernels/refusal_testing.h"

namespace wavesmith::kernels {
namespace {

using Description = wavesmith_kernels_decode_description;

/// A right one over one allocation of 64 KiB: four batches of two heads, contexts of up to 64 keys in pages
/// of 16.
class DecodeRefuses : public testing::Test {
 protected:
  static constexpr int64_t kElements = 32768;
  void SetUp() override {
    ASSERT_EQ(hipSetDevice(1), 0);
    auto* const at = static_cast<uint16_t*>(memory_.data());
    const auto cache = [&](int64_t first) {
      return wavesmith_kernels_paged{at + first, WAVESMITH_KERNELS_BF16, 2048, 128, 64, nullptr, 0};
    };
    right_ = {.batches = 2,
              .heads_q = 2,
              .heads_kv = 2,
              .length_q = 1,
              .head_size = 64,
              .type = WAVESMITH_KERNELS_BF16,
              .q = {at, 128, 128, 64},
              .o = {at + 1024, 128, 128, 64},
              .k = cache(8192),
              .v = cache(16384),
              .blocks = 4,
              .page_size = 16,
              .block_table = reinterpret_cast<const int32_t*>(at + 2048),
              .block_table_stride = 4,
              .context_lengths = reinterpret_cast<const int32_t*>(at + 3072),
              .longest_context = 64,
              .scale = 1,
              .window_left = -1,
              .lse = reinterpret_cast<float*>(at + 4096),
              .lse_batch_stride = 2,
              .lse_head_stride = 1};
  }

  const OnGpu memory_{Elements(WAVESMITH_KERNELS_BF16, kElements)};
  Description right_{};
};

TEST_F(DecodeRefuses, WhatBreaksARuleAndSaysWhich) {
  ASSERT_EQ(wavesmith_kernels_decode(&right_, nullptr), WAVESMITH_KERNELS_SUCCESS)
      << wavesmith_kernels_message();
  ASSERT_EQ(hipDeviceSynchronize(), 0);
  constexpr auto kStatus = WAVESMITH_KERNELS_INVALID_ARGUMENT;
  expect_refusals<Description>(
      wavesmith_kernels_decode, right_,
      {
          {[](Description& d) { d.batches = -1; }, kStatus, "batches is negative"},
          {[](Description& d) { d.heads_q = 3; }, kStatus, "heads_q is 3, no multiple of heads_kv, 2"},
          {[](Description& d) { d.head_size = 0; }, kStatus, "head_size is 0"},
          {[](Description& d) { d.type = static_cast<Type>(99); }, kStatus, "type is 99"},
          {[](Description& d) { d.scale = NAN; }, kStatus, "scale is not finite"},
          {[](Description& d) { d.softcap = -1; }, kStatus, "softcap is negative"},
          {[](Description& d) { d.window_left = -2; }, kStatus, "window_left is -2"},
          {[](Description& d) { d.page_size = 24; }, kStatus, "page_size is 24, no power of two"},
          {[](Description& d) { d.block_table_stride = 3; }, kStatus,
           "block_table_stride is 3, less than the 4 blocks"},
          {[](Description& d) { d.q.data = nullptr; }, kStatus, "q.data is null"},
          {[](Description& d) { d.v.data = nullptr; }, kStatus, "v.data is null"},
          {[](Description& d) { d.context_lengths = nullptr; }, kStatus, "context_lengths is null"},
          {[](Description& d) { d.q.data = static_cast<char*>(d.q.data) + 2; }, kStatus,
           "q.data is not aligned to 16"},
          {[](Description& d) { d.k.row_stride = 32; }, kStatus, "k.row_stride is 32, less than 64"},
          {[](Description& d) { d.o.head_stride = 0; }, kStatus, "o.head_stride is 0, less than 64"},
          {[](Description& d) { d.k.type = static_cast<Type>(-1); }, kStatus, "k.type is -1"},
          {[](Description& d) { d.o.data = d.q.data; }, kStatus, "o overlaps q"},
          {[](Description& d) { d.o.data = d.k.data; }, kStatus, "o overlaps k"},
          {[](Description& d) { d.lse = static_cast<float*>(d.v.data); }, kStatus, "lse overlaps v"},
          {[](Description& d) { d.lse_batch_stride = 0; }, kStatus, "lse_batch_stride is 0"},
          {[](Description& d) { d.lse = reinterpret_cast<float*>(3); }, kStatus, "lse is not aligned to 4"},
          {[](Description& d) { d.sinks = static_cast<float*>(d.o.data); }, kStatus, "o overlaps sinks"},
          {[](Description& d) { d.alibi_slopes = d.lse; }, kStatus, "lse overlaps alibi_slopes"},
          {[](Description& d) { d.k.scale = static_cast<float*>(d.o.data); }, kStatus, "o overlaps k.scale"},
          {[](Description& d) { d.v.scale = d.lse + 1; }, kStatus, "lse overlaps v.scale"},
          {[](Description& d) { d.v.scale = reinterpret_cast<float*>(2); }, kStatus,
           "v.scale is not aligned"},
          {[](Description& d) { d.block_table = static_cast<const int32_t*>(d.o.data); }, kStatus,
           "o overlaps block_table"},
          {[](Description& d) { d.context_lengths = static_cast<const int32_t*>(d.o.data); }, kStatus,
           "o overlaps context_lengths"},
      });
}

TEST_F(DecodeRefuses, WhatItHasNoKernelFor) {
  constexpr auto kStatus = WAVESMITH_KERNELS_NOT_SUPPORTED;
  expect_refusals<Description>(
      wavesmith_kernels_decode, right_,
      {
          {[](Description& d) { d.type = WAVESMITH_KERNELS_F32; }, kStatus, "no kernel for queries of f32"},
          {[](Description& d) { d.head_size = 32; }, kStatus,
           "head_size is 32, and there are kernels of bf16"},
          {[](Description& d) { d.k.type = WAVESMITH_KERNELS_F16; }, kStatus,
           "k is of f16, neither of the queries' type"},
          {[](Description& d) { d.k.type = WAVESMITH_KERNELS_E4M3; }, kStatus, "k is of e4m3 and v of bf16"},
          {[](Description& d) { d.k.type = d.v.type = WAVESMITH_KERNELS_E4M3; }, kStatus,
           "caches of e4m3 for gfx942"},
          {[](Description& d) { d.page_size = 4; }, kStatus, "page_size is 4, less than 8"},
          {[](Description& d) { d.k.row_stride = 132; }, kStatus,
           "k.row_stride is 132 elements, no multiple of 16 bytes"},
          {[](Description& d) { d.batches = int64_t{1} << 40; }, kStatus,
           "batches is 1099511627776, more than"},
      });
}

TEST_F(DecodeRefuses, ScalesOfPositionsThatBreakARule) {
  for (wavesmith_kernels_paged* cache : {&right_.k, &right_.v}) {
    cache->type = WAVESMITH_KERNELS_I8;
    cache->block_stride = 16 * 2 * 68, cache->row_stride = 2 * 68, cache->head_stride = 68;
    cache->token_scales = reinterpret_cast<float*>(static_cast<char*>(cache->data) + 64);
    cache->token_scales_block_stride = 16 * 2 * 17;
    cache->token_scales_row_stride = 2 * 17, cache->token_scales_head_stride = 17;
  }
  ASSERT_EQ(wavesmith_kernels_decode(&right_, nullptr), WAVESMITH_KERNELS_SUCCESS)
      << wavesmith_kernels_message();
  ASSERT_EQ(hipDeviceSynchronize(), 0);
  const char* kernel = nullptr;
  ASSERT_EQ(wavesmith_kernels_decode_check(&right_, &kernel), WAVESMITH_KERNELS_SUCCESS);
  EXPECT_STREQ(kernel, "decode_bf16_64_i8");
  constexpr auto kStatus = WAVESMITH_KERNELS_NOT_SUPPORTED, kInvalid = WAVESMITH_KERNELS_INVALID_ARGUMENT;
  expect_refusals<Description>(
      wavesmith_kernels_decode, right_,
      {
          {[](Description& d) { d.k.token_scales = nullptr; }, kStatus, "k is of i8 without a scale"},
          {[](Description& d) { d.v.scale = d.v.token_scales; }, kInvalid,
           "v.scale and v.token_scales are both given"},
          {[](Description& d) { d.k.token_scales_row_stride = 0; }, kInvalid,
           "k.token_scales_row_stride is 0, less than 1"},
          {[](Description& d) { d.v.token_scales_block_stride = int64_t{1} << 40; }, kStatus,
           "v.token_scales_block_stride is 1099511627776, more than"},
          {[](Description& d) { d.k.token_scales = reinterpret_cast<float*>(2); }, kInvalid,
           "k.token_scales is not aligned to 4"},
          {[](Description& d) { d.k.token_scales = d.lse; }, kInvalid, "lse overlaps k.token_scales"},
          {[](Description& d) { d.v.token_scales = static_cast<float*>(d.o.data); }, kInvalid,
           "o overlaps v.token_scales"},
          {[](Description& d) { d.k.data = static_cast<char*>(d.k.data) + 2; }, kInvalid,
           "k.data is not aligned to 4"},
          {[](Description& d) { d.k.row_stride = 138; }, kStatus,
           "k.row_stride is 138 elements, no multiple of 4 bytes"},
          {[](Description& d) { d.v.type = WAVESMITH_KERNELS_E4M3_FNUZ; }, kStatus,
           "k is of i8 and v of e4m3fnuz"},
          {[](Description& d) {
             d.k.type = d.v.type = WAVESMITH_KERNELS_E4M3_FNUZ, d.v.token_scales = nullptr;
             d.v.block_stride = 2048, d.v.row_stride = 128, d.v.head_stride = 64;
           },
           kStatus, "k has token_scales and v has none"},
          {[](Description& d) { d.k.type = d.v.type = WAVESMITH_KERNELS_E4M3; }, kStatus,
           "no kernel of bf16 with caches of e4m3 with token_scales for gfx942"},
          {[](Description& d) { d.k.type = WAVESMITH_KERNELS_BF16, d.k.row_stride = d.k.block_stride = 144; },
           kStatus, "k.token_scales is given, and k is of bf16"},
      });
}

TEST_F(DecodeRefuses, OfLatentsWhatItHasNoKernelFor) {
  right_.head_size = 576, right_.head_size_v = 512, right_.heads_q = 1, right_.heads_kv = 1;
  right_.batches = 1, right_.longest_context = 16, right_.k.row_stride = 576, right_.blocks = 1;
  right_.v = {};
  ASSERT_EQ(wavesmith_kernels_decode(&right_, nullptr), WAVESMITH_KERNELS_SUCCESS)
      << wavesmith_kernels_message();
  ASSERT_EQ(hipDeviceSynchronize(), 0);
  const char* kernel = nullptr;
  ASSERT_EQ(wavesmith_kernels_decode_check(&right_, &kernel), WAVESMITH_KERNELS_SUCCESS);
  EXPECT_STREQ(kernel, "mla_bf16_16");
  constexpr auto kStatus = WAVESMITH_KERNELS_NOT_SUPPORTED, kInvalid = WAVESMITH_KERNELS_INVALID_ARGUMENT;
  expect_refusals<Description>(
      wavesmith_kernels_decode, right_,
      {
          {[](Description& d) { d.head_size_v = -1; }, kInvalid, "head_size_v is negative"},
          {[](Description& d) { d.head_size_v = 640; }, kStatus,
           "head_size_v is 640, more than head_size, 576"},
          {[](Description& d) { d.head_size_v = 256; }, kStatus,
           "head_size is 576 with a head_size_v of 256, and there are kernels of bf16 with caches of bf16 for "
           "gfx942 for 576 with one of 512"},
          {[](Description& d) { d.softcap = 1; }, kStatus, "softcap is given where head_size_v is less"},
          {[](Description& d) { d.alibi_slopes = d.sinks = d.lse + 64; }, kStatus,
           "alibi_slopes is given where head_size_v is less"},
          {[](Description& d) {
             d.k.type = WAVESMITH_KERNELS_E4M3_FNUZ, d.k.token_scales = d.lse + 64;
             d.k.token_scales_row_stride = 1;
           },
           kStatus, "k.token_scales is given where head_size_v is less"},
          {[](Description& d) { d.k.type = WAVESMITH_KERNELS_I8, d.k.scale = d.lse + 64; }, kStatus,
           "there is no kernel of bf16 with caches of i8 for gfx942"},
          {[](Description& d) { d.k.row_stride = 512; }, kInvalid, "k.row_stride is 512, less than 576"},
          {[](Description& d) { d.heads_q = 2, d.o.head_stride = 504; }, kInvalid,
           "o.head_stride is 504, less than 512"},
          {[](Description& d) { d.o.data = d.k.data; }, kInvalid, "o overlaps k"},
          {[](Description& d) { d.page_size = 0; }, kInvalid, "page_size is 0, no power of two"},
      });
}

TEST_F(DecodeRefuses, AWorkspaceThatIsTooSmallOrLiesInTheWay) {
  right_.longest_context = 2048, right_.batches = 1;
  size_t bytes = 0;
  ASSERT_EQ(wavesmith_kernels_decode_workspace(&right_, &bytes), WAVESMITH_KERNELS_SUCCESS)
      << wavesmith_kernels_message();
  ASSERT_GT(bytes, 0U);
  const auto with = [&](void* workspace, size_t size, const char* says) {
    right_.workspace = workspace, right_.workspace_bytes = size;
    expect_refused(wavesmith_kernels_decode(&right_, nullptr), WAVESMITH_KERNELS_INVALID_ARGUMENT, says);
  };
  const OnGpu own(Elements(WAVESMITH_KERNELS_F32, bytes / 4 + 4));
  with(nullptr, bytes, "workspace is null");
  with(own.data(), bytes - 1, "workspace_bytes is");
  with(static_cast<char*>(own.data()) + 4, bytes, "workspace is not aligned to 16 bytes");
  with(right_.o.data, bytes, "workspace overlaps o");
}

TEST_F(DecodeRefuses, NothingWhereThereIsNothingToCompute) {
  right_.batches = 0, right_.q.data = nullptr, right_.context_lengths = nullptr;
  EXPECT_EQ(wavesmith_kernels_decode(&right_, nullptr), WAVESMITH_KERNELS_SUCCESS);
}

TEST(DecodeSplits, ContextsUntilTheUnitsAreBusyEvenly) {
  const auto splits = [](int64_t batches, int64_t context, int64_t window = -1) {
    const Description decode{.batches = batches,
                             .heads_q = 64,
                             .heads_kv = 8,
                             .length_q = 1,
                             .head_size = 128,
                             .type = WAVESMITH_KERNELS_BF16,
                             .k = {.type = WAVESMITH_KERNELS_BF16},
                             .longest_context = context,
                             .scale = 1,
                             .window_left = window};
    DecodeChoice choice;
    EXPECT_EQ(choose_decode(decode, "gfx942", 304, choice), WAVESMITH_KERNELS_SUCCESS);
    const DecodeArguments& got = choice.arguments;
    EXPECT_GE(int64_t{got.keys} * got.splits, window < 0 ? context : std::min(context, window + 1));
    EXPECT_EQ(choice.workspace_bytes == 0, got.splits == 1);
    return got.splits;
  };
  EXPECT_EQ(splits(1, 0), 1);
  EXPECT_EQ(splits(1, 100), 1);
  EXPECT_EQ(splits(1, 8192), 32);
  EXPECT_EQ(splits(8, 8192), 4);
  EXPECT_EQ(splits(64, 8192), 16);
  EXPECT_EQ(splits(4096, 128), 1);
  EXPECT_LE(splits(1, 1 << 20, 1000), 9);  // of a window alone
}

TEST(DecodeSplits, LatentsOfManyHeadsRarely) {
  const auto choice_of = [](int64_t batches, int64_t heads) {
    const Description decode{.batches = batches,
                             .heads_q = heads,
                             .heads_kv = 1,
                             .length_q = 1,
                             .head_size = 576,
                             .head_size_v = 512,
                             .type = WAVESMITH_KERNELS_BF16,
                             .k = {.type = WAVESMITH_KERNELS_BF16},
                             .longest_context = 8192,
                             .scale = 1,
                             .window_left = -1};
    DecodeChoice choice;
    EXPECT_EQ(choose_decode(decode, "gfx942", 304, choice), WAVESMITH_KERNELS_SUCCESS);
    return choice;
  };
  EXPECT_EQ(choice_of(64, 16).kernel, "mla_bf16_16");
  EXPECT_EQ(choice_of(64, 17).kernel, "mla_bf16_64");
  EXPECT_EQ(choice_of(64, 128).arguments.tiles, 2);
  EXPECT_EQ(choice_of(64, 128).arguments.splits, 2);  // their parts are as long as 320 keys
  EXPECT_EQ(choice_of(64, 16).arguments.splits, 4);
  EXPECT_EQ(choice_of(256, 128).arguments.splits, 1);
}

}  // namespace
}  // namespace wavesmith::kernels
