// What attention's gradients refuse, and which kernels they name.
#include "kernels/attention/refusals_testing.h"

namespace wavesmith::kernels {
namespace {

using Description = wavesmith_kernels_attention_backward_description;

TEST(AttentionBackwardRefuses, WhatBreaksARuleAndSaysWhich) {
  ASSERT_EQ(hipSetDevice(1), 0);
  const OnGpu memory(Elements(WAVESMITH_KERNELS_BF16, 1 << 16));
  char* const at = static_cast<char*>(memory.data());
  Description right{.forward = small_attention(at),
                    .d_o = small_heads(at, 4),
                    .dq = small_heads(at, 5),
                    .dk = small_heads(at, 6),
                    .dv = small_heads(at, 7),
                    .workspace = small_heads(at, 9).data};
  ASSERT_EQ(wavesmith_kernels_attention_backward_workspace(&right, &right.workspace_bytes),
            WAVESMITH_KERNELS_SUCCESS)
      << wavesmith_kernels_message();
  EXPECT_EQ(right.workspace_bytes, 2U * 2 * 16 * 8);
  ASSERT_EQ(wavesmith_kernels_attention_backward(&right, nullptr), WAVESMITH_KERNELS_SUCCESS)
      << wavesmith_kernels_message();
  ASSERT_EQ(hipDeviceSynchronize(), 0);
  using B = Description;
  constexpr auto kInvalid = WAVESMITH_KERNELS_INVALID_ARGUMENT, kNot = WAVESMITH_KERNELS_NOT_SUPPORTED;
  const Refusal<B> all[] = {
      {[](B& b) { b.forward.batches = -1; }, kInvalid, "attention: batches is negative"},
      {[](B& b) { b.forward.type = WAVESMITH_KERNELS_F32; }, kNot, "f32"},
      {[](B& b) { b.forward.lse = nullptr; }, kInvalid, "forward.lse is null"},
      {[](B& b) { b.forward.head_size_v = 72; }, kInvalid,
       "attention: o.head_stride is 64, less than the 72"},
      {[](B& b) { b.forward.head_size_v = -8; }, kInvalid, "attention: head_size_v is negative"},
      {[](B& b) { b.forward.o.data = static_cast<char*>(b.forward.o.data) + 2; }, kInvalid,
       "forward.o.data is not aligned to 4"},
      {[](B& b) { b.forward.o.row_stride = 129; }, kNot, "forward.o.row_stride is 129, an odd number"},
      {[](B& b) {
         auto& a = b.forward;
         a.heads_q = a.heads_kv = a.batches = a.length_q = a.length_k = 1, a.head_size = 136;
         a.dropout = 0.5F;
       },
       kNot, "head_size is 136, and the kernels with dropout go to 128"},
      {[](B& b) { b.d_o.data = nullptr; }, kInvalid, "d_o.data is null"},
      {[](B& b) { b.d_o.row_stride = 63; }, kNot, "d_o.row_stride is 63, an odd number"},
      {[](B& b) { b.dq.data = nullptr; }, kInvalid, "dq.data is null"},
      {[](B& b) { b.dk.batch_stride = 0; }, kInvalid, "dk.batch_stride is 0, less than"},
      {[](B& b) { b.dv.row_stride = 62; }, kInvalid, "dv.row_stride is 62, less than the 64"},
      {[](B& b) { b.dv.data = static_cast<char*>(b.dv.data) + 1; }, kInvalid, "dv.data is not aligned to 2"},
      {[](B& b) { b.dq.data = b.forward.q.data; }, kInvalid, "dq overlaps forward.q"},
      {[](B& b) { b.dk.data = b.d_o.data; }, kInvalid, "dk overlaps d_o"},
      {[](B& b) { b.dv.data = static_cast<char*>(b.dk.data) + 4096; }, kInvalid, "dv overlaps dk"},
      {[](B& b) { b.dq.data = b.forward.lse; }, kInvalid, "dq overlaps forward.lse"},
      {[](B& b) { b.workspace_bytes -= 1; }, kInvalid, "workspace"},
      {[](B& b) { b.workspace = nullptr; }, kInvalid, "workspace"},
      {[](B& b) { b.workspace = static_cast<char*>(b.workspace) + 4; }, kInvalid, "aligned"},
      {[](B& b) { b.workspace = b.forward.k.data; }, kInvalid, "workspace overlaps forward.k"},
      {[](B& b) { b.workspace = b.dv.data; }, kInvalid, "workspace overlaps dv"},
      {[](B& b) { b.any_order = 1; }, kInvalid,
       "workspace_bytes is 512, less than the 16896 that are needed"},
      {[](B& b) { b.forward.dropout = 1; }, kInvalid, "dropout is 1.000000, not in [0, 1)"},
      {[](B& b) {
         b.forward.dropout = 0.5F, b.forward.dropout_state = static_cast<const uint64_t*>(b.dk.data);
       },
       kInvalid, "dk overlaps forward.dropout_state"},
  };
  expect_refusals(wavesmith_kernels_attention_backward, right, all);
  EXPECT_EQ(wavesmith_kernels_attention_backward(nullptr, nullptr), WAVESMITH_KERNELS_INVALID_ARGUMENT);
}

TEST(AttentionBackwardCheck, NamesTheKernels) {
  ASSERT_EQ(hipSetDevice(1), 0);
  const auto at = [](int number) {  // looked at by nobody
    return wavesmith_kernels_heads{reinterpret_cast<void*>(uintptr_t{1} << (40 + number)), 4096 * 128, 128,
                                   128};
  };
  Description backward{.forward = {.batches = 1,
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
                                   .scale = 1,
                                   .lse = static_cast<float*>(at(10).data)},
                       .d_o = at(4),
                       .dq = at(5),
                       .dk = at(6),
                       .dv = at(7),
                       .workspace = at(8).data,
                       .workspace_bytes = 4096 * 8};
  const char* name = nullptr;
  ASSERT_EQ(wavesmith_kernels_attention_backward_check(&backward, &name), WAVESMITH_KERNELS_SUCCESS)
      << wavesmith_kernels_message();
  EXPECT_STREQ(name, "attention_backward_bf16_128_queries attention_backward_bf16_128_keys_and_values");
  backward.any_order = 1, backward.workspace_bytes = 4096 * (8 + 128 * 4);
  ASSERT_EQ(wavesmith_kernels_attention_backward_check(&backward, &name), WAVESMITH_KERNELS_SUCCESS)
      << wavesmith_kernels_message();
  EXPECT_STREQ(name,
               "attention_backward_bf16_128_all_begin attention_backward_bf16_128_all "
               "attention_backward_bf16_128_all_end");
  // Of few workgroups those with the same keys have some of the heads of queries each.
  Description grouped = backward;
  grouped.forward.heads_q = 2, grouped.forward.lse_head_stride = 4096;
  for (wavesmith_kernels_heads* const heads :
       {&grouped.forward.q, &grouped.forward.o, &grouped.d_o, &grouped.dq})
    heads->batch_stride *= 2, heads->row_stride *= 2;
  ASSERT_EQ(wavesmith_kernels_attention_backward_workspace(&grouped, &grouped.workspace_bytes),
            WAVESMITH_KERNELS_SUCCESS)
      << wavesmith_kernels_message();
  EXPECT_EQ(grouped.workspace_bytes, 4096U * (2 * 8 + (2 + 2) * 128 * 4));
  ASSERT_EQ(wavesmith_kernels_attention_backward_check(&grouped, &name), WAVESMITH_KERNELS_SUCCESS)
      << wavesmith_kernels_message();
  EXPECT_STREQ(name,
               "attention_backward_bf16_128_all_begin attention_backward_bf16_128_all_begin_keys "
               "attention_backward_bf16_128_all attention_backward_bf16_128_all_end "
               "attention_backward_bf16_128_all_end_keys");
  // Dropout is for the kernels whose order is the same in each run, and takes their workspace.
  backward.forward.dropout = 0.5F, backward.workspace_bytes = 4096 * 8;
  ASSERT_EQ(wavesmith_kernels_attention_backward_check(&backward, &name), WAVESMITH_KERNELS_SUCCESS)
      << wavesmith_kernels_message();
  EXPECT_STREQ(name,
               "attention_backward_bf16_128_queries_dropout attention_backward_bf16_128_keys_dropout "
               "attention_backward_bf16_128_values_dropout");
  backward.forward.dropout = 0, backward.any_order = 0;
  backward.forward.softcap = 30, backward.forward.length_k = 0;
  ASSERT_EQ(wavesmith_kernels_attention_backward_check(&backward, &name), WAVESMITH_KERNELS_SUCCESS);
  EXPECT_STREQ(name, "attention_backward_bf16_128_queries_shaped");
  backward.forward.dropout = 0.5F;
  ASSERT_EQ(wavesmith_kernels_attention_backward_check(&backward, &name), WAVESMITH_KERNELS_SUCCESS);
  EXPECT_STREQ(name, "attention_backward_bf16_128_queries_dropout");
}

}  // namespace
}  // namespace wavesmith::kernels
