// The bytes that an argument occupies in memory.
#pragma once

#include <cstdint>

#include "kernels/library/element_type.h"

namespace wavesmith::kernels {

struct ByteRange {
  uintptr_t first, end;  ///< its first byte, and the byte behind its last one

  /// Of what begins there, up to its last element.
  static ByteRange of(const void* data, int64_t elements, wavesmith_kernels_type type) {
    const auto first = reinterpret_cast<uintptr_t>(data);
    return {first, first + static_cast<uintptr_t>(elements * size_of(type))};
  }
  [[nodiscard]] bool overlaps(const ByteRange& other) const { return first < other.end && other.first < end; }
};

}  // namespace wavesmith::kernels
