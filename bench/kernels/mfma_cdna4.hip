// CDNA4's matrix instructions: what mfma.hip does for CDNA3, and a whole GEMM.
#include "device.h"

using f32x4 = float __attribute__((ext_vector_type(4)));
using f32x16 = float __attribute__((ext_vector_type(16)));
using i32x4 = int __attribute__((ext_vector_type(4)));
using i32x8 = int __attribute__((ext_vector_type(8)));

/// e4m3 times e4m3; scales of 0 ask for the instruction without scales.
__device__ inline f32x4 multiply(i32x8 a, i32x8 b, f32x4 c) {
  return __builtin_amdgcn_mfma_scale_f32_16x16x128_f8f6f4(a, b, c, 0, 0, 0, 0, 0, 0);
}
__device__ inline f32x16 multiply(i32x8 a, i32x8 b, f32x16 c) {
  return __builtin_amdgcn_mfma_scale_f32_32x32x64_f8f6f4(a, b, c, 0, 0, 0, 0, 0, 0);
}

template <class Sum>
__device__ inline void repeat(float* out, const i32x8* in, u32 rounds) {
  const u32 lane = thread_x();
  const i32x8 a[2] = {in[lane], in[lane + 64]}, b[2] = {in[lane + 128], in[lane + 192]};
  Sum sum[4] = {};
  for (u32 round = 0; round < rounds; ++round)
#pragma unroll
    for (int k = 0; k < 16; ++k) sum[k % 4] = multiply(a[k / 4 % 2], b[k / 8], sum[k % 4]);
  const Sum total = sum[0] + sum[1] + sum[2] + sum[3];
  float result = 0;
  for (int i = 0; i < static_cast<int>(sizeof(Sum) / 4); ++i) result += total[i];
  out[block_x() * 64 + lane] = result;
}
KERNEL void mfma_fp8_16x16x128(float* out, const i32x8* in, u32 rounds) { repeat<f32x4>(out, in, rounds); }
KERNEL void mfma_fp8_32x32x64(float* out, const i32x8* in, u32 rounds) { repeat<f32x16>(out, in, rounds); }

/// C = A * B of 1024 x 1024 x 1024 e4m3 numbers. A is [row][k], B is [column][k], C is [row][column]. One wave a workgroup
/// computes 64 x 64 of C, which is 4 x 4 products of 16 x 16; 256 workgroups.
extern "C" __global__ __attribute__((amdgpu_flat_work_group_size(64, 64), amdgpu_waves_per_eu(1, 1))) void gemm_fp8_1024(
    const u8* a, const u8* b, float* c) {
  constexpr u32 kSize = 1024, kTile = 64;
  const u32 lane = thread_x(), tile_row = block_x() / (kSize / kTile) * kTile, tile_column = block_x() % (kSize / kTile) * kTile;
  // A lane holds 16 elements from k = 16 * (lane / 16) on, and 16 from 64 after that.
  const u32 offset = lane % 16 * kSize + lane / 16 * 16;
  const u8* const from_a = a + tile_row * kSize + offset;
  const u8* const from_b = b + tile_column * kSize + offset;
  const auto load = [](const u8* from) {
    const i32x4 low = *reinterpret_cast<const i32x4*>(from), high = *reinterpret_cast<const i32x4*>(from + 64);
    return i32x8{low.x, low.y, low.z, low.w, high.x, high.y, high.z, high.w};
  };
  f32x4 sum[4][4] = {};
  for (u32 k = 0; k < kSize; k += 128) {
    i32x8 rows[4], columns[4];
#pragma unroll
    for (int i = 0; i < 4; ++i) {
      rows[i] = load(from_a + i * 16 * kSize + k);
      columns[i] = load(from_b + i * 16 * kSize + k);
    }
#pragma unroll
    for (int i = 0; i < 4; ++i)
#pragma unroll
      for (int j = 0; j < 4; ++j) sum[i][j] = multiply(rows[i], columns[j], sum[i][j]);
  }
  float* const to = c + (tile_row + lane / 16 * 4) * kSize + tile_column + lane % 16;
#pragma unroll
  for (int i = 0; i < 4; ++i)
#pragma unroll
    for (int j = 0; j < 4; ++j)
#pragma unroll
      for (int r = 0; r < 4; ++r) to[(i * 16 + r) * kSize + j * 16] = sum[i][j][r];
}
