// What differs between the languages in which the tile layer is compiled: HIP by clang, CUDA by nvcc. Neither
// HIP's nor CUDA's headers are needed, nor the C++ standard library.
#pragma once

#if defined(__NVCC__)
#define TILE_DEVICE __device__ __forceinline__
#define TILE_KERNEL extern "C" __global__
#define TILE_SHARED __shared__
#define TILE_UNROLL _Pragma("unroll")
#else
/// A function of the device, always inlined: tiles live in registers, which a call would spill.
#define TILE_DEVICE __attribute__((device)) inline __attribute__((always_inline))
#define TILE_KERNEL extern "C" __attribute__((global))
#define TILE_SHARED __attribute__((shared))
#define TILE_UNROLL _Pragma("unroll")
#endif
