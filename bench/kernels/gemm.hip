// C = A * B^T in bf16, tiles of 128 x 128 through LDS: the kernel that `wavesmith profile` is timed with.
#include "device.h"

typedef short short4v __attribute__((ext_vector_type(4)));
typedef short short8v __attribute__((ext_vector_type(8)));
typedef float float4v __attribute__((ext_vector_type(4)));

constexpr int kTile = 128, kStep = 32, kPad = 8;

extern "C" __attribute__((global, amdgpu_flat_work_group_size(1, 256))) void gemm(const short* A, const short* B, float* C, int, int N, int K) {
  __attribute__((shared)) static short a[kTile][kStep + kPad], b[kTile][kStep + kPad];
  const int t = __builtin_amdgcn_workitem_id_x(), lane = t % 64, wave = t / 64;
  const int wave_row = wave / 2 * 64, wave_column = wave % 2 * 64;
  const int row = __builtin_amdgcn_workgroup_id_y() * kTile, column = __builtin_amdgcn_workgroup_id_x() * kTile;
  const int own_row = t / 4, own_k = t % 4 * 8;
  float4v sum[4][4] = {};
  short8v next_a[2], next_b[2];
  for (int i = 0; i < 2; ++i) {
    next_a[i] = *(const short8v*)&A[(long)(row + own_row + 64 * i) * K + own_k];
    next_b[i] = *(const short8v*)&B[(long)(column + own_row + 64 * i) * K + own_k];
  }
  for (int k = 0; k < K; k += kStep) {
    __builtin_amdgcn_s_barrier();
    for (int i = 0; i < 2; ++i) {
      *(short8v*)&a[own_row + 64 * i][own_k] = next_a[i];
      *(short8v*)&b[own_row + 64 * i][own_k] = next_b[i];
    }
    __builtin_amdgcn_fence(__ATOMIC_RELEASE, "workgroup");
    __builtin_amdgcn_s_barrier();
    __builtin_amdgcn_fence(__ATOMIC_ACQUIRE, "workgroup");
    if (k + kStep < K)
      for (int i = 0; i < 2; ++i) {
        next_a[i] = *(const short8v*)&A[(long)(row + own_row + 64 * i) * K + k + kStep + own_k];
        next_b[i] = *(const short8v*)&B[(long)(column + own_row + 64 * i) * K + k + kStep + own_k];
      }
    for (int part = 0; part < kStep; part += 16) {
      short4v from_a[4], from_b[4];
      for (int i = 0; i < 4; ++i) {
        from_a[i] = *(const short4v*)&a[wave_row + 16 * i + lane % 16][part + lane / 16 * 4];
        from_b[i] = *(const short4v*)&b[wave_column + 16 * i + lane % 16][part + lane / 16 * 4];
      }
      for (int i = 0; i < 4; ++i)
        for (int j = 0; j < 4; ++j)
          sum[i][j] = __builtin_amdgcn_mfma_f32_16x16x16bf16_1k(from_a[i], from_b[j], sum[i][j], 0, 0, 0);
    }
  }
  for (int i = 0; i < 4; ++i)
    for (int j = 0; j < 4; ++j)
      for (int r = 0; r < 4; ++r)
        C[(long)(row + wave_row + 16 * i + lane / 16 * 4 + r) * N + column + wave_column + 16 * j + lane % 16] =
            sum[i][j][r];
}
