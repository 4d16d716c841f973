// When what has been asked for arrives, in order of arrival: a ring that is kept sorted, since most of what
// is asked for later arrives later.
#pragma once

#include <bit>
#include <cstddef>
#include <vector>

namespace wavesmith::timing {

class Arrivals {
 public:
  /// `most`: that are held at once, for the caller to see to.
  explicit Arrivals(size_t most) : ring_(std::bit_ceil(most + 1)) {}

  [[nodiscard]] size_t size() const { return size_; }
  [[nodiscard]] double first() const { return ring_[begin_]; }
  void pop() {
    begin_ = at(1);
    --size_;
  }
  void push(double arrival) {
    size_t place = size_++;
    for (; place > 0 && ring_[at(place - 1)] > arrival; --place) ring_[at(place)] = ring_[at(place - 1)];
    ring_[at(place)] = arrival;
  }

 private:
  [[nodiscard]] size_t at(size_t place) const { return (begin_ + place) & (ring_.size() - 1); }
  std::vector<double> ring_;
  size_t begin_ = 0, size_ = 0;
};

}  // namespace wavesmith::timing
