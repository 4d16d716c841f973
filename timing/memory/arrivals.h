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
  static constexpr size_t kRows = 4;

  /// `most`: that are held at once, for the caller to see to.
  explicit Arrivals(size_t most) : mask_(std::bit_ceil(most + 1) - 1), ring_(kRows * (mask_ + 1), kNone) {
    for (size_t i = 0; i < kRows; ++i) rows_[i].ring = ring_.data() + i * (mask_ + 1);
  }
  Arrivals(const Arrivals&) = delete;
  Arrivals& operator=(const Arrivals&) = delete;

  [[nodiscard]] size_t size() const { return size_; }
  [[nodiscard]] double first() const { return heads_[earliest()]; }
  /// The first one, which goes.
  [[gnu::always_inline]] double take() {
    const size_t row = earliest();
    const double arrival = heads_[row];
    drop_first(row);
    return arrival;
  }
  /// All that have arrived by `now` go; where none has, the first one. When that is.
  [[gnu::always_inline]] double drop(double now) {
    const size_t row = earliest();
    const double arrival = heads_[row];
    if (arrival > now) {
      drop_first(row);
      return arrival;
    }
    for (size_t i = 0; i < kRows; ++i)
      while (heads_[i] <= now) drop_first(i);
    return now;
  }
  /// `level`: a row in which it mostly comes behind all others.
  [[gnu::always_inline]] void push(double arrival, size_t level) {
    Row& row = rows_[level];
    ++size_;
    if (row.last > arrival) [[unlikely]]
      return push_where_it_fits(arrival);
    append(level, arrival);
  }

 private:
  static constexpr double kNone = std::numeric_limits<double>::infinity();
  struct Row {
    double* ring = nullptr;  ///< its part of ring_; behind the last one stands kNone
    size_t begin = 0, end = 0;
    double last = 0;
  };
  [[gnu::always_inline]] void append(size_t number, double arrival) {
    Row& row = rows_[number];
    const size_t end = row.end++;
    if (row.begin == end) heads_[number] = arrival;
    row.ring[end & mask_] = arrival;
    row.ring[(end + 1) & mask_] = kNone;
    row.last = arrival;
  }
  [[gnu::always_inline]] void drop_first(size_t number) {
    Row& row = rows_[number];
    heads_[number] = row.ring[++row.begin & mask_];
    --size_;
  }
  /// Behind what arrives last before it; into its place in a row where no row ends before it.
  [[gnu::noinline]] void push_where_it_fits(double arrival) {
    size_t best = kRows;
    for (size_t i = 0; i < kRows; ++i) {
      Row& row = rows_[i];
      if (row.begin == row.end) row.last = 0;
      if (row.last <= arrival && (best == kRows || row.last > rows_[best].last)) best = i;
    }
    if (best != kRows) return append(best, arrival);
    Row& row = rows_.back();
    append(kRows - 1, row.last);
    size_t place = row.end - 1;
    for (; place != row.begin && at(row, place - 1) > arrival; --place) at(row, place) = at(row, place - 1);
    at(row, place) = arrival;
    heads_.back() = at(row, row.begin);
  }
  [[nodiscard]] [[gnu::always_inline]] size_t earliest() const {
    const size_t left = heads_[1] < heads_[0] ? 1 : 0, right = heads_[3] < heads_[2] ? 3 : 2;
    return heads_[right] < heads_[left] ? right : left;
  }
  [[nodiscard]] double& at(const Row& row, size_t place) const { return row.ring[place & mask_]; }
  size_t mask_;  ///< of the places of a row, a power of two of them
  std::vector<double> ring_;
  std::array<Row, kRows> rows_;
  std::array<double, kRows> heads_ = {kNone, kNone, kNone, kNone};  ///< the first one of each row
  size_t size_ = 0;
};

}  // namespace wavesmith::timing
