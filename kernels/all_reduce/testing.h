// For tests of all-reduces: ranks, each with a stream of a GPU, a buffer and matrices, against double
// precision.
#pragma once

#include <memory>
#include <numeric>
#include <string>
#include <vector>

#include "kernels/all_reduce/arguments.h"
#include "kernels/rows/testing.h"
#include "kernels/wavesmith_all_reduce.h"

extern "C" {
int hipExtMallocWithFlags(void** pointer, size_t bytes, unsigned flags);
int hipMemset(void* pointer, int value, size_t bytes);
int hipStreamCreateWithFlags(void** stream, unsigned flags);
int hipStreamSynchronize(void* stream);
int hipStreamDestroy(void* stream);
}

namespace wavesmith::kernels {

using AllReduce = wavesmith_all_reduce_description;

/// A rank: its GPU, a stream of it, and its buffer, of which the halves hold NaN at first.
class Rank {
 public:
  Rank(int device, size_t bytes) : device_(device) {
    constexpr unsigned kNonBlocking = 1, kUncached = 3;
    use();
    EXPECT_EQ(hipStreamCreateWithFlags(&stream_, kNonBlocking), 0);
    EXPECT_EQ(hipExtMallocWithFlags(&buffer_, bytes, kUncached), 0);
    EXPECT_EQ(hipMemset(buffer_, 0xff, bytes), 0);
    EXPECT_EQ(hipMemset(buffer_, 0, kHeadBytes), 0);
    EXPECT_EQ(hipDeviceSynchronize(), 0);
  }
  ~Rank() {
    use();
    hipFree(buffer_);
    hipStreamDestroy(stream_);
  }
  Rank(const Rank&) = delete;
  Rank& operator=(const Rank&) = delete;
  void use() const { EXPECT_EQ(hipSetDevice(device_), 0); }
  [[nodiscard]] void* buffer() const { return buffer_; }
  [[nodiscard]] void* stream() const { return stream_; }
  void wait() const {
    use();
    ASSERT_EQ(hipStreamSynchronize(stream_), 0);
  }

 private:
  int device_;
  void *stream_ = nullptr, *buffer_ = nullptr;
};

/// Ranks that share one all-reduce after the other.
class Ranks {
 public:
  Ranks(const std::vector<int>& devices, size_t bytes) : bytes_(bytes) {
    for (const int device : devices) all_.push_back(std::make_unique<Rank>(device, bytes));
  }
  [[nodiscard]] int count() const { return static_cast<int>(all_.size()); }
  [[nodiscard]] const Rank& operator[](int rank) const { return *all_[static_cast<size_t>(rank)]; }
  void add_to(AllReduce& d) const {
    d.ranks = count(), d.buffer_bytes = bytes_;
    for (int rank = 0; rank < count(); ++rank) d.buffers[rank] = (*this)[rank].buffer();
  }
  void wait() const {
    for (const auto& rank : all_) rank->wait();
  }

 private:
  size_t bytes_;
  std::vector<std::unique_ptr<Rank>> all_;
};

/// What is reduced.
struct AllReduceCase {
  int64_t rows, columns;
  Type type = WAVESMITH_KERNELS_BF16;
  wavesmith_all_reduce_form form = WAVESMITH_ALL_REDUCE_ANY;
  bool residual = true, weight = true, sum = true, normed = true;
  bool in_place = false;  ///< the sum over the residual, or x; y over x
  float weight_offset = 0, epsilon = 1e-5F;

  [[nodiscard]] std::string described() const {
    return std::to_string(rows) + " x " + std::to_string(columns) + " of " + std::string(word_of(type)) +
           " form " + std::to_string(form) + " residual " + std::to_string(residual) + " norm " +
           std::to_string(normed) + " in place " + std::to_string(in_place);
  }
};

/// An all-reduce on all ranks: launched first, compared later.
class AllReduceRun {
 public:
  /// `value()` is a random number.
  template <class Value>
  AllReduceRun(const Ranks& ranks, const AllReduceCase& one, Value value) : ranks_(ranks), one_(one) {
    const auto matrix = [&](int64_t rows, double size) {
      HostRows made(rows, one.columns, 0, one.type);
      for (size_t i = 0; i < made.elements.count(); ++i) made.elements.set(i, size * value());
      return made;
    };
    residual_ = matrix(one.rows, 1), weight_ = matrix(1, 1);
    for (int rank = 0; rank < ranks.count(); ++rank) {
      ranks[rank].use();
      x_.push_back(matrix(one.rows, 2));
      const HostRows none(one.rows, one.columns, 0, one.type);
      Place& place = places_.emplace_back();
      place.x = on_gpu(x_.back()), place.residual = on_gpu(residual_), place.weight = on_gpu(weight_);
      place.sum = on_gpu(none), place.y = on_gpu(none);
    }
  }
  void launch() {
    for (int rank = 0; rank < ranks_.count(); ++rank) {
      ranks_[rank].use();
      const AllReduce d = description(rank);
      ASSERT_EQ(wavesmith_kernels_all_reduce(&d, ranks_[rank].stream()), WAVESMITH_KERNELS_SUCCESS)
          << wavesmith_kernels_message();
    }
  }
  AllReduce description(int rank) {
    const Place& p = places_[static_cast<size_t>(rank)];
    AllReduce d{.rank = rank,
                .rows = one_.rows,
                .columns = one_.columns,
                .type = one_.type,
                .x = p.x->data(),
                .residual = one_.residual ? p.residual->data() : nullptr,
                .sum = one_.sum ? sum_place(p)->data() : nullptr,
                .y = one_.normed ? y_place(p)->data() : nullptr,
                .weight = one_.weight && one_.normed ? p.weight->data() : nullptr,
                .weight_offset = one_.weight_offset,
                .epsilon = one_.epsilon,
                .form = one_.form};
    ranks_.add_to(d);
    return d;
  }
  /// Behind Ranks::wait().
  void compare() {
    std::vector<unsigned char> first_sum, first_y;
    for (int rank = 0; rank < ranks_.count(); ++rank) {
      SCOPED_TRACE(one_.described() + ": rank " + std::to_string(rank) + " of " +
                   std::to_string(ranks_.count()));
      ranks_[rank].use();
      const Place& p = places_[static_cast<size_t>(rank)];
      HostRows sum(one_.rows, one_.columns, 0, one_.type), y = sum;
      if (one_.sum) {
        const auto value = [&](int64_t i, int64_t j) { return total(i, j, false); };
        const auto allowed = [&](int64_t i, int64_t j) {
          return ranks_.count() * 0x1p-24 * total(i, j, true);
        };
        expect_rows(sum, *sum_place(p), value, allowed);
        if (testing::Test::HasFatalFailure()) return;
        if (rank == 0) first_sum = sum.elements.bytes;
        ASSERT_EQ(sum.elements.bytes, first_sum);
      }
      if (one_.normed) {
        // Without the sum that the GPU rounded it has to be near what double precision makes of it.
        compare_norm(y, *y_place(p), sum);
        if (testing::Test::HasFatalFailure()) return;
        if (rank == 0) first_y = y.elements.bytes;
        ASSERT_EQ(y.elements.bytes, first_y);
      }
    }
  }

 private:
  struct Place {
    std::unique_ptr<OnGpu> x, residual, weight, sum, y;
  };
  static std::unique_ptr<OnGpu> on_gpu(const HostRows& rows) {
    return std::make_unique<OnGpu>(rows.elements);
  }
  [[nodiscard]] const std::unique_ptr<OnGpu>& sum_place(const Place& p) const {
    return !one_.in_place ? p.sum : one_.residual ? p.residual : p.x;
  }
  [[nodiscard]] const std::unique_ptr<OnGpu>& y_place(const Place& p) const {
    return one_.in_place && (one_.residual || !one_.sum) ? p.x : p.y;
  }
  /// Of what is added, or of its absolute values.
  [[nodiscard]] double total(int64_t i, int64_t j, bool absolute) const {
    const auto of = [&](double value) { return absolute ? std::abs(value) : value; };
    double all = one_.residual ? of(residual_.get(i, j)) : 0;
    for (const HostRows& x : x_) all += of(x.get(i, j));
    return all;
  }
  void compare_norm(HostRows& y, const OnGpu& place, const HostRows& sum) const {
    const auto n = static_cast<double>(one_.columns);
    const auto rounded = [&](int64_t i, int64_t j) { return one_.sum ? sum.get(i, j) : total(i, j, false); };
    std::vector<double> factors;
    for (int64_t i = 0; i < one_.rows; ++i) {
      double squares = 0;
      for (int64_t j = 0; j < one_.columns; ++j) squares += rounded(i, j) * rounded(i, j);
      factors.push_back(1 / std::sqrt(squares / n + one_.epsilon));
    }
    const auto factor = [&](int64_t i, int64_t j) {
      const double weight = one_.weight ? weight_.get(0, j) + one_.weight_offset : 1;
      return factors[static_cast<size_t>(i)] * weight;
    };
    // The factor's relative error is half that of the mean square, a sum of n squares.
    const double relative = (n + 16) * 0x1p-24 + 0x1p-22 + (one_.sum ? 0 : 2 * epsilon_of(one_.type));
    expect_rows(
        y, place, [&](int64_t i, int64_t j) { return rounded(i, j) * factor(i, j); },
        [&](int64_t i, int64_t j) {
          const double of_sum =
              one_.sum ? 0 : (ranks_.count() * 0x1p-24 + epsilon_of(one_.type)) * total(i, j, true);
          return (std::abs(rounded(i, j)) * relative + of_sum) * std::abs(factor(i, j));
        });
  }

  const Ranks& ranks_;
  AllReduceCase one_;
  HostRows residual_, weight_;
  std::vector<HostRows> x_;
  std::vector<Place> places_;
};

}  // namespace wavesmith::kernels
