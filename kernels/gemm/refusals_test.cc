// What products refuse, and which kernel they name.
#include "kernels/refusal_testing.h"

namespace wavesmith::kernels {
namespace {

constexpr auto kInvalid = WAVESMITH_KERNELS_INVALID_ARGUMENT;

/// Memory behind the matrices.
void* free_of(const wavesmith_kernels_gemm_description& gemm) {
  return static_cast<char*>(gemm.d.data) + 1024;
}

/// What is refused, and the words that the message must have.
TEST(GemmRefuses, WhatBreaksARuleAndSaysWhich) {
  ASSERT_EQ(hipSetDevice(1), 0);
  const OnGpu memory(Elements(WAVESMITH_KERNELS_BF16, 4096));
  char* const at = static_cast<char*>(memory.data());
  const auto matrix = [&](int64_t first, int64_t stride) {
    return wavesmith_kernels_matrix{at + 2 * first, WAVESMITH_KERNELS_BF16, stride, 1, 0};
  };
  const wavesmith_kernels_gemm_description right{.m = 8,
                                                 .n = 8,
                                                 .k = 8,
                                                 .batches = 1,
                                                 .alpha = 1,
                                                 .beta = 1,
                                                 .a = matrix(0, 8),
                                                 .b = matrix(64, 8),
                                                 .c = matrix(128, 8),
                                                 .d = matrix(192, 8)};
  ASSERT_EQ(wavesmith_kernels_gemm(&right, nullptr), WAVESMITH_KERNELS_SUCCESS)
      << wavesmith_kernels_message();
  EXPECT_STREQ(wavesmith_kernels_message(), "");
  ASSERT_EQ(hipDeviceSynchronize(), 0);
  using G = wavesmith_kernels_gemm_description;
  const Refusal<G> all[] = {
      {[](G& g) { g.m = -1; }, WAVESMITH_KERNELS_INVALID_ARGUMENT, "m is negative"},
      {[](G& g) { g.k = int64_t{1} << 40; }, WAVESMITH_KERNELS_NOT_SUPPORTED, "k is too large"},
      {[](G& g) { g.batches = -2; }, WAVESMITH_KERNELS_INVALID_ARGUMENT, "batches is negative"},
      {[](G& g) { g.a.data = nullptr; }, WAVESMITH_KERNELS_INVALID_ARGUMENT, "a.data is null"},
      {[](G& g) { g.d.data = nullptr; }, WAVESMITH_KERNELS_INVALID_ARGUMENT, "d.data is null"},
      {[](G& g) { g.c.data = nullptr; }, WAVESMITH_KERNELS_INVALID_ARGUMENT, "c.data is null"},
      {[](G& g) { g.b.type = static_cast<Type>(77); }, WAVESMITH_KERNELS_INVALID_ARGUMENT, "b.type is 77"},
      {[](G& g) { g.b.type = WAVESMITH_KERNELS_F16; }, WAVESMITH_KERNELS_NOT_SUPPORTED,
       "a is of bf16 and b of f16"},
      {[](G& g) { g.a.type = g.b.type = WAVESMITH_KERNELS_I32; }, WAVESMITH_KERNELS_NOT_SUPPORTED, "i32"},
      {[](G& g) { g.a.type = WAVESMITH_KERNELS_E4M3, g.b.type = WAVESMITH_KERNELS_E5M2_FNUZ; },
       WAVESMITH_KERNELS_NOT_SUPPORTED, "a is of e4m3 and b of e5m2fnuz"},
      {[](G& g) { g.a.type = g.b.type = WAVESMITH_KERNELS_E4M3; }, WAVESMITH_KERNELS_NOT_SUPPORTED,
       "no kernel for a and b of e4m3 for gfx942"},
      {[](G& g) { g.a.type = g.b.type = WAVESMITH_KERNELS_I8; }, WAVESMITH_KERNELS_NOT_SUPPORTED,
       "want K together in memory"},
      {[](G& g) { g.d.type = WAVESMITH_KERNELS_I8; }, WAVESMITH_KERNELS_NOT_SUPPORTED, "d of i8"},
      {[](G& g) { g.a.type = g.b.type = WAVESMITH_KERNELS_I8, g.d.type = WAVESMITH_KERNELS_I32; },
       WAVESMITH_KERNELS_NOT_SUPPORTED, "d of i32 is the sums themselves"},
      {[](G& g) { g.c.type = WAVESMITH_KERNELS_I8; }, WAVESMITH_KERNELS_NOT_SUPPORTED, "c is of i8"},
      {[](G& g) { g.a.row_stride = 7; }, WAVESMITH_KERNELS_INVALID_ARGUMENT, "a.row_stride is 7"},
      {[](G& g) { g.d.column_stride = 2; }, WAVESMITH_KERNELS_INVALID_ARGUMENT, "d has strides 8 and 2"},
      {[](G& g) { g.a.data = static_cast<char*>(g.a.data) + 1; }, WAVESMITH_KERNELS_INVALID_ARGUMENT,
       "a.data is not aligned"},
      {[](G& g) { g.c.row_stride = 1, g.c.column_stride = 8; }, WAVESMITH_KERNELS_NOT_SUPPORTED,
       "c and d must both lie by rows"},
      {[](G& g) { g.m = 1, g.c.row_stride = 1, g.c.column_stride = 2; }, WAVESMITH_KERNELS_NOT_SUPPORTED,
       "c and d must both lie by rows"},
      {[](G& g) { g.d.data = g.a.data; }, WAVESMITH_KERNELS_INVALID_ARGUMENT, "d overlaps a"},
      {[](G& g) { g.d.data = static_cast<char*>(g.b.data) + 126; }, WAVESMITH_KERNELS_INVALID_ARGUMENT,
       "d overlaps b"},
      {[](G& g) { g.batches = 2; }, WAVESMITH_KERNELS_INVALID_ARGUMENT, "d.batch_stride is 0"},
      {[](G& g) { g.pointer_arrays = 1, g.b.data = static_cast<char*>(g.b.data) + 4; },
       WAVESMITH_KERNELS_INVALID_ARGUMENT, "b.data is not aligned to a pointer"},
      {[](G& g) { g.batches = 2, g.d.batch_stride = 63; }, WAVESMITH_KERNELS_INVALID_ARGUMENT,
       "d.batch_stride is 63, with which results of the batch overlap"},
      {[](G& g) { g.a.batch_stride = -8; }, WAVESMITH_KERNELS_INVALID_ARGUMENT, "a.batch_stride is negative"},
      {[](G& g) { g.b.row_stride = int64_t{1} << 30; }, WAVESMITH_KERNELS_NOT_SUPPORTED, "b has a stride of"},
      {[](G& g) { g.activation = static_cast<wavesmith_kernels_activation>(9); },
       WAVESMITH_KERNELS_INVALID_ARGUMENT, "activation is 9"},
      {[](G& g) { g.bias = g.a.data, g.bias_type = static_cast<Type>(-1); },
       WAVESMITH_KERNELS_INVALID_ARGUMENT, "bias_type"},
      {[](G& g) { g.scale_b = reinterpret_cast<const float*>(2); }, WAVESMITH_KERNELS_INVALID_ARGUMENT,
       "scale_b is not aligned"},
      {[](G& g) { g.workspace_bytes = 64; }, WAVESMITH_KERNELS_INVALID_ARGUMENT, "workspace is null"},
      {[](G& g) { g.workspace = static_cast<char*>(g.d.data) + 1028, g.workspace_bytes = 64; },
       WAVESMITH_KERNELS_INVALID_ARGUMENT, "workspace is not aligned to 16 bytes"},
      {[](G& g) { g.workspace = g.a.data, g.workspace_bytes = 64; }, WAVESMITH_KERNELS_INVALID_ARGUMENT,
       "workspace overlaps a"},
      {[](G& g) { g.workspace = g.c.data, g.workspace_bytes = 64; }, WAVESMITH_KERNELS_INVALID_ARGUMENT,
       "workspace overlaps c"},
      {[](G& g) { g.workspace = g.d.data, g.workspace_bytes = 64; }, WAVESMITH_KERNELS_INVALID_ARGUMENT,
       "workspace overlaps d"},
      {[](G& g) { g.workspace = g.b.data, g.workspace_bytes = 64; }, kInvalid, "workspace overlaps b"},
      {[](G& g) { g.bias = g.workspace = free_of(g), g.workspace_bytes = 64; }, kInvalid,
       "workspace overlaps bias"},
      {[](G& g) { g.scale_a = static_cast<float*>(g.workspace = free_of(g)), g.workspace_bytes = 16; },
       kInvalid, "workspace overlaps scale_a"},
      {[](G& g) {
         g.scale_b = static_cast<float*>(free_of(g)) - 7, g.scale_b_per_column = 1;
         g.workspace = free_of(g), g.workspace_bytes = 16;
       },
       kInvalid, "workspace overlaps scale_b"},
      {[](G& g) {
         g.pointer_arrays = 1, g.batches = 2, g.scale_d = static_cast<float*>(g.workspace = free_of(g));
         g.workspace_bytes = 64;
       },
       kInvalid, "workspace overlaps scale_d"},
      {[](G& g) { g.bias = static_cast<char*>(free_of(g)) + 1, g.bias_type = WAVESMITH_KERNELS_BF16; },
       kInvalid, "bias is not aligned to 2 bytes"},
      {[](G& g) { g.bias = g.d.data, g.bias_type = WAVESMITH_KERNELS_F32; }, kInvalid, "d overlaps bias"},
      {[](G& g) { g.scale_a = static_cast<float*>(g.d.data); }, kInvalid, "d overlaps scale_a"},
      {[](G& g) { g.scale_d = static_cast<float*>(g.d.data) + 31; }, kInvalid, "d overlaps scale_d"},
      {[](G& g) { g.c.data = static_cast<char*>(g.d.data) + 2; }, kInvalid, "d overlaps c, and is not c"},
      {[](G& g) { g.c.data = g.d.data, g.c.type = WAVESMITH_KERNELS_F32; }, kInvalid,
       "d overlaps c, and is not c"},
      {[](G& g) { g.c.data = g.d.data, g.c.row_stride = 16; }, kInvalid, "d overlaps c, and is not c"},
  };
  expect_refusals(wavesmith_kernels_gemm, right, all);
}

TEST(GemmTakes, CThatIsDOrLiesBesideIt) {
  ASSERT_EQ(hipSetDevice(1), 0);
  const OnGpu memory(Elements(WAVESMITH_KERNELS_BF16, 4096));
  char* const at = static_cast<char*>(memory.data());
  const auto matrix = [&](int64_t first, int64_t stride) {
    return wavesmith_kernels_matrix{at + 2 * first, WAVESMITH_KERNELS_BF16, stride, 1, 0};
  };
  wavesmith_kernels_gemm_description gemm{
      .m = 8, .n = 8, .k = 8, .batches = 1, .alpha = 1, .beta = 1, .a = matrix(0, 8), .b = matrix(64, 8)};
  for (const auto& [c, d] : {std::pair{matrix(128, 8), matrix(128, 8)},
                             {matrix(128, 16), matrix(136, 16)},
                             {matrix(136, 16), matrix(128, 16)}}) {
    gemm.c = c, gemm.d = d;
    EXPECT_EQ(wavesmith_kernels_gemm(&gemm, nullptr), WAVESMITH_KERNELS_SUCCESS)
        << wavesmith_kernels_message();
  }
  ASSERT_EQ(hipDeviceSynchronize(), 0);
}

TEST(GemmCheck, NamesTheKernel) {
  ASSERT_EQ(hipSetDevice(1), 0);
  const OnGpu memory(Elements(WAVESMITH_KERNELS_BF16, 64));
  const wavesmith_kernels_matrix any{memory.data(), WAVESMITH_KERNELS_BF16, 4096, 1, 0};
  wavesmith_kernels_matrix far = any;
  far.data = reinterpret_cast<void*>(uintptr_t{1} << 46);  // looked at by nobody
  const wavesmith_kernels_gemm_description gemm{
      .m = 4096, .n = 4096, .k = 4096, .batches = 1, .alpha = 1, .a = any, .b = any, .d = far};
  const char* name = nullptr;
  ASSERT_EQ(wavesmith_kernels_gemm_check(&gemm, &name), WAVESMITH_KERNELS_SUCCESS)
      << wavesmith_kernels_message();
  EXPECT_STREQ(name, "gemm_bf16_256x224x32_kn");
}

}  // namespace
}  // namespace wavesmith::kernels
