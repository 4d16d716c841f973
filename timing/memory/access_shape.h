// What tells one access of a wave from another apart from where it begins: what is worked out for a shape
// holds for all accesses of it. A launch's shapes have numbers, under which whoever replays it keeps what it
// has worked out.
#pragma once

#include <compare>
#include <cstddef>
#include <cstdint>
#include <map>
#include <span>
#include <vector>

#include "timing/trace.h"

namespace wavesmith::timing {

/// One of a workgroup's accesses.
struct AccessShape {
  uint64_t wave;   ///< whose offsets they are, 0: affine; the wave's number from 1 on
  uint64_t shape;  ///< stride, or where its offsets stand
  uint64_t lanes;
  uint32_t begins;  ///< the base's distance from a multiple of kShapePeriod
  uint16_t bytes;
  bool operator==(const AccessShape&) const = default;

  static AccessShape of(uint32_t wave, const AccessRecord& access) {
    return {access.affine ? 0 : uint64_t{wave} + 1,
            access.affine ? static_cast<uint64_t>(access.stride) : access.first, access.lanes,
            static_cast<uint32_t>(access.base % kShapePeriod), access.bytes};
  }
};

struct AccessShapeHash {
  size_t operator()(const AccessShape& shape) const {
    // Products side by side, not one behind the other; their upper bits depend on all of a part's.
    const uint64_t rest = uint64_t{shape.begins} << 16 | uint64_t{shape.bytes};
    const uint64_t hash = shape.wave * 0xd6e8feb86659fd93u ^ shape.shape * 0x9e3779b97f4a7c15u ^
                          shape.lanes * 0xc2b2ae3d27d4eb4fu ^ rest * 0xff51afd7ed558ccdu;
    return hash ^ hash >> 32;
  }
};

/// The shapes of a launch. Waves whose lanes are at the same offsets share one.
class AccessShapes {
 public:
  /// AccessRecord::kNoShape: there are so many already that it does not pay to tell them apart.
  /// `offsets`: of each active lane, where the access is not affine.
  uint32_t number_of(const AccessRecord& access, std::span<const uint64_t> offsets) {
    constexpr size_t kMost = 1 << 14;
    Shape shape{access.lanes,
                access.affine ? access.stride : 0,
                static_cast<uint32_t>(access.base % kShapePeriod),
                access.bytes,
                access.affine,
                {offsets.begin(), offsets.end()}};
    if (numbers_.size() < kMost)
      return numbers_.try_emplace(std::move(shape), static_cast<uint32_t>(numbers_.size())).first->second;
    const auto known = numbers_.find(shape);
    return known == numbers_.end() ? AccessRecord::kNoShape : known->second;
  }

 private:
  struct Shape {
    uint64_t lanes;
    int64_t stride;
    uint32_t begins;
    uint16_t bytes;
    bool affine;
    std::vector<uint64_t> offsets;
    auto operator<=>(const Shape&) const = default;
  };
  std::map<Shape, uint32_t> numbers_;
};

}  // namespace wavesmith::timing
