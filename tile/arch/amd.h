// What AMD's instructions offer to all targets: buffers with bounds, barriers, order of instructions.
#pragma once

#include "tile/vector.h"

namespace tile::arch {

/// Memory with bounds: loads past `bytes` return 0, stores past it are dropped (AMD's ISA manuals, "Range
/// checking").
struct Buffer {
  __amdgpu_buffer_rsrc_t resource;
};

TILE_DEVICE Buffer buffer(const void* base, u32 bytes) {
#if defined(__GFX9__)
  constexpr int kFormat = 0x00020000;  // 32-bit data
#else
  constexpr int kFormat = 0x31004000;  // 32-bit data; an offset is outside from `bytes` on
#endif
  return {__builtin_amdgcn_make_buffer_rsrc(const_cast<void*>(base), 0, bytes, kFormat)};
}

/// An offset that is outside every buffer.
inline constexpr u32 kOutside = 0xffffffff;

TILE_DEVICE Piece load_piece(Buffer from, u32 offset) {
  return __builtin_amdgcn_raw_buffer_load_b128(from.resource, offset, 0, 0);
}
/// At a multiple of 16 bytes, where all of the piece is inside or outside.
TILE_DEVICE Piece load_whole_piece(Buffer from, u32 offset) { return load_piece(from, offset); }
/// One element of 1, 2 or 4 bytes, or eight of one byte.
template <class T>
TILE_DEVICE T load(Buffer from, u32 offset) {
  if constexpr (sizeof(T) == 8)
    return bits_as<T>(__builtin_amdgcn_raw_buffer_load_b64(from.resource, offset, 0, 0));
  else if constexpr (sizeof(T) == 4)
    return bits_as<T>(__builtin_amdgcn_raw_buffer_load_b32(from.resource, offset, 0, 0));
  else if constexpr (sizeof(T) == 2)
    return bits_as<T>(__builtin_amdgcn_raw_buffer_load_b16(from.resource, offset, 0, 0));
  else
    return bits_as<T>(__builtin_amdgcn_raw_buffer_load_b8(from.resource, offset, 0, 0));
}
template <class T>
TILE_DEVICE void store(Buffer to, u32 offset, T value) {
  if constexpr (sizeof(T) == 16)
    __builtin_amdgcn_raw_buffer_store_b128(bits_as<Vector<u32, 4>>(value), to.resource, offset, 0, 0);
  else if constexpr (sizeof(T) == 8)
    __builtin_amdgcn_raw_buffer_store_b64(bits_as<Vector<u32, 2>>(value), to.resource, offset, 0, 0);
  else if constexpr (sizeof(T) == 4)
    __builtin_amdgcn_raw_buffer_store_b32(bits_as<u32>(value), to.resource, offset, 0, 0);
  else if constexpr (sizeof(T) == 2)
    __builtin_amdgcn_raw_buffer_store_b16(bits_as<u16>(value), to.resource, offset, 0, 0);
  else
    __builtin_amdgcn_raw_buffer_store_b8(bits_as<u8>(value), to.resource, offset, 0, 0);
}

/// One of the elements in global memory, by a lane's own number: without bounds, but also without the scalar
/// registers that a buffer takes.
template <class T>
TILE_DEVICE T load_global_as(const void* elements, i64 number) {
  return reinterpret_cast<const __attribute__((address_space(1))) T*>(
      reinterpret_cast<u64>(elements))[number];
}
TILE_DEVICE float load_global(const float* floats, int number) {
  return load_global_as<float>(floats, number);
}
/// Stores in global memory, also without bounds.
template <class T>
TILE_DEVICE void store_global(void* elements, i64 number, T value) {
  reinterpret_cast<__attribute__((address_space(1))) T*>(reinterpret_cast<u64>(elements))[number] = value;
}
/// The float there becomes this one if it is less; both are not negative, and NaN is the largest. For all
/// workgroups of the device.
TILE_DEVICE void largest_global(float* at, float value) {
  __hip_atomic_fetch_max(reinterpret_cast<__attribute__((address_space(1))) u32*>(reinterpret_cast<u64>(at)),
                         bits_as<u32>(value), __ATOMIC_RELAXED, __HIP_MEMORY_SCOPE_AGENT);
}

/// One of the elements in global memory, by a number that all lanes share, through the scalar cache: for what
/// nobody writes while the kernel runs.
template <class T>
TILE_DEVICE T load_shared_by_lanes(const void* elements, i64 number) {
  return reinterpret_cast<const __attribute__((address_space(4))) T*>(
      reinterpret_cast<u64>(elements))[number];
}

/// By address, which may be computed ahead of what lies there.
template <class T>
TILE_DEVICE T load_at(u64 address) {
  return load_global_as<T>(reinterpret_cast<const void*>(address), 0);
}
template <class T>
TILE_DEVICE void store_at(u64 address, T value) {
  store_global(reinterpret_cast<void*>(address), 0, value);
}

TILE_DEVICE int uniform(int value) { return __builtin_amdgcn_readfirstlane(value); }

/// A buffer as four words, for `load_to_shared`. The wait states are those between a vector instruction that
/// writes a scalar register and a load that reads it.
using Words = Vector<u32, 4>;
TILE_DEVICE Words buffer_words(const void* base, u32 bytes) {
  const u64 at = reinterpret_cast<u64>(base);
  Words words = {static_cast<u32>(uniform(static_cast<int>(at))),
                 static_cast<u32>(uniform(static_cast<int>(at >> 32) & 0xffff)),
                 static_cast<u32>(uniform(static_cast<int>(bytes))), 0x00020000};
  asm("s_nop 4" : "+s"(words));
  return words;
}
/// Sets off the load of a piece per lane to shared memory, where they come to lie side by side from `to` on
/// (CDNA4). Nothing waits for it but `wait_loads`. As assembly: for the instruction's own builtin the
/// compiler has each later read of shared memory wait for all loads. The wait state is that between an
/// instruction that writes M0 and a load that reads it.
TILE_DEVICE void load_to_shared(Words buffer, u32 offset, TILE_IN_SHARED char* to) {
  asm volatile("s_mov_b32 m0, %2\n\ts_nop 0\n\tbuffer_load_dwordx4 %0, %1, 0 offen lds"
               :
               : "v"(offset), "s"(buffer), "s"(static_cast<u32>(reinterpret_cast<u64>(to)))
               : "memory");
}
/// The same of four bytes per lane.
TILE_DEVICE void load_word_to_shared(Words buffer, u32 offset, TILE_IN_SHARED char* to) {
  asm volatile("s_mov_b32 m0, %2\n\ts_nop 0\n\tbuffer_load_dword %0, %1, 0 offen lds"
               :
               : "v"(offset), "s"(buffer), "s"(static_cast<u32>(reinterpret_cast<u64>(to)))
               : "memory");
}
/// Four elements of 16 bits per lane: of sixteen lanes each reads four of a row, four lanes a row, and lane i
/// gets column i (CDNA4).
template <class T>
TILE_DEVICE Vector<u32, 2> read_transposed(__attribute__((address_space(3))) char* from) {
  using Four = Vector<short, 8 / sizeof(T)>;
  return bits_as<Vector<u32, 2>>(
      __builtin_amdgcn_ds_read_tr16_b64_v4i16((__attribute__((address_space(3))) Four*)from));
}
/// Waits until at most so many of this wave's loads and stores in global memory are under way.
template <int kCount>
TILE_DEVICE void wait_loads() {
  static_assert(kCount < 64);
  __builtin_amdgcn_s_waitcnt((kCount & 15) | 0xf70 | kCount >> 4 << 14);
}

/// Brings the kernel's only argument to the scalar cache: its lines come together, where one after the other
/// each would take as long as memory does.
template <class T>
TILE_DEVICE void fetch_argument() {
  constexpr u32 kLine = 64 / sizeof(u32);
  auto* const at = (const __attribute__((address_space(4))) u32*)__builtin_amdgcn_kernarg_segment_ptr();
  u32 any = 0;
  TILE_UNROLL for (u32 i = 0; i < sizeof(T) / sizeof(u32); i += kLine) any |= at[i];
  asm volatile("" : : "s"(any));
}

/// The kernel's only argument, read again from here on: what a kernel needs at its end takes no registers
/// before.
template <class T>
TILE_DEVICE T argument_again(const T& /*argument*/) {
  auto* at = (const __attribute__((address_space(4))) u32*)__builtin_amdgcn_kernarg_segment_ptr();
  asm volatile("" : "+s"(at));
  struct Words {
    u32 at[sizeof(T) / 4];
  } words;
  TILE_UNROLL for (u32 i = 0; i < sizeof(T) / 4; ++i) words.at[i] = at[i];
  return bits_as<T>(words);
}

TILE_DEVICE int thread_id() { return __builtin_amdgcn_workitem_id_x(); }
TILE_DEVICE int workgroup_id() { return __builtin_amdgcn_workgroup_id_x(); }
TILE_DEVICE int workgroup_id_y() { return __builtin_amdgcn_workgroup_id_y(); }
TILE_DEVICE int workgroup_id_z() { return __builtin_amdgcn_workgroup_id_z(); }

/// A value that is the same for all lanes, of which nothing is computed ahead: what follows from it in a loop
/// would otherwise be kept in scalar registers through the loop, and there are about a hundred.
TILE_DEVICE int late(int value) {
  value = uniform(value);
  asm volatile("" : "+s"(value));
  return value;
}

/// A value that is the same for all lanes, in a vector register: of a scalar one the compiler makes a vector
/// of copies for what it computes several of at once.
TILE_DEVICE float in_vector(float value) {
  asm volatile("" : "+v"(value));
  return value;
}

/// The value of a lane that the number `kDistance`, a power of two, maps onto this one when values are
/// combined in pairs of 1, 2, 4, ... lanes: up to 2 and from 16 on the lane whose number differs in that bit,
/// for 4 and 8 the one on the other side of the half row or row, which holds the same when smaller distances
/// are done.
template <int kDistance>
TILE_DEVICE float swap_lanes(float value) {
  const int bits = bits_as<int>(value);
  // LLVM, AMDGPUUsage and the ISA manuals' "DPP": quad_perm, row_half_mirror, row_mirror.
  constexpr int kSwapOne = 0xb1, kSwapTwo = 0x4e, kHalfMirror = 0x141, kMirror = 0x140;
  constexpr int kControl = kDistance == 1   ? kSwapOne
                           : kDistance == 2 ? kSwapTwo
                           : kDistance == 4 ? kHalfMirror
                                            : kMirror;
  if constexpr (kDistance <= 8) {
    return bits_as<float>(__builtin_amdgcn_update_dpp(0, bits, kControl, 0xf, 0xf, true));
  } else if constexpr (kDistance == 16) {
#if defined(__GFX9__)
    return bits_as<float>(__builtin_amdgcn_ds_swizzle(bits, 16 << 10 | 0x1f));  // of 32 lanes, bit 4 flipped
#else
    return bits_as<float>(__builtin_amdgcn_permlanex16(bits, bits, 0x76543210, 0xfedcba98, false, false));
#endif
  } else {
    const int lane = __builtin_amdgcn_mbcnt_hi(~0u, __builtin_amdgcn_mbcnt_lo(~0u, 0));
    return bits_as<float>(__builtin_amdgcn_ds_bpermute((lane ^ kDistance) * 4, bits));
  }
}

/// The value of one lane of the wave, for all.
template <int kLane>
TILE_DEVICE float of_lane(float value) {
  return bits_as<float>(__builtin_amdgcn_readlane(bits_as<int>(value), kLane));
}

/// Whether it is so for any lane of the wave; the same for all.
TILE_DEVICE bool any_lane(bool so) {
#if defined(__GFX9__)
  return __builtin_amdgcn_ballot_w64(so) != 0;
#else
  return __builtin_amdgcn_ballot_w32(so) != 0;
#endif
}

/// All waves of the workgroup are here, and see what each has written to shared memory. Loads from global
/// memory stay under way: the fence is for shared memory alone.
TILE_DEVICE void barrier() {
  __builtin_amdgcn_fence(__ATOMIC_RELEASE, "workgroup", "local");
  __builtin_amdgcn_s_barrier();
  __builtin_amdgcn_fence(__ATOMIC_ACQUIRE, "workgroup", "local");
}

/// What this wave's lanes have written to shared memory, its other lanes see: shared memory serves a wave in
/// order, so that only the compiler has to keep the order.
TILE_DEVICE void wave_barrier() {
  __builtin_amdgcn_fence(__ATOMIC_RELEASE, "wavefront", "local");
  __builtin_amdgcn_wave_barrier();
  __builtin_amdgcn_fence(__ATOMIC_ACQUIRE, "wavefront", "local");
}

/// Instructions stay on their side of this: for code that is rarely run, whose many values at once would cost
/// registers.
TILE_DEVICE void keep_order() { __builtin_amdgcn_sched_barrier(0); }

/// Accesses of memory stay on their side of this, while instructions are chosen, too: the compiler would
/// otherwise move a load to where its value is used, in the next round of a loop.
TILE_DEVICE void keep_accesses() { asm volatile("" ::: "memory"); }

/// Keeps the compiler from computing both sides of a branch that all lanes take alike, and choosing per lane.
TILE_DEVICE void keep_branch() { asm volatile(""); }

/// Eight floats that are computed by here, not later: in long code without branches the compiler would
/// otherwise read far ahead of the arithmetic.
TILE_DEVICE void keep_here(float (&v)[8]) {
  asm volatile(""
               : "+v"(v[0]), "+v"(v[1]), "+v"(v[2]), "+v"(v[3]), "+v"(v[4]), "+v"(v[5]), "+v"(v[6]),
                 "+v"(v[7]));
}

TILE_DEVICE void keep_here(Piece& piece) { asm volatile("" : "+v"(piece)); }

/// Kinds of instruction that `order` places (LLVM, AMDGPUUsage, llvm.amdgcn.sched.group.barrier).
enum Kind : int {
  kVector = 2,
  kMatrix = 8,
  kGlobalLoad = 0x20,
  kSharedRead = 0x100,
  kSharedWrite = 0x200,
  kTranscendental = 0x400
};
/// The next `count` instructions of a kind stand here in the order of calls of `order`.
template <int kKind, int kCount>
TILE_DEVICE void order() {
  __builtin_amdgcn_sched_group_barrier(kKind, kCount, 0);
}

}  // namespace tile::arch
