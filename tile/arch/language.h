// What differs between the languages in which the tile layer is compiled: HIP by clang, CUDA by nvcc. Neither
// HIP's nor CUDA's headers are needed, nor the C++ standard library.
#pragma once

#if defined(__NVCC__)
#define TILE_DEVICE __device__ __forceinline__
#define TILE_KERNEL extern "C" __global__
#define TILE_SHARED __shared__ __align__(16)
#define TILE_IN_SHARED
#define TILE_UNROLL _Pragma("unroll")
#define TILE_KEEP_LOOP _Pragma("unroll 1")
#define TILE_THREADS(threads) __launch_bounds__(threads)
// A multiprocessor has four schedulers, each with the waves of a SIMD.
#define TILE_THREADS_WAVES(threads, per_simd) __launch_bounds__(threads, (per_simd) * 4 * 32 / (threads))
// Before a kernel of blocks that reach each other's shared memory, and of a parameter that copies read in
// place.
#define TILE_CLUSTER(blocks) __cluster_dims__(blocks, 1, 1)
#define TILE_IN_PLACE const __grid_constant__
#else
/// A function of the device, always inlined: tiles live in registers, which a call would spill.
#define TILE_DEVICE __attribute__((device)) inline __attribute__((always_inline))
#define TILE_KERNEL extern "C" __attribute__((global))
#define TILE_SHARED __attribute__((shared))
/// Before the type of what a pointer points to.
#define TILE_IN_SHARED __attribute__((address_space(3)))
#define TILE_UNROLL _Pragma("unroll")
/// Before a loop whose body is to stand in the code once.
#define TILE_KEEP_LOOP _Pragma("clang loop unroll(disable)")
/// Of a kernel: the threads of its workgroups, and the waves per SIMD for which the compiler allots
/// registers.
#define TILE_THREADS(threads) __attribute__((amdgpu_flat_work_group_size(threads, threads)))
#define TILE_THREADS_WAVES(threads, per_simd) \
  __attribute__((amdgpu_flat_work_group_size(threads, threads), amdgpu_waves_per_eu(per_simd, per_simd)))
#endif
