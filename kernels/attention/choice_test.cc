// The choice of a kernel, which needs no GPU.
#include "kernels/attention/choice.h"

#include <gtest/gtest.h>

#include <string>

#include "kernels/library/failure.h"

namespace wavesmith::kernels {
namespace {

using Description = wavesmith_kernels_attention_description;

/// Of bf16 heads that lie behind one another in a position; nothing looks at their elements.
Description attention(int64_t heads, int64_t length, int64_t head_size, int64_t head_size_v = 0) {
  const auto at = [&](int number) {
    return wavesmith_kernels_heads{reinterpret_cast<void*>(uintptr_t{1} << (44 + number)),
                                   length * heads * head_size, heads * head_size, head_size};
  };
  return {.batches = 2,
          .heads_q = heads,
          .heads_kv = heads,
          .length_q = length,
          .length_k = length,
          .head_size = head_size,
          .head_size_v = head_size_v,
          .type = WAVESMITH_KERNELS_BF16,
          .q = at(0),
          .k = at(1),
          .v = at(2),
          .o = at(3),
          .scale = 1,
          .window_left = -1,
          .window_right = -1};
}

AttentionChoice choice(const Description& description, const char* target) {
  AttentionChoice chosen;
  EXPECT_EQ(check_attention(description), WAVESMITH_KERNELS_SUCCESS) << message();
  EXPECT_EQ(choose_attention(description, target, chosen), WAVESMITH_KERNELS_SUCCESS) << message();
  return chosen;
}

TEST(AttentionChoice, TakesTheSmallestHeadThatFits) {
  EXPECT_EQ(choice(attention(2, 100, 8), "gfx942").kernel, "attention_bf16_64");
  EXPECT_EQ(choice(attention(2, 100, 64), "gfx1201").kernel, "attention_bf16_64");
  EXPECT_EQ(choice(attention(2, 100, 72), "gfx1100").kernel, "attention_bf16_128");
  EXPECT_EQ(choice(attention(2, 100, 136), "gfx90a").kernel, "attention_bf16_256");
  EXPECT_EQ(choice(attention(2, 100, 256), "gfx1151").kernel, "attention_bf16_256");
  EXPECT_EQ(choice(attention(2, 100, 192, 128), "gfx942").kernel, "attention_bf16_192x128");
  EXPECT_EQ(choice(attention(2, 100, 192, 136), "gfx942").kernel, "attention_bf16_256");
  EXPECT_EQ(choice(attention(2, 100, 192, 128), "gfx1100").kernel, "attention_bf16_256");
  EXPECT_EQ(choice(attention(2, 100, 128, 64), "gfx950").kernel, "attention_bf16_128");
  AttentionChoice none;
  EXPECT_EQ(choose_attention(attention(2, 100, 264), "gfx1100", none), WAVESMITH_KERNELS_NOT_SUPPORTED);
  EXPECT_EQ(std::string(message()), "attention: head_size is 264, and the kernels for gfx1100 go to 256");
  EXPECT_EQ(choose_attention(attention(2, 100, 64), "gfx803", none), WAVESMITH_KERNELS_NOT_SUPPORTED);
}

TEST(AttentionChoice, ScoresThatDoNotGrowWithTheProductAreShaped) {
  Description description = attention(2, 100, 64);
  description.softcap = 1;
  EXPECT_EQ(choice(description, "gfx942").kernel, "attention_bf16_64_shaped");
  description.softcap = 0, description.scale = -1, description.type = WAVESMITH_KERNELS_F16;
  EXPECT_EQ(choice(description, "gfx942").kernel, "attention_f16_64_shaped");
}

TEST(AttentionChoice, TheGridHoldsEachTileOnce) {
  for (const AttentionConfiguration& row : attention_configurations()) {
    const AttentionArguments got =
        choice(attention(3, 1000, row.head_size, row.head_size_v), row.target.data()).arguments;
    EXPECT_EQ(got.tiles, (1000 + row.rows - 1) / row.rows);
    EXPECT_EQ(got.workgroups, 2 * 3 * got.tiles);
    EXPECT_GE(got.dies * got.per_die, got.workgroups);
    EXPECT_LT(got.dies * (got.per_die - 1), got.workgroups);
  }
}

TEST(AttentionChoice, StridesOfWhatThereIsOneOfDoNotMatter) {
  Description description = attention(1, 1, 64);
  description.batches = 1;
  for (auto* heads : {&description.q, &description.k, &description.v, &description.o})
    heads->batch_stride = heads->row_stride = heads->head_stride = 0;
  EXPECT_EQ(choice(description, "gfx942").arguments.stride_k.row, 64);
}

TEST(AttentionChoice, PackedSequencesHaveNoBatchStride) {
  Description description = attention(2, 100, 64);
  description.cu_seqlens_q = description.cu_seqlens_k = reinterpret_cast<const int32_t*>(4);
  description.total_q = 150, description.total_k = 120;
  const AttentionArguments got = choice(description, "gfx942").arguments;
  EXPECT_EQ(got.stride_q.batch, 0);
  EXPECT_EQ(got.length_q, 150);
  EXPECT_EQ(got.length_k, 120);
  EXPECT_EQ(got.tiles, 1);
}

}  // namespace
}  // namespace wavesmith::kernels
