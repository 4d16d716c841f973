// A kernel of some ten thousand instructions, with loops, LDS and global memory: what `explain` is timed on.
#include "device.h"

KERNEL void large(float* out, const float* in, int passes) {
  __shared__ float tile[64 * 33];
  const u32 lane = thread_x();
  float value[32];
  for (int i = 0; i < 32; ++i) value[i] = in[lane + 64 * i];
  for (int pass = 0; pass < passes; ++pass) {
    tile[lane % 64 * 33 + pass % 32] = value[pass % 8];
#pragma clang loop unroll(full)
    for (int round = 0; round < 300; ++round) {
      const float other = tile[(lane % 64) * 33 + round % 32];
#pragma clang loop unroll(full)
      for (int i = 0; i < 32; ++i)
        value[i] = round % 3 ? __builtin_fmaf(value[i], other, value[(i + round) % 32])
                             : value[i] * other + in[lane + round];
    }
  }
  for (int i = 0; i < 32; ++i) out[lane + 64 * i] = value[i];
}
