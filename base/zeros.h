// Tests for all-zero memory without writing to it, so that untouched pages cost the host no memory.
#pragma once

#include <cstddef>
#include <cstring>
#include <span>

namespace wavesmith {

/// The block that is read or written at a time: a huge page, which a read of untouched memory maps at once.
constexpr size_t kZeroBlock = size_t{2} << 20;

inline bool only_zeros(std::span<const std::byte> bytes) {
  // Each byte is as the one before, and the first is zero.
  return bytes.empty() ||
         (bytes[0] == std::byte{0} && std::memcmp(bytes.data(), bytes.data() + 1, bytes.size() - 1) == 0);
}

}  // namespace wavesmith
