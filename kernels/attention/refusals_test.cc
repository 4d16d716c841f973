// What attention refuses, and which kernel it names.
#include <limits>

#include "kernels/attention/refusals_testing.h"

namespace wavesmith::kernels {
namespace {

using Description = wavesmith_kernels_attention_description;

/// What is refused, and the words that the message must have.
TEST(AttentionRefuses, WhatBreaksARuleAndSaysWhich) {
  ASSERT_EQ(hipSetDevice(1), 0);
  const OnGpu memory(Elements(WAVESMITH_KERNELS_BF16, 1 << 16));
  char* const at = static_cast<char*>(memory.data());
  Description right = small_attention(at);
  ASSERT_EQ(wavesmith_kernels_attention(&right, nullptr), WAVESMITH_KERNELS_SUCCESS)
      << wavesmith_kernels_message();
  EXPECT_STREQ(wavesmith_kernels_message(), "");
  ASSERT_EQ(hipDeviceSynchronize(), 0);
  using A = Description;
  constexpr auto kInvalid = WAVESMITH_KERNELS_INVALID_ARGUMENT, kNot = WAVESMITH_KERNELS_NOT_SUPPORTED;
  const Refusal<A> all[] = {
      {[](A& a) { a.batches = -1; }, kInvalid, "batches is negative"},
      {[](A& a) { a.length_k = int64_t{1} << 40; }, kNot, "length_k is 1099511627776"},
      {[](A& a) { a.heads_q = 3; }, kInvalid, "heads_q is 3, no multiple of heads_kv, 2"},
      {[](A& a) { a.heads_kv = 0; }, kInvalid, "no multiple of heads_kv, 0"},
      {[](A& a) { a.head_size = 0; }, kInvalid, "head_size is 0"},
      {[](A& a) { a.head_size = 63; }, kNot, "head_size is 63, no multiple of 8"},
      {[](A& a) { a.head_size_v = 60; }, kNot, "head_size_v is 60, no multiple of 8"},
      {[](A& a) { a.head_size_v = -8; }, kInvalid, "head_size_v is negative"},
      {[](A& a) { a.head_size_v = 72; }, kInvalid, "o.head_stride is 64, less than the 72"},
      {[](A& a) {
         a.heads_q = a.heads_kv = 1, a.head_size = 4096,
         a.q.row_stride = a.k.row_stride = a.v.row_stride = a.o.row_stride = 4096, a.batches = 1,
         a.length_q = a.length_k = 1;
       },
       kNot, "head_size is 4096, and the kernels for gfx942 go to"},
      {[](A& a) {
         a.heads_q = a.heads_kv = 1 << 14, a.batches = 1 << 10,
         a.q.batch_stride = a.k.batch_stride = a.v.batch_stride = a.o.batch_stride = int64_t{1} << 30;
         a.q.head_stride = a.k.head_stride = a.v.head_stride = a.o.head_stride = 1 << 16, a.lse = nullptr;
         a.k.data = a.v.data = reinterpret_cast<void*>(uintptr_t{1} << 62);
         a.o.data = reinterpret_cast<void*>(uintptr_t{1} << 61);
       },
       kNot, "make more tiles than the"},
      {[](A& a) { a.type = WAVESMITH_KERNELS_F32; }, kNot, "f32"},
      {[](A& a) { a.type = WAVESMITH_KERNELS_E4M3; }, kNot, "no kernel for type e4m3"},
      {[](A& a) { a.type = static_cast<Type>(77); }, kInvalid, "type is 77"},
      {[](A& a) { a.q.data = nullptr; }, kInvalid, "q.data is null"},
      {[](A& a) { a.o.data = nullptr; }, kInvalid, "o.data is null"},
      {[](A& a) { a.k.data = static_cast<char*>(a.k.data) + 2; }, kInvalid, "k.data is not aligned to 4"},
      {[](A& a) { a.o.data = static_cast<char*>(a.o.data) + 1; }, kInvalid, "o.data is not aligned to 2"},
      {[](A& a) { a.v.row_stride = 63; }, kNot, "v.row_stride is 63, an odd number"},
      {[](A& a) { a.v.row_stride = 62; }, kInvalid, "v.row_stride is 62, less than the 64"},
      {[](A& a) { a.k.row_stride = int64_t{1} << 30; }, kNot, "k.row_stride is 1073741824, more than"},
      {[](A& a) { a.q.head_stride = -64; }, kInvalid, "q.head_stride is negative"},
      {[](A& a) { a.o.batch_stride = 0; }, kInvalid, "o.batch_stride is 0, less than"},
      {[](A& a) { a.o.data = a.q.data; }, kInvalid, "o overlaps q"},
      {[](A& a) { a.o.data = static_cast<char*>(a.v.data) + 4096; }, kInvalid, "o overlaps v"},
      {[](A& a) { a.scale = std::numeric_limits<float>::infinity(); }, kInvalid, "scale is not finite"},
      {[](A& a) { a.softcap = -1; }, kInvalid, "softcap is negative"},
      {[](A& a) { a.window_left = -2; }, kInvalid, "window_left is -2"},
      {[](A& a) { a.lse = reinterpret_cast<float*>(1); }, kInvalid, "lse is not aligned"},
      {[](A& a) { a.lse = static_cast<float*>(a.o.data); }, kInvalid, "lse overlaps o"},
      {[](A& a) { a.lse = static_cast<float*>(a.k.data); }, kInvalid, "lse overlaps k"},
      {[](A& a) { a.alibi_slopes = static_cast<float*>(a.o.data); }, kInvalid, "o overlaps alibi_slopes"},
      {[](A& a) { a.sinks = static_cast<float*>(a.o.data) + 1; }, kInvalid, "o overlaps sinks"},
      {[](A& a) { a.sinks = a.lse + 1; }, kInvalid, "lse overlaps sinks"},
      {[](A& a) { a.cu_seqlens_q = static_cast<const int32_t*>(a.o.data), a.total_q = 32; }, kInvalid,
       "o overlaps cu_seqlens_q"},
      {[](A& a) { a.cu_seqlens_k = reinterpret_cast<const int32_t*>(a.lse), a.total_k = 32; }, kInvalid,
       "lse overlaps cu_seqlens_k"},
      {[](A& a) { a.lse_head_stride = 15; }, kInvalid, "lse_head_stride is 15"},
      {[](A& a) { a.lse_batch_stride = 0; }, kInvalid, "lse_batch_stride is 0"},
      {[](A& a) { a.alibi_slopes = a.lse, a.alibi_batch_stride = -1; }, kInvalid, "alibi_batch_stride"},
      {[](A& a) { a.cu_seqlens_q = reinterpret_cast<const int32_t*>(2); }, kInvalid, "cu_seqlens_q is not"},
      {[](A& a) { a.sinks = reinterpret_cast<const float*>(6); }, kInvalid, "sinks is not aligned"},
      {[](A& a) { a.cu_seqlens_k = reinterpret_cast<const int32_t*>(4), a.total_k = -5; }, kInvalid,
       "total_k is negative"},
      {[](A& a) { a.dropout = -0.5F; }, kInvalid, "dropout is -0.5"},
      {[](A& a) { a.dropout = 1; }, kInvalid, "dropout is 1.000000, not in [0, 1)"},
      {[](A& a) { a.dropout = std::numeric_limits<float>::quiet_NaN(); }, kInvalid, "dropout is nan"},
      {[](A& a) { a.dropout = 0.5F, a.dropout_offset = 6; }, kInvalid,
       "dropout_offset is 6, no multiple of 4"},
      {[](A& a) { a.dropout = 0.5F, a.dropout_state = reinterpret_cast<const uint64_t*>(4); }, kInvalid,
       "dropout_state is not aligned to 8"},
      {[](A& a) { a.dropout = 0.5F, a.dropout_state = static_cast<const uint64_t*>(a.o.data); }, kInvalid,
       "o overlaps dropout_state"},
      {[](A& a) {
         a.heads_q = a.heads_kv = a.batches = a.length_q = a.length_k = 1, a.head_size = 192,
         a.dropout = 0.5F;
       },
       kNot, "head_size is 192, and the kernels with dropout go to 128"},
      {[](A& a) {
         a.heads_q = a.heads_kv = a.batches = a.length_q = a.length_k = 1, a.head_size_v = 136,
         a.dropout = 0.5F;
       },
       kNot, "head_size_v is 136, and the kernels with dropout go to 128"},
  };
  expect_refusals(wavesmith_kernels_attention, right, all);
  right.length_q = 0, right.q.data = right.o.data = nullptr;
  EXPECT_EQ(wavesmith_kernels_attention(&right, nullptr), WAVESMITH_KERNELS_SUCCESS)
      << wavesmith_kernels_message();
}

TEST(AttentionCheck, NamesTheKernel) {
  ASSERT_EQ(hipSetDevice(1), 0);
  const auto at = [](int number) {  // looked at by nobody
    return wavesmith_kernels_heads{reinterpret_cast<void*>(uintptr_t{1} << (40 + number)), 4096 * 128, 128,
                                   128};
  };
  Description attention{.batches = 1,
                        .heads_q = 1,
                        .heads_kv = 1,
                        .length_q = 4096,
                        .length_k = 4096,
                        .head_size = 96,
                        .type = WAVESMITH_KERNELS_BF16,
                        .q = at(0),
                        .k = at(1),
                        .v = at(2),
                        .o = at(3),
                        .scale = 1};
  const char* name = nullptr;
  ASSERT_EQ(wavesmith_kernels_attention_check(&attention, &name), WAVESMITH_KERNELS_SUCCESS)
      << wavesmith_kernels_message();
  EXPECT_STREQ(name, "attention_bf16_128");
  attention.softcap = 30, attention.type = WAVESMITH_KERNELS_F16;
  ASSERT_EQ(wavesmith_kernels_attention_check(&attention, &name), WAVESMITH_KERNELS_SUCCESS);
  EXPECT_STREQ(name, "attention_f16_128_shaped");
  attention.dropout = 0.5F;
  ASSERT_EQ(wavesmith_kernels_attention_check(&attention, &name), WAVESMITH_KERNELS_SUCCESS);
  EXPECT_STREQ(name, "attention_f16_128_dropout");
}

}  // namespace
}  // namespace wavesmith::kernels
