// What tells one access of a wave from another apart from where it begins: what is worked out for a shape
// holds for all accesses of it.
#pragma once

#include <cstddef>
#include <cstdint>

#include "timing/trace.h"

namespace wavesmith::timing {

struct AccessShape {
  const WaveRecord* record;  ///< whose offsets they are; nullptr: affine
  uint64_t shape;            ///< stride, or where its offsets stand
  uint64_t lanes;
  uint32_t begins;  ///< of what its cost repeats with: banks, a line
  uint16_t bytes;
  uint8_t kind;
  bool operator==(const AccessShape&) const = default;

  /// `begins`: the base's distance from a multiple of the period at which accesses cost the same. `kind`:
  /// whatever else tells them apart.
  static AccessShape of(const WaveRecord& record, const AccessRecord& access, uint64_t begins, uint8_t kind) {
    return {access.affine ? nullptr : &record,
            access.affine ? static_cast<uint64_t>(access.stride) : access.first,
            access.lanes,
            static_cast<uint32_t>(begins),
            access.bytes,
            kind};
  }
};

struct AccessShapeHash {
  size_t operator()(const AccessShape& shape) const {
    // Products side by side, not one behind the other; their upper bits depend on all of a part's.
    const uint64_t rest = uint64_t{shape.begins} << 24 | uint64_t{shape.bytes} << 8 | shape.kind;
    const uint64_t hash = reinterpret_cast<uint64_t>(shape.record) * 0xd6e8feb86659fd93u ^
                          shape.shape * 0x9e3779b97f4a7c15u ^ shape.lanes * 0xc2b2ae3d27d4eb4fu ^
                          rest * 0xff51afd7ed558ccdu;
    return hash ^ hash >> 32;
  }
};

}  // namespace wavesmith::timing
