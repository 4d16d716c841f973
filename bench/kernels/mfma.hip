// Matrix instructions one after another, each kernel of one kind. Every instruction adds to one of several independent sums.
#include "device.h"

using f32x4 = float __attribute__((ext_vector_type(4)));
using f32x16 = float __attribute__((ext_vector_type(16)));
using f16x4 = _Float16 __attribute__((ext_vector_type(4)));
using bf16x4 = short __attribute__((ext_vector_type(4)));

template <class Sum, class Operand, class Multiply>
__device__ inline void repeat(float* out, const Operand* in, u32 rounds, Multiply multiply) {
  constexpr int kSums = 4;
  const u32 lane = thread_x();
  Operand a[2] = {in[lane], in[lane + 64]}, b[2] = {in[lane + 128], in[lane + 192]};
  Sum sum[kSums] = {};
  for (u32 round = 0; round < rounds; ++round)
#pragma unroll
    for (int k = 0; k < 4 * kSums; ++k) sum[k % kSums] = multiply(a[k / 4 % 2], b[k / 8], sum[k % kSums]);
  Sum total = sum[0] + sum[1] + sum[2] + sum[3];
  float result = 0;
  for (int i = 0; i < static_cast<int>(sizeof(Sum) / 4); ++i) result += total[i];
  out[block_x() * 64 + lane] = result;
}

KERNEL void mfma_f16_32x32x8(float* out, const f16x4* in, u32 rounds) {
  repeat<f32x16>(out, in, rounds, [](f16x4 a, f16x4 b, f32x16 c) { return __builtin_amdgcn_mfma_f32_32x32x8f16(a, b, c, 0, 0, 0); });
}
KERNEL void mfma_f16_16x16x16(float* out, const f16x4* in, u32 rounds) {
  repeat<f32x4>(out, in, rounds, [](f16x4 a, f16x4 b, f32x4 c) { return __builtin_amdgcn_mfma_f32_16x16x16f16(a, b, c, 0, 0, 0); });
}
KERNEL void mfma_bf16_32x32x8(float* out, const bf16x4* in, u32 rounds) {
  repeat<f32x16>(out, in, rounds, [](bf16x4 a, bf16x4 b, f32x16 c) { return __builtin_amdgcn_mfma_f32_32x32x8bf16_1k(a, b, c, 0, 0, 0); });
}
KERNEL void mfma_bf16_16x16x16(float* out, const bf16x4* in, u32 rounds) {
  repeat<f32x4>(out, in, rounds, [](bf16x4 a, bf16x4 b, f32x4 c) { return __builtin_amdgcn_mfma_f32_16x16x16bf16_1k(a, b, c, 0, 0, 0); });
}
KERNEL void mfma_fp8_16x16x32(float* out, const long* in, u32 rounds) {
  repeat<f32x4>(out, in, rounds, [](long a, long b, f32x4 c) { return __builtin_amdgcn_mfma_f32_16x16x32_fp8_fp8(a, b, c, 0, 0, 0); });
}
KERNEL void mfma_fp8_32x32x16(float* out, const long* in, u32 rounds) {
  repeat<f32x16>(out, in, rounds, [](long a, long b, f32x16 c) { return __builtin_amdgcn_mfma_f32_32x32x16_fp8_fp8(a, b, c, 0, 0, 0); });
}
