// When what has been asked for arrives, in order of arrival. What one level of the memory answers arrives in
// the order in which it was asked for, and there are few levels: so many rows, each in order, of which the
// first ones are compared.
#pragma once

#include <array>
#include <bit>
#include <cstddef>
#include <limits>
#include <vector>

namespace wavesmith::timing {

class Arrivals {
 public:
  /// `most`: that are held at once, for the caller to see to.
  explicit Arrivals(size_t most) : mask_(std::bit_ceil(most + 1) - 1), ring_(kRows * (mask_ + 1)) {
    for (size_t i = 0; i < kRows; ++i) rows_[i].ring = ring_.data() + i * (mask_ + 1);
  }
  Arrivals(const Arrivals&) = delete;
  Arrivals& operator=(const Arrivals&) = delete;

  [[nodiscard]] size_t size() const { return size_; }
  [[nodiscard]] double first() const { return rows_[earliest()].first; }
  void pop() { take(); }
  /// The first one, which goes.
  [[gnu::always_inline]] double take() {
    Row& row = rows_[earliest()];
    const double arrival = row.first;
    ++row.begin;
    --size_;
    if (--row.size == 0)
      row.first = kNone, row.last = 0;
    else
      row.first = at(row, 0);
    return arrival;
  }
  [[gnu::always_inline]] void push(double arrival) {
    // Behind what arrives last before it, which can't be foreseen: no branches.
    size_t best = kRows;
    double before = -1;
    for (size_t i = 0; i < kRows; ++i) {
      const double last = rows_[i].last;
      const bool fits = (last <= arrival) & (last > before);
      best = fits ? i : best;
      before = fits ? last : before;
    }
    ++size_;
    if (best == kRows) return put_in(rows_[kRows - 1], arrival);
    Row& row = rows_[best];
    row.first = row.size == 0 ? arrival : row.first;
    row.last = arrival;
    at(row, row.size++) = arrival;
  }

 private:
  static constexpr size_t kRows = 3;
  static constexpr double kNone = std::numeric_limits<double>::infinity();
  struct Row {
    double* ring = nullptr;  ///< its part of ring_
    size_t begin = 0, size = 0;
    double first = kNone, last = 0;
  };
  /// Into its place in a row.
  void put_in(Row& row, double arrival) {
    size_t place = row.size++;
    for (; place > 0 && at(row, place - 1) > arrival; --place) at(row, place) = at(row, place - 1);
    at(row, place) = arrival;
    row.first = at(row, 0);
    row.last = at(row, row.size - 1);
  }
  [[nodiscard]] size_t earliest() const {
    size_t row = 0;
    for (size_t i = 1; i < kRows; ++i) row = rows_[i].first < rows_[row].first ? i : row;
    return row;
  }
  double& at(const Row& row, size_t place) { return row.ring[(row.begin + place) & mask_]; }
  size_t mask_;  ///< of the places of a row, a power of two of them
  std::vector<double> ring_;
  std::array<Row, kRows> rows_;
  size_t size_ = 0;
};

}  // namespace wavesmith::timing
