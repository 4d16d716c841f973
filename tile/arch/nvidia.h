// amd.h for NVIDIA, with the same names: what AMD's buffers do is a comparison and a load here, and nothing
// asks for an order of instructions, which ptxas chooses.
#pragma once

#include "tile/vector.h"

namespace tile::arch {

struct Buffer {
  char* base;
  u32 bytes;
};

TILE_DEVICE Buffer buffer(const void* base, u32 bytes) {
  return {const_cast<char*>(static_cast<const char*>(base)), bytes};
}

inline constexpr u32 kOutside = 0xffffffff;

namespace detail {
TILE_DEVICE bool is_inside(Buffer buffer, u32 offset, u32 bytes) {
  return offset < buffer.bytes && buffer.bytes - offset >= bytes;
}
}  // namespace detail

template <class T>
TILE_DEVICE T load(Buffer from, u32 offset) {
  T value = {};
  if (detail::is_inside(from, offset, sizeof(T))) value = *ptx::global<const T>(from.base + offset);
  return value;
}
TILE_DEVICE Piece load_whole_piece(Buffer from, u32 offset) { return load<Piece>(from, offset); }
/// Words that lie outside are 0. A piece whose address is no multiple of 16 comes word by word.
TILE_DEVICE Piece load_piece(Buffer from, u32 offset) {
  const char* const at = from.base + offset;
  if (reinterpret_cast<u64>(at) % kPieceBytes == 0 && detail::is_inside(from, offset, kPieceBytes))
    return *ptx::global<const Piece>(at);
  Piece piece = {};
  if (offset < from.bytes) {
    TILE_UNROLL for (u32 i = 0; i < 4; ++i) {
      if (detail::is_inside(from, offset, 4 * i + 4)) piece[i] = *ptx::global<const u32>(at + 4 * i);
    }
  }
  return piece;
}
template <class T>
TILE_DEVICE void store(Buffer to, u32 offset, T value) {
  if (detail::is_inside(to, offset, sizeof(T))) *ptx::global<T>(to.base + offset) = value;
}

template <class T>
TILE_DEVICE T load_global_as(const void* elements, i64 number) {
  return ptx::global<const T>(elements)[number];
}
TILE_DEVICE float load_global(const float* floats, int number) {
  return load_global_as<float>(floats, number);
}
template <class T>
TILE_DEVICE void store_global(void* elements, i64 number, T value) {
  ptx::global<T>(elements)[number] = value;
}
TILE_DEVICE void largest_global(float* at, float value) {
  ptx::max_global(reinterpret_cast<u32*>(at), bits_as<u32>(value));
}
/// By a number that all lanes share: for what nobody writes while the kernel runs.
template <class T>
TILE_DEVICE T load_shared_by_lanes(const void* elements, i64 number) {
  return load_global_as<T>(elements, number);
}
template <class T>
TILE_DEVICE T load_at(u64 address) {
  return load_global_as<T>(reinterpret_cast<const void*>(address), 0);
}
template <class T>
TILE_DEVICE void store_at(u64 address, T value) {
  store_global(reinterpret_cast<void*>(address), 0, value);
}

TILE_DEVICE int thread_id() { return ptx::thread(); }
TILE_DEVICE int workgroup_id() { return ptx::block_x(); }
TILE_DEVICE int workgroup_id_y() { return ptx::block_y(); }
TILE_DEVICE int workgroup_id_z() { return ptx::block_z(); }

/// What is the same for all lanes, ptxas finds out.
TILE_DEVICE int uniform(int value) { return value; }
TILE_DEVICE int late(int value) {
  ptx::keep(value);
  return value;
}

TILE_DEVICE float in_vector(float value) { return value; }

using Words = Buffer;
TILE_DEVICE Words buffer_words(const void* base, u32 bytes) { return buffer(base, bytes); }

namespace detail {
/// Each load is a group of its own, so that waiting counts loads. What lies outside is filled with 0.
template <int kBytes>
TILE_DEVICE void load_async(Words buffer, u32 offset, TILE_IN_SHARED char* to) {
  const u32 left = offset < buffer.bytes ? buffer.bytes - offset : 0;
  const u32 inside = left < kBytes ? left : kBytes;
  ptx::load_async<kBytes>(to + thread_id() % 32 * kBytes, buffer.base + (inside > 0 ? offset : 0), inside);
  ptx::commit_group();
}
}  // namespace detail
TILE_DEVICE void load_to_shared(Words buffer, u32 offset, TILE_IN_SHARED char* to) {
  detail::load_async<16>(buffer, offset, to);
}
TILE_DEVICE void load_word_to_shared(Words buffer, u32 offset, TILE_IN_SHARED char* to) {
  detail::load_async<4>(buffer, offset, to);
}
/// CDNA4's alone.
template <class T>
TILE_DEVICE Vector<u32, 2> read_transposed(TILE_IN_SHARED char* from);
template <int kCount>
TILE_DEVICE void wait_loads() {
  ptx::wait_group<kCount>();
}

template <class T>
TILE_DEVICE void fetch_argument() {}
/// Arguments lie in constant memory: they take no registers where they are not used.
template <class T>
TILE_DEVICE T argument_again(const T& argument) {
  return argument;
}

template <int kDistance>
TILE_DEVICE float swap_lanes(float value) {
  return ptx::swap_lanes(value, kDistance);
}
template <int kLane>
TILE_DEVICE float of_lane(float value) {
  return ptx::of_lane(value, kLane);
}
TILE_DEVICE bool any_lane(bool so) { return ptx::any_lane(so); }
TILE_DEVICE void barrier() { ptx::barrier(); }
TILE_DEVICE void wave_barrier() { ptx::warp_barrier(); }

TILE_DEVICE void keep_order() {}
TILE_DEVICE void keep_accesses() { ptx::keep_accesses(); }
TILE_DEVICE void keep_branch() { ptx::keep_branch(); }
TILE_DEVICE void keep_here(float (&v)[8]) { TILE_UNROLL for (int i = 0; i < 8; ++i) ptx::keep(v[i]); }
TILE_DEVICE void keep_here(Piece& piece) { TILE_UNROLL for (int i = 0; i < 4; ++i) ptx::keep(piece[i]); }

enum Kind : int { kVector, kMatrix, kGlobalLoad, kSharedRead, kSharedWrite, kTranscendental };
template <int kKind, int kCount>
TILE_DEVICE void order() {}

}  // namespace tile::arch
