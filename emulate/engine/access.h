// What address micro-operations and accesses share: lane loops, and the checks of a wave's addresses.
#pragma once

#if defined(__AVX512F__)
#include <immintrin.h>
#endif

#include <bit>
#include <cstring>

#include "emulate/engine/handlers.h"
#include "emulate/engine/io.h"
#include "emulate/memory/memory.h"
#include "emulate/run/fault.h"

namespace wavesmith::emulate {

using Pattern = WaveAccess::Pattern;

template <int kLanes>
inline constexpr uint64_t kEveryLane = kLanes == 64 ? ~uint64_t{0} : 0xffffffffu;

/// 0, 1, ... 15.
inline constexpr Pack<uint32_t> kIota = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15};

/// Calls f(lane) for each lane of the set; unrolled when it is all of them.
template <int kLanes, class F>
[[gnu::always_inline]] inline void each_lane(uint64_t lanes, F f) {
  if (lanes == kEveryLane<kLanes>) {
    for (int lane = 0; lane < kLanes; ++lane) f(lane);
  } else {
    for (; lanes; lanes &= lanes - 1) f(std::countr_zero(lanes));
  }
}

/// True when accesses of `bytes` a lane may be contiguous under a partial mask: they are one masked load a
/// pack.
[[gnu::always_inline]] inline bool masks(uint32_t bytes) { return kMaskedStores && bytes <= 4; }

[[gnu::always_inline]] inline bool inside(const MemoryMap& map, uint64_t address, uint64_t bytes) {
  return address - map.begin <= map.end - map.begin - bytes && address >= map.begin;
}

/// How far this micro-operation's contiguous access is from its last one. A wave runs alone for a while, so a
/// loop over a large array jumps by the size of the grid: too far for the host to foresee.
[[gnu::always_inline]] inline int64_t jump_of(const Uop* uop, Wave* wave) {
  uint64_t& last = wave->streams[reinterpret_cast<uintptr_t>(uop) / sizeof(Uop) % Wave::kStreams];
  const uint64_t before = last;
  last = wave->access.base;
  return static_cast<int64_t>(last - before);
}
[[gnu::always_inline]] inline bool is_far(int64_t jump) {
  constexpr int64_t kFar = 256 << 10, kFarthest = int64_t{1} << 30;
  const int64_t distance = jump < 0 ? -jump : jump;
  return distance >= kFar && distance < kFarthest;
}

/// Orders non-temporal stores before what follows, for other threads that look.
[[gnu::always_inline]] inline void fence_streams(Wave* wave) {
#if defined(__x86_64__)
  if (wave->streamed) [[unlikely]] {
    __builtin_ia32_sfence();
    wave->streamed = 0;
  }
#endif
  (void)wave;
}

[[gnu::always_inline]] inline uint32_t* row_at(Wave* wave, uint32_t offset) {
  return reinterpret_cast<uint32_t*>(base(wave) + offset);
}

/// Where a flat address is in the host: private memory's dwords are interleaved by lane, all else is linear.
[[gnu::always_inline]] inline uint64_t host_address(Wave* wave, int lane, uint64_t address) {
  if (static_cast<uint32_t>(address >> 32) != wave->s[scalar_index::kPrivateBase + 1]) return address;
  const auto offset = static_cast<uint32_t>(address);
  return reinterpret_cast<uint64_t>(wave->scratch) +
         (uint64_t{offset / 4} * wave->lanes + static_cast<uint32_t>(lane)) * 4 + offset % 4;
}
[[gnu::always_inline]] inline std::byte* host_byte(Wave* wave, int lane, uint64_t address) {
  return reinterpret_cast<std::byte*>(host_address(wave, lane, address));
}

/// Where byte i of a lane's element of `bytes` is in the host, whatever the pattern.
inline std::byte* byte_of(Wave* wave, int lane, uint32_t bytes, uint32_t i) {
  const WaveAccess& access = wave->access;
  const auto number = static_cast<uint64_t>(lane);
  switch (access.pattern) {
    case Pattern::Contiguous:
      return reinterpret_cast<std::byte*>(access.base + number * bytes + i);
    case Pattern::Uniform:
      return reinterpret_cast<std::byte*>(access.base + i);
    case Pattern::Interleaved:
      return reinterpret_cast<std::byte*>(access.base + (i / 4 * wave->lanes + number) * 4 + i % 4);
    case Pattern::Translated:
      return host_byte(wave, lane, wave->address[lane] + i);
    case Pattern::Gather:
      break;
  }
  return reinterpret_cast<std::byte*>(wave->address[lane] + i);
}

}  // namespace wavesmith::emulate
