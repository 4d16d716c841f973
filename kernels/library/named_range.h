// Where arguments lie in memory, by the names that messages have for them.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>

#include "kernels/library/byte_range.h"
#include "kernels/library/failure.h"

namespace wavesmith::kernels {

struct NamedRange {
  const char* name;
  ByteRange range;

  /// A vector's; of null it has no bytes, and overlaps nothing.
  static NamedRange of(const char* name, const void* data, int64_t elements, wavesmith_kernels_type type) {
    return {name, data ? ByteRange::of(data, elements, type) : ByteRange{}};
  }
};

/// INVALID_ARGUMENT where what is written overlaps one of the others.
inline wavesmith_kernels_status check_apart(std::string_view operation, const NamedRange& written,
                                            std::span<const NamedRange> others) {
  for (const NamedRange& other : others)
    if (written.range.overlaps(other.range))
      return invalid(operation, std::string(written.name) + " overlaps " + other.name);
  return succeed();
}

/// INVALID_ARGUMENT where one of the last ranges, so many of which are written, overlaps one before it.
inline wavesmith_kernels_status check_written(std::string_view operation, std::span<const NamedRange> ranges,
                                              size_t written) {
  for (size_t i = ranges.size() - written; i < ranges.size(); ++i)
    if (const auto status = check_apart(operation, ranges[i], ranges.first(i))) return status;
  return succeed();
}

}  // namespace wavesmith::kernels
