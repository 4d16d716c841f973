// What goes in at one end and out at the other, side by side in memory and without a new piece of it for
// each.
#pragma once

#include <cstddef>
#include <vector>

namespace wavesmith::timing {

template <class Value>
class Ring {
 public:
  [[nodiscard]] size_t size() const { return size_; }
  [[nodiscard]] bool empty() const { return size_ == 0; }
  /// From the oldest one on.
  [[nodiscard]] const Value& operator[](size_t i) const { return ring_[place(i)]; }
  [[nodiscard]] const Value& front() const { return (*this)[0]; }
  [[nodiscard]] const Value& back() const { return (*this)[size_ - 1]; }
  void push(const Value& value) {
    if (size_ == ring_.size()) grow();
    ring_[place(size_++)] = value;
  }
  /// Without the `count` oldest.
  void pop(size_t count = 1) {
    first_ = place(count);
    size_ -= count;
  }
  void clear() { first_ = size_ = 0; }

 private:
  [[nodiscard]] size_t place(size_t i) const { return (first_ + i) & (ring_.size() - 1); }
  void grow() {
    std::vector<Value> larger(ring_.empty() ? 16 : 2 * ring_.size());
    for (size_t i = 0; i < size_; ++i) larger[i] = (*this)[i];
    ring_.swap(larger);
    first_ = 0;
  }
  std::vector<Value> ring_;  ///< a power of two of places
  size_t first_ = 0, size_ = 0;
};

}  // namespace wavesmith::timing
