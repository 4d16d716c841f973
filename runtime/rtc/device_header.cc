#include "runtime/rtc/device_header.h"

namespace wavesmith::rtc {

const std::string_view kHeaderOverHip = R"(#pragma once
#pragma clang diagnostic push
#pragma clang diagnostic ignored "-Weverything"
#include <hip/hip_version.h>
#if HIP_VERSION_MAJOR < 6 && __has_include(<type_traits>)
// What they would define of std themselves is in the way of a program's own includes.
#pragma push_macro("__HIPCC_RTC__")
#undef __HIPCC_RTC__
#include <hip/amd_detail/amd_hip_vector_types.h>
#pragma pop_macro("__HIPCC_RTC__")
#endif
#if HIP_VERSION_MAJOR < 6
// They have 64 bits as long long here, which <stdint.h>, and they themselves without hiprtc, have as long.
#define int64_t __ws_int64
#define uint64_t __ws_uint64
#endif
#include <hip/hip_runtime.h>
#if HIP_VERSION_MAJOR < 6
#undef int64_t
#undef uint64_t
typedef __INT64_TYPE__ int64_t;
typedef __UINT64_TYPE__ uint64_t;
typedef __INT8_TYPE__ __hip_int8_t;
typedef __INT16_TYPE__ __hip_int16_t;
typedef __INT32_TYPE__ __hip_int32_t;
typedef __INT64_TYPE__ __hip_int64_t;
typedef __UINT8_TYPE__ __hip_uint8_t;
typedef __UINT16_TYPE__ __hip_uint16_t;
typedef __UINT32_TYPE__ __hip_uint32_t;
typedef __UINT64_TYPE__ __hip_uint64_t;
#endif
typedef unsigned char uchar;
typedef unsigned short ushort;
typedef unsigned int uint;
typedef unsigned long ulong;
#if __HIPRTC_PTRDIFF_T_IS_LONG_LONG__  // a program's, to be as on Windows
typedef long long ptrdiff_t;
#else
typedef __PTRDIFF_TYPE__ ptrdiff_t;
#endif
typedef long clock_t;
#include <hip/hip_common.h>
#include <hip/amd_detail/device_library_decls.h>
#if __has_include(<hip/amd_detail/hip_assert.h>)
#include <hip/amd_detail/hip_assert.h>
#endif
#include <hip/library_types.h>
#include <hip/driver_types.h>
#include <hip/surface_types.h>
#include <hip/texture_types.h>
#if __has_include(<hip/amd_detail/math_fwd.h>)
#include <hip/amd_detail/math_fwd.h>
#endif
#if HIP_VERSION_MAJOR >= 6
__device__ static inline unsigned int __lane_id();  // some have it in one, some in the other of the next two
#endif
#if __has_include(<hip/amd_detail/amd_warp_functions.h>)
#include <hip/amd_detail/amd_warp_functions.h>
#endif
#include <hip/amd_detail/amd_device_functions.h>
#if __has_include(<hip/amd_detail/amd_warp_sync_functions.h>)
#include <hip/amd_detail/amd_warp_sync_functions.h>
#endif
#if __has_include(<hip/amd_detail/amd_hip_unsafe_atomics.h>)
#include <hip/amd_detail/amd_hip_unsafe_atomics.h>
#endif
#include <hip/amd_detail/amd_hip_atomic.h>
#include <hip/amd_detail/amd_math_functions.h>
#if defined(WAVESMITH_HIP_FP16)
#include <hip/hip_fp16.h>
#endif
#if HIP_VERSION_MAJOR >= 6  // earlier ones want the host's C++ library
#if defined(WAVESMITH_HIP_BFLOAT16)
#include <hip/hip_bfloat16.h>
#endif
#if defined(WAVESMITH_HIP_COMPLEX)
#include <hip/hip_complex.h>
#endif
#if defined(WAVESMITH_HIP_MATH_CONSTANTS)
#include <hip/hip_math_constants.h>
#endif
#endif
#pragma clang diagnostic pop
)";

// Sources: HIP's "C++ language extensions" for names and meanings; LLVM's "User Guide for AMDGPU Backend" for
// the implicit arguments (code object version 5: hidden_block_count_x first).
const std::string_view kHeaderAlone = R"(#pragma once
#pragma clang system_header  // its warnings are nobody's: a program may have -Weverything -Werror
#define __host__ __attribute__((host))
#define __device__ __attribute__((device))
#define __global__ __attribute__((global))
#define __shared__ __attribute__((shared))
#define __constant__ __attribute__((constant))
#define __managed__ __attribute__((managed))
#define __forceinline__ inline __attribute__((always_inline))
#define __launch_bounds_1(threads) __attribute__((amdgpu_flat_work_group_size(1, threads)))
#define __launch_bounds_2(threads, waves) __attribute__((amdgpu_flat_work_group_size(1, threads), amdgpu_waves_per_eu(waves)))
#define __launch_bounds_pick(_1, _2, name, ...) name
#define __launch_bounds__(...) __launch_bounds_pick(__VA_ARGS__, __launch_bounds_2, __launch_bounds_1)(__VA_ARGS__)

typedef __SIZE_TYPE__ size_t;
typedef __PTRDIFF_TYPE__ ptrdiff_t;
typedef unsigned char uchar;
typedef unsigned short ushort;
typedef unsigned int uint;
typedef unsigned long ulong;
typedef __INT8_TYPE__ int8_t;
typedef __INT16_TYPE__ int16_t;
typedef __INT32_TYPE__ int32_t;
typedef __INT64_TYPE__ int64_t;
typedef __UINT8_TYPE__ uint8_t;
typedef __UINT16_TYPE__ uint16_t;
typedef __UINT32_TYPE__ uint32_t;
typedef __UINT64_TYPE__ uint64_t;
typedef __UINTPTR_TYPE__ uintptr_t;
typedef __INTPTR_TYPE__ intptr_t;
typedef __INT8_TYPE__ __hip_int8_t;
typedef __INT16_TYPE__ __hip_int16_t;
typedef __INT32_TYPE__ __hip_int32_t;
typedef __INT64_TYPE__ __hip_int64_t;
typedef __UINT8_TYPE__ __hip_uint8_t;
typedef __UINT16_TYPE__ __hip_uint16_t;
typedef __UINT32_TYPE__ __hip_uint32_t;
typedef __UINT64_TYPE__ __hip_uint64_t;

#define __ws_fn static __device__ __forceinline__

struct __ws_thread_index {
  __declspec(property(get = __x)) unsigned x;
  __declspec(property(get = __y)) unsigned y;
  __declspec(property(get = __z)) unsigned z;
  __ws_fn unsigned __x() { return __builtin_amdgcn_workitem_id_x(); }
  __ws_fn unsigned __y() { return __builtin_amdgcn_workitem_id_y(); }
  __ws_fn unsigned __z() { return __builtin_amdgcn_workitem_id_z(); }
};
struct __ws_block_index {
  __declspec(property(get = __x)) unsigned x;
  __declspec(property(get = __y)) unsigned y;
  __declspec(property(get = __z)) unsigned z;
  __ws_fn unsigned __x() { return __builtin_amdgcn_workgroup_id_x(); }
  __ws_fn unsigned __y() { return __builtin_amdgcn_workgroup_id_y(); }
  __ws_fn unsigned __z() { return __builtin_amdgcn_workgroup_id_z(); }
};
struct __ws_block_size {
  __declspec(property(get = __x)) unsigned x;
  __declspec(property(get = __y)) unsigned y;
  __declspec(property(get = __z)) unsigned z;
  __ws_fn unsigned __x() { return __builtin_amdgcn_workgroup_size_x(); }
  __ws_fn unsigned __y() { return __builtin_amdgcn_workgroup_size_y(); }
  __ws_fn unsigned __z() { return __builtin_amdgcn_workgroup_size_z(); }
};
struct __ws_grid_size {
  __declspec(property(get = __x)) unsigned x;
  __declspec(property(get = __y)) unsigned y;
  __declspec(property(get = __z)) unsigned z;
  __ws_fn unsigned __n(int axis) { return ((const __attribute__((address_space(4))) unsigned*)__builtin_amdgcn_implicitarg_ptr())[axis]; }
  __ws_fn unsigned __x() { return __n(0); }
  __ws_fn unsigned __y() { return __n(1); }
  __ws_fn unsigned __z() { return __n(2); }
};
extern const __device__ __attribute__((weak)) __ws_thread_index threadIdx;
extern const __device__ __attribute__((weak)) __ws_block_index blockIdx;
extern const __device__ __attribute__((weak)) __ws_block_size blockDim;
extern const __device__ __attribute__((weak)) __ws_grid_size gridDim;
#define warpSize (__builtin_amdgcn_wavefrontsize())

struct dim3 {
  unsigned x, y, z;
  __host__ __device__ constexpr dim3(unsigned x = 1, unsigned y = 1, unsigned z = 1) : x(x), y(y), z(z) {}
};

#define __ws_vectors(type, name)                                                                                        \
  struct name##1 { type x; };                                                                                           \
  typedef type name##2 __attribute__((ext_vector_type(2)));                                                             \
  struct name##3 { type x, y, z; };                                                                                     \
  typedef type name##4 __attribute__((ext_vector_type(4)));                                                             \
  __ws_fn name##1 make_##name##1(type x) { return name##1{x}; }                                                         \
  __ws_fn name##2 make_##name##2(type x, type y) { return name##2{x, y}; }                                              \
  __ws_fn name##3 make_##name##3(type x, type y, type z) { return name##3{x, y, z}; }                                   \
  __ws_fn name##4 make_##name##4(type x, type y, type z, type w) { return name##4{x, y, z, w}; }
__ws_vectors(char, char)
__ws_vectors(unsigned char, uchar)
__ws_vectors(short, short)
__ws_vectors(unsigned short, ushort)
__ws_vectors(int, int)
__ws_vectors(unsigned int, uint)
__ws_vectors(long, long)
__ws_vectors(unsigned long, ulong)
__ws_vectors(long long, longlong)
__ws_vectors(unsigned long long, ulonglong)
__ws_vectors(float, float)
__ws_vectors(double, double)
#undef __ws_vectors

// Functions of the device library ocml. Without it they are there only to say so: what LLVM makes of them by
// itself is wrong for large arguments, or in single precision.
#if defined(WAVESMITH_DEVICE_LIBRARIES)
#define __ws_needs_library(type, name, suffix, parameters, arguments)                                     \
  extern "C" __device__ __attribute__((const)) type __ocml_##name##_##suffix parameters;                  \
  __ws_fn type name parameters { return __ocml_##name##_##suffix arguments; }
#define __ws_float_needs_library(name, parameters, arguments)                                             \
  __ws_needs_library(float, name, f32, parameters, arguments)                                             \
  __ws_fn float name##f parameters { return __ocml_##name##_f32 arguments; }
#else
#define __ws_unavailable(symbol) __attribute__((unavailable(symbol " is in AMD's device libraries, which were not found")))
#define __ws_needs_library(type, name, suffix, parameters, arguments)                                     \
  __ws_unavailable("__ocml_" #name "_" #suffix) __device__ type name parameters;
#define __ws_float_needs_library(name, parameters, arguments)                                             \
  __ws_needs_library(float, name, f32, parameters, arguments)                                             \
  __ws_unavailable("__ocml_" #name "_f32") __device__ float name##f parameters;
#endif
#define __ws_unary(name, builtin)                                 \
  __ws_fn float name##f(float x) { return builtin(x); }           \
  __ws_fn float name(float x) { return builtin(x); }              \
  __ws_fn double name(double x) { return builtin(x); }
__ws_unary(sqrt, __builtin_elementwise_sqrt)
__ws_unary(fabs, __builtin_elementwise_abs)
__ws_unary(floor, __builtin_elementwise_floor)
__ws_unary(ceil, __builtin_elementwise_ceil)
__ws_unary(trunc, __builtin_elementwise_trunc)
__ws_unary(rint, __builtin_elementwise_rint)
__ws_unary(round, __builtin_elementwise_round)
#undef __ws_unary
// LLVM itself makes these of single precision right; of double precision it would make single.
#define __ws_unary(name, builtin)                                 \
  __ws_fn float name##f(float x) { return builtin(x); }           \
  __ws_fn float name(float x) { return builtin(x); }              \
  __ws_needs_library(double, name, f64, (double x), (x))
__ws_unary(exp, __builtin_elementwise_exp)
__ws_unary(exp2, __builtin_elementwise_exp2)
__ws_unary(log, __builtin_elementwise_log)
__ws_unary(log2, __builtin_elementwise_log2)
__ws_unary(log10, __builtin_elementwise_log10)
#undef __ws_unary
#define __ws_unary(name)                                          \
  __ws_float_needs_library(name, (float x), (x))                  \
  __ws_needs_library(double, name, f64, (double x), (x))
__ws_unary(sin)
__ws_unary(cos)
__ws_unary(tan)
__ws_unary(asin)
__ws_unary(acos)
__ws_unary(atan)
__ws_unary(sinh)
__ws_unary(cosh)
__ws_unary(tanh)
__ws_unary(asinh)
__ws_unary(acosh)
__ws_unary(atanh)
__ws_unary(sinpi)
__ws_unary(cospi)
__ws_unary(exp10)
__ws_unary(expm1)
__ws_unary(log1p)
__ws_unary(logb)
__ws_unary(cbrt)
__ws_unary(rcbrt)
__ws_unary(erf)
__ws_unary(erfc)
__ws_unary(erfinv)
__ws_unary(tgamma)
__ws_unary(lgamma)
#undef __ws_unary
#define __ws_binary(name)                                         \
  __ws_float_needs_library(name, (float x, float y), (x, y))      \
  __ws_needs_library(double, name, f64, (double x, double y), (x, y))
__ws_binary(pow)
__ws_binary(atan2)
__ws_binary(fmod)
__ws_binary(hypot)
__ws_binary(remainder)
__ws_binary(fdim)
__ws_binary(nextafter)
#undef __ws_binary
#undef __ws_float_needs_library
__ws_needs_library(double, rsqrt, f64, (double x), (x))
#undef __ws_needs_library
__ws_fn float rsqrt(float x) { return __builtin_amdgcn_rsqf(x); }
__ws_fn float rsqrtf(float x) { return __builtin_amdgcn_rsqf(x); }
__ws_fn float __expf(float x) { return __builtin_elementwise_exp(x); }
__ws_fn float __logf(float x) { return __builtin_elementwise_log(x); }
__ws_fn float __fdividef(float x, float y) { return x / y; }
__ws_fn float fmaf(float x, float y, float z) { return __builtin_fmaf(x, y, z); }
__ws_fn double fma(double x, double y, double z) { return __builtin_fma(x, y, z); }
__ws_fn float fminf(float x, float y) { return __builtin_fminf(x, y); }
__ws_fn float fmaxf(float x, float y) { return __builtin_fmaxf(x, y); }
__ws_fn double fmin(double x, double y) { return __builtin_fmin(x, y); }
__ws_fn double fmax(double x, double y) { return __builtin_fmax(x, y); }
__ws_fn float copysignf(float x, float y) { return __builtin_copysignf(x, y); }
__ws_fn float ldexpf(float x, int e) { return __builtin_amdgcn_ldexpf(x, e); }
__ws_fn bool isnan(float x) { return x != x; }
__ws_fn bool isnan(double x) { return x != x; }
__ws_fn bool isinf(float x) { return __builtin_isinf(x); }
__ws_fn bool isinf(double x) { return __builtin_isinf(x); }
__ws_fn int abs(int x) { return x < 0 ? -x : x; }
__ws_fn long abs(long x) { return x < 0 ? -x : x; }
__ws_fn long long abs(long long x) { return x < 0 ? -x : x; }
__ws_fn float abs(float x) { return __builtin_fabsf(x); }
__ws_fn double abs(double x) { return __builtin_fabs(x); }
template <class T> __device__ __forceinline__ T min(T a, T b) { return b < a ? b : a; }
template <class T> __device__ __forceinline__ T max(T a, T b) { return a < b ? b : a; }
__ws_fn int __float2int_rn(float x) { return static_cast<int>(__builtin_elementwise_rint(x)); }
__ws_fn int __float_as_int(float x) { return __builtin_bit_cast(int, x); }
__ws_fn unsigned __float_as_uint(float x) { return __builtin_bit_cast(unsigned, x); }
__ws_fn float __int_as_float(int x) { return __builtin_bit_cast(float, x); }
__ws_fn float __uint_as_float(unsigned x) { return __builtin_bit_cast(float, x); }

__ws_fn int __popc(unsigned x) { return __builtin_popcount(x); }
__ws_fn int __popcll(unsigned long long x) { return __builtin_popcountll(x); }
__ws_fn int __clz(int x) { return x ? __builtin_clz(static_cast<unsigned>(x)) : 32; }
__ws_fn int __clzll(long long x) { return x ? __builtin_clzll(static_cast<unsigned long long>(x)) : 64; }
__ws_fn int __ffs(int x) { return __builtin_ffs(x); }
__ws_fn int __ffsll(long long x) { return __builtin_ffsll(x); }
__ws_fn unsigned __brev(unsigned x) { return __builtin_bitreverse32(x); }
__ws_fn int __mul24(int x, int y) { return ((x << 8) >> 8) * ((y << 8) >> 8); }
__ws_fn int __mulhi(int x, int y) { return static_cast<int>((static_cast<long long>(x) * y) >> 32); }
__ws_fn unsigned __umulhi(unsigned x, unsigned y) { return static_cast<unsigned>((static_cast<unsigned long long>(x) * y) >> 32); }

__ws_fn void __syncthreads() {
  __builtin_amdgcn_fence(__ATOMIC_RELEASE, "workgroup");
  __builtin_amdgcn_s_barrier();
  __builtin_amdgcn_fence(__ATOMIC_ACQUIRE, "workgroup");
}
__ws_fn void __threadfence_block() { __builtin_amdgcn_fence(__ATOMIC_SEQ_CST, "workgroup"); }
__ws_fn void __threadfence() { __builtin_amdgcn_fence(__ATOMIC_SEQ_CST, "agent"); }
__ws_fn void __threadfence_system() { __builtin_amdgcn_fence(__ATOMIC_SEQ_CST, ""); }
__ws_fn void __syncwarp() { __builtin_amdgcn_wave_barrier(); }

__ws_fn unsigned __lane_id() { return __builtin_amdgcn_mbcnt_hi(~0u, __builtin_amdgcn_mbcnt_lo(~0u, 0u)); }
__ws_fn unsigned long long __ballot(int predicate) { return __builtin_amdgcn_ballot_w64(predicate); }
__ws_fn int __any(int predicate) { return __ballot(predicate) != 0; }
__ws_fn int __all(int predicate) { return __ballot(!predicate) == 0; }
template <class T> __device__ __forceinline__ T __shfl(T value, int lane, int width = static_cast<int>(warpSize)) {
  static_assert(sizeof(T) == 4 || sizeof(T) == 8, "shuffles move 4 or 8 bytes");
  const int self = static_cast<int>(__lane_id());
  const int from = ((lane & (width - 1)) | (self & ~(width - 1))) << 2;
  union { T value; int words[sizeof(T) / 4]; } pack;
  pack.value = value;
  for (int& word : pack.words) word = __builtin_amdgcn_ds_bpermute(from, word);
  return pack.value;
}
template <class T> __device__ __forceinline__ T __shfl_xor(T value, int mask, int width = static_cast<int>(warpSize)) {
  const int self = static_cast<int>(__lane_id()), other = self ^ mask;
  return __shfl(value, other >= ((self + width) & ~(width - 1)) ? self & (width - 1) : other & (width - 1), width);
}
template <class T> __device__ __forceinline__ T __shfl_up(T value, unsigned delta, int width = static_cast<int>(warpSize)) {
  const int self = static_cast<int>(__lane_id()) & (width - 1), other = self - static_cast<int>(delta);
  return __shfl(value, other < 0 ? self : other, width);
}
template <class T> __device__ __forceinline__ T __shfl_down(T value, unsigned delta, int width = static_cast<int>(warpSize)) {
  const int self = static_cast<int>(__lane_id()) & (width - 1), other = self + static_cast<int>(delta);
  return __shfl(value, other >= width ? self : other, width);
}

#define __ws_atomic(name, builtin)                                                                              \
  template <class T> __device__ __forceinline__ T name(T* address, T value) {                                   \
    return builtin(address, value, __ATOMIC_RELAXED, __HIP_MEMORY_SCOPE_AGENT);                                 \
  }
__ws_atomic(atomicAdd, __hip_atomic_fetch_add)
__ws_atomic(atomicAnd, __hip_atomic_fetch_and)
__ws_atomic(atomicOr, __hip_atomic_fetch_or)
__ws_atomic(atomicXor, __hip_atomic_fetch_xor)
__ws_atomic(atomicMin, __hip_atomic_fetch_min)
__ws_atomic(atomicMax, __hip_atomic_fetch_max)
__ws_atomic(atomicExch, __hip_atomic_exchange)
#undef __ws_atomic
template <class T> __device__ __forceinline__ T atomicSub(T* address, T value) { return atomicAdd(address, static_cast<T>(-value)); }
template <class T> __device__ __forceinline__ T atomicCAS(T* address, T expected, T value) {
  __hip_atomic_compare_exchange_strong(address, &expected, value, __ATOMIC_RELAXED, __ATOMIC_RELAXED, __HIP_MEMORY_SCOPE_AGENT);
  return expected;
}
#undef __ws_fn
)";

}  // namespace wavesmith::rtc
