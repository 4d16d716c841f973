// What is worked out for shapes of accesses, looked up for every access: open addressing, linear probing, the
// entries side by side in the order in which they came.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "timing/memory/access_shape.h"

namespace wavesmith::timing {

template <class Value>
class ShapeMap {
 public:
  [[nodiscard]] size_t size() const { return entries_.size(); }
  /// nullptr: not there. Valid until the next insertion.
  [[nodiscard]] const Value* find(const AccessShape& shape) const {
    const uint32_t entry = places_[place(shape)];
    return entry == kNone ? nullptr : &entries_[entry].value;
  }
  /// A shape that is not there.
  const Value* insert(const AccessShape& shape, Value value) {
    if (2 * (entries_.size() + 1) > places_.size()) grow();
    places_[place(shape)] = static_cast<uint32_t>(entries_.size());
    entries_.push_back({shape, std::move(value)});
    return &entries_.back().value;
  }

 private:
  static constexpr uint32_t kNone = ~uint32_t{0};
  struct Entry {
    AccessShape shape;
    Value value;
  };
  /// Where the shape stands, or would.
  [[nodiscard]] size_t place(const AccessShape& shape) const {
    size_t i = AccessShapeHash()(shape) & (places_.size() - 1);
    while (places_[i] != kNone && !(entries_[places_[i]].shape == shape)) i = (i + 1) & (places_.size() - 1);
    return i;
  }
  void grow() {
    places_.assign(2 * places_.size(), kNone);
    for (uint32_t i = 0; i < entries_.size(); ++i) places_[place(entries_[i].shape)] = i;
  }
  std::vector<Entry> entries_;
  std::vector<uint32_t> places_ = std::vector<uint32_t>(64, kNone);  ///< a power of two; numbers of entries
};

}  // namespace wavesmith::timing
