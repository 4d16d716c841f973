// Sizes and positions along x, y and z.
#pragma once

#include <cstddef>
#include <cstdint>

namespace wavesmith {

/// Sizes along x, y and z, or a position in them. Each is 1 by default, as in HIP's dim3.
class Extent3 {
 public:
  constexpr Extent3() = default;
  constexpr Extent3(uint32_t x, uint32_t y, uint32_t z) : axes_{x, y, z} {}

  constexpr uint32_t& operator[](size_t axis) { return axes_[axis]; }
  constexpr const uint32_t& operator[](size_t axis) const { return axes_[axis]; }
  constexpr uint32_t* begin() { return axes_; }
  constexpr uint32_t* end() { return axes_ + 3; }
  [[nodiscard]] constexpr const uint32_t* begin() const { return axes_; }
  [[nodiscard]] constexpr const uint32_t* end() const { return axes_ + 3; }
  bool operator==(const Extent3&) const = default;

  [[nodiscard]] constexpr bool empty() const { return !axes_[0] || !axes_[1] || !axes_[2]; }
  /// Elements of a box of these sizes.
  [[nodiscard]] constexpr uint64_t count() const { return uint64_t{axes_[0]} * axes_[1] * axes_[2]; }
  /// Number of the element at a position, x counted fastest.
  [[nodiscard]] constexpr uint64_t number_at(const Extent3& position) const {
    return position[0] + axes_[0] * (position[1] + uint64_t{axes_[1]} * position[2]);
  }
  /// Position of the element with that number.
  [[nodiscard]] constexpr Extent3 position_of(uint64_t number) const {
    return {static_cast<uint32_t>(number % axes_[0]), static_cast<uint32_t>(number / axes_[0] % axes_[1]),
            static_cast<uint32_t>(number / axes_[0] / axes_[1])};
  }

 private:
  uint32_t axes_[3] = {1, 1, 1};
};

/// Workgroups of a grid of work-items; the last one of each axis may be smaller than the others.
constexpr Extent3 workgroups_of(const Extent3& items, const Extent3& workgroup) {
  Extent3 groups;
  for (size_t axis = 0; axis < 3; ++axis)
    groups[axis] = static_cast<uint32_t>((uint64_t{items[axis]} + workgroup[axis] - 1) / workgroup[axis]);
  return groups;
}

}  // namespace wavesmith
