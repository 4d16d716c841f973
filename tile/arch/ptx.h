// The PTX instructions that NVIDIA's headers use, as functions; a test has them in C++ (TILE_ON_HOST).
#pragma once

#include "tile/arch/language.h"

#if defined(TILE_ON_HOST)
#include "tile/arch/ptx_testing.h"
#else

namespace tile::ptx {

// Of one float.
#define TILE_PTX_FLOAT(name, instruction)           \
  TILE_DEVICE float name(float x) {                 \
    float y;                                        \
    asm(instruction " %0, %1;" : "=f"(y) : "f"(x)); \
    return y;                                       \
  }
TILE_PTX_FLOAT(ex2, "ex2.approx.ftz.f32")
TILE_PTX_FLOAT(lg2, "lg2.approx.ftz.f32")
TILE_PTX_FLOAT(rcp, "rcp.approx.ftz.f32")
TILE_PTX_FLOAT(rsqrt, "rsqrt.approx.ftz.f32")
TILE_PTX_FLOAT(nearest, "cvt.rni.f32.f32")
#undef TILE_PTX_FLOAT

// Of two; of a NaN and a number the number, or (nan) NaN.
#define TILE_PTX_FLOATS(name, instruction)                      \
  TILE_DEVICE float name(float a, float b) {                    \
    float y;                                                    \
    asm(instruction " %0, %1, %2;" : "=f"(y) : "f"(a), "f"(b)); \
    return y;                                                   \
  }
TILE_PTX_FLOATS(max, "max.f32")
TILE_PTX_FLOATS(min, "min.f32")
TILE_PTX_FLOATS(max_nan, "max.NaN.f32")
TILE_PTX_FLOATS(min_nan, "min.NaN.f32")
#undef TILE_PTX_FLOATS

// Two floats to the nearest of a shorter type, ties to even; the lower half first.
#define TILE_PTX_PAIR(name, instruction, Result, constraint)                  \
  TILE_DEVICE Result name(float low, float high) {                            \
    Result pair;                                                              \
    asm(instruction " %0, %1, %2;" : constraint(pair) : "f"(high), "f"(low)); \
    return pair;                                                              \
  }
TILE_PTX_PAIR(to_bf16x2, "cvt.rn.bf16x2.f32", unsigned, "=r")
TILE_PTX_PAIR(to_f16x2, "cvt.rn.f16x2.f32", unsigned, "=r")
TILE_PTX_PAIR(to_e4m3x2, "cvt.rn.satfinite.e4m3x2.f32", unsigned short, "=h")
TILE_PTX_PAIR(to_e5m2x2, "cvt.rn.satfinite.e5m2x2.f32", unsigned short, "=h")
#undef TILE_PTX_PAIR

#define TILE_PTX_CONVERT(name, instruction, Result, result, Source, source) \
  TILE_DEVICE Result name(Source x) {                                       \
    Result y;                                                               \
    asm(instruction " %0, %1;" : result(y) : source(x));                    \
    return y;                                                               \
  }
TILE_PTX_CONVERT(to_bf16, "cvt.rn.bf16.f32", unsigned short, "=h", float, "f")
TILE_PTX_CONVERT(to_f16, "cvt.rn.f16.f32", unsigned short, "=h", float, "f")
TILE_PTX_CONVERT(from_f16, "cvt.f32.f16", float, "=f", unsigned short, "h")
TILE_PTX_CONVERT(e4m3x2_to_f16x2, "cvt.rn.f16x2.e4m3x2", unsigned, "=r", unsigned short, "h")
TILE_PTX_CONVERT(e5m2x2_to_f16x2, "cvt.rn.f16x2.e5m2x2", unsigned, "=r", unsigned short, "h")
#undef TILE_PTX_CONVERT

/// c += A * B, of a lane's fragments (fragments.h).
#define TILE_PTX_MMA(name, types)                                                        \
  TILE_DEVICE void name(float (&c)[4], const unsigned (&a)[4], const unsigned (&b)[2]) { \
    asm volatile("mma.sync.aligned." types                                               \
                 " {%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, {%0, %1, %2, %3};"      \
                 : "+f"(c[0]), "+f"(c[1]), "+f"(c[2]), "+f"(c[3])                        \
                 : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]));    \
  }
TILE_PTX_MMA(mma_bf16, "m16n8k16.row.col.f32.bf16.bf16.f32")
TILE_PTX_MMA(mma_f16, "m16n8k16.row.col.f32.f16.f16.f32")
TILE_PTX_MMA(mma_e4m3_e4m3, "m16n8k32.row.col.f32.e4m3.e4m3.f32")
TILE_PTX_MMA(mma_e4m3_e5m2, "m16n8k32.row.col.f32.e4m3.e5m2.f32")
TILE_PTX_MMA(mma_e5m2_e4m3, "m16n8k32.row.col.f32.e5m2.e4m3.f32")
TILE_PTX_MMA(mma_e5m2_e5m2, "m16n8k32.row.col.f32.e5m2.e5m2.f32")
#undef TILE_PTX_MMA

/// Sets off a load of kBytes to shared memory, of which those beyond the first `inside` become 0.
template <int kBytes>
TILE_DEVICE void load_async(void* to, const void* from, unsigned inside) {
  const auto shared = static_cast<unsigned>(__cvta_generic_to_shared(to));
  const unsigned long global = __cvta_generic_to_global(from);
  static_assert(kBytes == 16 || kBytes == 4);
  if constexpr (kBytes == 16)
    asm volatile("cp.async.cg.shared.global [%0], [%1], 16, %2;"
                 :
                 : "r"(shared), "l"(global), "r"(inside)
                 : "memory");
  else
    asm volatile("cp.async.ca.shared.global [%0], [%1], 4, %2;"
                 :
                 : "r"(shared), "l"(global), "r"(inside)
                 : "memory");
}
/// The loads that were set off since the last group are one.
TILE_DEVICE void commit_group() { asm volatile("cp.async.commit_group;" : : : "memory"); }
/// Waits until at most so many groups are under way.
template <int kCount>
TILE_DEVICE void wait_group() {
  asm volatile("cp.async.wait_group %0;" : : "n"(kCount) : "memory");
}

TILE_DEVICE void max_global(unsigned* at, unsigned value) {
  asm volatile("red.relaxed.gpu.global.max.u32 [%0], %1;"
               :
               : "l"(__cvta_generic_to_global(at)), "r"(value)
               : "memory");
}

/// A pointer of which the compiler knows that it is to global memory: there are instructions of its own for
/// it.
template <class T>
TILE_DEVICE T* global(const void* at_) {
  void* const at = const_cast<void*>(at_);
  __builtin_assume(__isGlobal(at));
  return static_cast<T*>(at);
}

/// Values that are computed by here.
TILE_DEVICE void keep(int& value) { asm volatile("" : "+r"(value)); }
TILE_DEVICE void keep(unsigned& value) { asm volatile("" : "+r"(value)); }
TILE_DEVICE void keep(float& value) { asm volatile("" : "+f"(value)); }
TILE_DEVICE void keep_accesses() { asm volatile("" : : : "memory"); }
TILE_DEVICE void keep_branch() { asm volatile(""); }

TILE_DEVICE int thread() { return static_cast<int>(threadIdx.x); }
TILE_DEVICE int block_x() { return static_cast<int>(blockIdx.x); }
TILE_DEVICE int block_y() { return static_cast<int>(blockIdx.y); }
TILE_DEVICE int block_z() { return static_cast<int>(blockIdx.z); }
TILE_DEVICE float swap_lanes(float value, int distance) {
  return __shfl_xor_sync(0xffffffff, value, distance);
}
TILE_DEVICE float of_lane(float value, int lane) { return __shfl_sync(0xffffffff, value, lane); }
TILE_DEVICE bool any_lane(bool so) { return __any_sync(0xffffffff, so) != 0; }
TILE_DEVICE void barrier() { __syncthreads(); }
TILE_DEVICE void warp_barrier() { __syncwarp(); }

}  // namespace tile::ptx

#endif
