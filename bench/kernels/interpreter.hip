// What the interpreter is timed with: each kernel is dominated by one kind of instruction.
#include "device.h"

/// Independent chains of float and integer arithmetic over 40 registers, some of the operands in SGPRs.
KERNEL void valu(float* out, u32 rounds, float scale, u32 key) {
  float f[20];
  u32 i[20];
  const u32 id = block_x() * 256 + thread_x();
#pragma unroll
  for (int k = 0; k < 20; ++k) f[k] = static_cast<float>(id + k), i[k] = id * 7 + k;
  for (u32 round = 0; round < rounds; ++round) {
#pragma unroll
    for (int k = 0; k < 20; ++k) {
      f[k] = __builtin_fmaf(f[k], f[(k + 7) % 20], scale);
      i[k] = (i[k] << 3) + i[(k + 3) % 20];
      f[(k + 1) % 20] = f[k] * f[(k + 5) % 20] ;
      i[(k + 2) % 20] = (i[k] ^ key) & i[(k + 9) % 20];
      f[(k + 11) % 20] = f[k] - f[(k + 2) % 20];
      i[(k + 13) % 20] = i[k] > i[(k + 4) % 20] ? i[k] : i[(k + 6) % 20];
    }
  }
  float sum = 0;
#pragma unroll
  for (int k = 0; k < 20; ++k) sum += f[k] + static_cast<float>(i[k]);
  out[id] = sum;
}

/// Scalar arithmetic: every value is uniform.
KERNEL void salu(u32* out, u32 rounds, u32 seed) {
  u32 a = seed, b = seed * 3 + 1, c = seed ^ 0x55, d = 1;
  for (u32 round = 0; round < rounds; ++round) {
    a += b << 3;
    b ^= a >> 5;
    c = (c & a) | (b << 1);
    d = d * 5 + c;
    a -= d;
    b = b < c ? b : c;
    b += round;
  }
  out[block_x()] = a + b + c + d;
}

/// Exchanges within rows and from row to row, as reductions and scans use them.
KERNEL void dpp(u32* out, u32 rounds) {
  const u32 id = block_x() * 256 + thread_x();
  u32 a = id, b = id * 3 + 1;
  for (u32 round = 0; round < rounds; ++round) {
    a += __builtin_amdgcn_update_dpp(0, b, 0x111, 15, 15, true);   // row_shr:1
    b ^= __builtin_amdgcn_update_dpp(b, a, 0x112, 15, 15, false);  // row_shr:2
    a += __builtin_amdgcn_update_dpp(0, b, 0x121, 15, 15, true);   // row_ror:1
    b += __builtin_amdgcn_update_dpp(0, a, 0xb1, 15, 15, true);    // quad_perm:[1,0,3,2]
    a ^= __builtin_amdgcn_update_dpp(a, b, 0x142, 10, 15, false);  // row_bcast:15
    b += __builtin_amdgcn_update_dpp(b, a, 0x118, 15, 12, false);  // row_shr:8
  }
  out[id] = a + b;
}

/// Divergent loops: every lane runs a different number of times.
KERNEL void divergent(u32* out, u32 rounds) {
  const u32 id = block_x() * 256 + thread_x();
  u32 x = id * 2654435761u, steps = 0;
  for (u32 round = 0; round < rounds; ++round) {
    u32 n = (x >> 16) % 23;
    while (n != 0) {
      n = (n & 1) ? n - 1 : n / 2;
      ++steps;
    }
    x = x * 1664525u + 1013904223u;
  }
  out[id] = steps;
}

/// LDS: a rotation of a tile, 4 bytes per lane, with barriers.
KERNEL void lds(u32* out, u32 rounds) {
  __shared__ u32 tile[256];
  const u32 t = thread_x();
  tile[t] = t;
  u32 value = 0;
  for (u32 round = 0; round < rounds; ++round) {
    __builtin_amdgcn_s_barrier();
    value += tile[(t * 5 + round) & 255];
    value ^= tile[t ^ 1];
    __builtin_amdgcn_s_barrier();
    tile[t] = value;
  }
  out[block_x() * 256 + t] = value;
}

/// Atomic adds to 1,024 counters in global memory.
KERNEL void atomics(u32* counters, u32 rounds) {
  const u32 id = block_x() * 256 + thread_x();
  for (u32 round = 0; round < rounds; ++round)
    __hip_atomic_fetch_add(&counters[(id * 17 + round) & 1023], 1u, __ATOMIC_RELAXED, __HIP_MEMORY_SCOPE_AGENT);
}

using float4 = float __attribute__((ext_vector_type(4)));

/// A grid-stride fill and copy, 16 bytes per lane.
KERNEL void fill(float4* to, u32 count, u32 threads, float value) {
  for (u32 i = block_x() * 256 + thread_x(); i < count; i += threads) to[i] = float4{value, value, value, value};
}
KERNEL void copy(const float4* from, float4* to, u32 count, u32 threads) {
  for (u32 i = block_x() * 256 + thread_x(); i < count; i += threads) to[i] = from[i];
}

KERNEL void empty() {}
