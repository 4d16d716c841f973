// From the addresses of a wave's lanes to lines: what the address unit does.
#pragma once

#include <algorithm>
#include <bit>
#include <cstdint>
#include <span>
#include <vector>

namespace wavesmith::timing {

/// A line that an access touches.
struct LineUse {
  uint64_t line;                  ///< address / bytes of a line
  uint32_t bytes;                 ///< of the line, that the access names; at most its size
  uint32_t parts = ~uint32_t{0};  ///< which of the line's 32 parts of the same size
};

/// The parts of a line from one of its bytes on.
inline uint32_t parts_of(uint64_t offset, uint64_t bytes, uint32_t line) {
  constexpr uint32_t kParts = 32;
  // Lines are powers of 2 on all GPUs that we know; a division for each lane would be felt.
  const auto part = [line](uint64_t byte) {
    const uint64_t scaled = byte * kParts;
    return std::has_single_bit(line) ? scaled >> std::countr_zero(line) : scaled / line;
  };
  const uint64_t first = part(offset), last = std::min<uint64_t>(part(offset + bytes - 1), kParts - 1);
  return (~uint32_t{0} >> (kParts - 1 - (last - first))) << first;
}

struct Coalesced {
  std::vector<LineUse> lines;  ///< in the order of lanes, each once
  uint32_t clocks = 0;         ///< that the address unit takes
};

/// The address unit takes the lanes that 64 bytes hold at a time, at most 16, and each line among them costs
/// a clock. Source: AMD, CDNA3 ISA reference, "Memory access" (64 bytes a clock between L1 and registers); 61
/// bytes a clock measured for 4 and 16 bytes per lane (RRZE-HPC gpu-benches, gpu-cache).
/// `addresses`: of the active lanes, in order; a lane moves `bytes` from its address on.
Coalesced coalesce(std::span<const uint64_t> addresses, uint32_t bytes, uint32_t line);
/// The same into what is there already.
void coalesce(std::span<const uint64_t> addresses, uint32_t bytes, uint32_t line, Coalesced& result);

/// The same of 64 lanes side by side from `base` on, where no step of the address unit straddles two lines;
/// false: one does, and nothing was done.
bool coalesce_dense(uint64_t base, uint32_t bytes, uint32_t line, Coalesced& result);

/// Where a lane's private memory lies: the dwords of a wave's lanes side by side, far from all else.
/// Source: LLVM, "User Guide for AMDGPU Backend", "Private": the swizzled address.
constexpr uint64_t private_address(uint64_t offset, uint32_t lane, uint32_t lanes, uint64_t wave) {
  return (uint64_t{1} << 60) + (wave << 24) + offset / 4 * lanes * 4 + lane * 4 + offset % 4;
}

}  // namespace wavesmith::timing
