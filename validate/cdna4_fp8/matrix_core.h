// Device code that the steps of the fp8 ladder share: numbers, fragments of the matrix cores, direct loads to
// LDS, and the conflict-free order of chunks in LDS.
#pragma once

#include <hip/hip_runtime.h>

#include <utility>

namespace fp8 {

using Chunk = unsigned __attribute__((ext_vector_type(4)));  ///< 16 bytes: the widest load
using Operand = int __attribute__((ext_vector_type(8)));     ///< a lane's 32 numbers of A or B
using Result = float __attribute__((ext_vector_type(4)));    ///< a lane's 4 numbers of C
using InLds = unsigned char __attribute__((address_space(3)));

constexpr int kLanes = 64, kSide = 16, kDepth = 128;  ///< of V_MFMA_F32_16X16X128_F8F6F4
constexpr int kChunk = 16;                            ///< bytes
constexpr int kChunks = kDepth / kChunk;              ///< of a row
constexpr int kRowsOfLoad = kLanes / kChunks;         ///< that a wave loads with 16 bytes per lane

__device__ inline float number(unsigned char byte) { return __builtin_amdgcn_cvt_f32_fp8(byte, 0); }

/// The layout of fragments: lane l holds row l % 16 and two chunks of K of A and B (the same two of both, so
/// their order along K does not matter), and column l % 16 and four rows of C.
struct Lane {
  int row, chunk;
  __device__ explicit Lane(int lane) : row(lane % kSide), chunk(lane / kSide) {}
  [[nodiscard]] __device__ int result_row(int i) const { return chunk * 4 + i; }
};

/// C += A B^T of one 16x16x128 product. Scales of zero stand for none: the instruction without scales.
__device__ inline Result multiply(Operand a, Operand b, Result c) {
  return __builtin_amdgcn_mfma_scale_f32_16x16x128_f8f6f4(a, b, c, 0, 0, 0, 0, 0, 0);
}

__device__ inline Operand joined(Chunk low, Chunk high) {
  return __builtin_bit_cast(Operand, __builtin_shufflevector(low, high, 0, 1, 2, 3, 4, 5, 6, 7));
}

/// The position of a row's chunk in LDS. Two rows of 128 bytes take all of its 64 banks. Straight, the lanes
/// that ds_read_b128 serves together (gpus/lds_phases.h), sixteen rows of one chunk or two, meet in few of
/// them: so each pair of rows has its chunks at other places. An exclusive or is its own inverse, and serves
/// who writes as it serves who reads.
template <bool kSwizzled>
__device__ inline int place(int row, int chunk) {
  return kSwizzled ? chunk ^ row / 2 % kChunks : chunk;
}

/// Memory as a buffer, which loads to LDS need; loads from beyond its bytes are zeros.
__device__ inline __amdgpu_buffer_rsrc_t buffer_of(const unsigned char* data, int bytes) {
  constexpr int k32Bits = 0x00020000;  // DATA_FORMAT of the resource's last word: anything but "invalid"
  return __builtin_amdgcn_make_buffer_rsrc(const_cast<unsigned char*>(data), 0, bytes, k32Bits);
}

/// 16 bytes per lane from memory to LDS, past the registers: lane i's go to `to` + 16 i.
__device__ inline void load_to_lds(__amdgpu_buffer_rsrc_t from, int at, unsigned char* to) {
  __builtin_amdgcn_raw_ptr_buffer_load_lds(from, (InLds*)to, kChunk, at, 0, 0, 0);
}
/// Waits until all loads but the last kOpen have arrived.
template <int kOpen = 0>
__device__ inline void wait_for_loads() {
  asm volatile("s_waitcnt vmcnt(%0)" ::"i"(kOpen) : "memory");
}

/// Reads from LDS are written as instructions, as the compiler would wait for all loads to LDS before each of
/// its own reads: it does not know which half of a double buffer they go to. What was read is there after
/// arrived() only, which names each operand so that no product moves before it.
struct Pending {
  Chunk low, high;
};

__device__ inline unsigned address(const unsigned char* in_lds) {
  return static_cast<unsigned>(reinterpret_cast<uintptr_t>((InLds*)in_lds));
}

template <int kOffset>
__device__ inline Chunk read(unsigned at) {
  Chunk chunk;
  asm volatile("ds_read_b128 %0, %1 offset:%2" : "=v"(chunk) : "v"(at), "i"(kOffset) : "memory");
  return chunk;
}

/// Starts reading kCount operands below each other, the kFirst-th after `tile` the first of them.
template <bool kSwizzled, int kCount, int kFirst = 0>
__device__ inline void read(Pending (&to)[kCount], unsigned tile, Lane lane) {
  const unsigned row = tile + lane.row * kDepth, low = row + place<kSwizzled>(lane.row, lane.chunk) * kChunk,
                 high = row + place<kSwizzled>(lane.row, lane.chunk + kChunks / 2) * kChunk;
  [&]<int... kIndex>(std::integer_sequence<int, kIndex...>) {
    ((to[kIndex] = {read<(kFirst + kIndex) * kSide * kDepth>(low),
                    read<(kFirst + kIndex) * kSide * kDepth>(high)}),
     ...);
  }(std::make_integer_sequence<int, kCount>());
}

/// Waits until all reads but the last kOpen have arrived: LDS serves a wave in order.
template <int kOpen = 0>
__device__ inline void wait_for_reads() {
  asm volatile("s_waitcnt lgkmcnt(%0)" ::"i"(kOpen) : "memory");
}
__device__ inline Operand arrived(Pending& read) {
  asm volatile("" : "+v"(read.low), "+v"(read.high));
  return joined(read.low, read.high);
}

}  // namespace fp8
