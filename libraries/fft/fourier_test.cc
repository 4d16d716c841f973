// hipFFT's transforms, against sums of complex doubles over all numbers written out here. Random lengths,
// dimensions and layouts; the seed is printed.
#include <algorithm>
#include <cmath>
#include <complex>
#include <cstdint>
#include <string>
#include <vector>

#include "libraries/shim/seeded_test.h"

namespace {

using namespace wavesmith::libraries;
using Wide = std::complex<double>;

constexpr int kC2C = 0x29, kR2C = 0x2a, kC2R = 0x2c, kTwice = 0x40;

class Transforms : public SeededTest {
 protected:
  void SetUp() override {
    SeededTest::SetUp();
    ASSERT_TRUE(library_);
  }
  template <class T>
  int run(void* plan, int type, int sign, T* from, T* to) {
    const std::string kind = (type & ~kTwice) == kC2C   ? (type & kTwice ? "Z2Z" : "C2C")
                             : (type & ~kTwice) == kR2C ? (type & kTwice ? "D2Z" : "R2C")
                                                        : (type & kTwice ? "Z2D" : "C2R");
    const std::string name = "hipfftExec" + kind;
    if ((type & ~kTwice) == kC2C)
      return call(library_, name.c_str(), plan, static_cast<const void*>(from), static_cast<void*>(to), sign);
    return call(library_, name.c_str(), plan, static_cast<const void*>(from), static_cast<void*>(to));
  }

  template <class T>
  void check(int type, const std::vector<int>& sizes, int batches, bool many, bool in_place);

  void* const library_ = open_library("libhipfft.so.0");
};

/// The transform by its definition: one sum over all numbers for each result.
std::vector<Wide> sums(const std::vector<Wide>& from, const std::vector<int>& sizes, int sign) {
  std::vector<Wide> to(from.size());
  for (size_t i = 0; i < to.size(); ++i)
    for (size_t j = 0; j < from.size(); ++j) {
      double turns = 0;
      for (size_t axis = sizes.size(), x = i, y = j; axis-- > 0;) {
        const auto size = static_cast<size_t>(sizes[axis]);
        turns += static_cast<double>(x % size * (y % size) % size) / static_cast<double>(size);
        x /= size;
        y /= size;
      }
      to[i] += from[j] * std::polar(1.0, sign * 2 * M_PI * turns);
    }
  return to;
}

/// Places in memory by a layout, in numbers.
struct Layout {
  std::vector<int> embed;
  int stride, distance;
  [[nodiscard]] int place(const std::vector<int>& rows, size_t number, int batch) const {
    int at = 0, scale = 1;
    for (size_t axis = rows.size(); axis-- > 0;) {
      at += static_cast<int>(number % static_cast<size_t>(rows[axis])) * scale;
      number /= static_cast<size_t>(rows[axis]);
      scale *= embed[axis];
    }
    return at * stride + batch * distance;
  }
};

template <class T>
void Transforms::check(int type, const std::vector<int>& sizes, int batches, bool many, bool in_place) {
  std::string of;
  for (const int size : sizes) of += " " + std::to_string(size);
  SCOPED_TRACE(testing::Message() << std::hex << "type " << type << std::dec << ", sizes" << of
                                  << ", batches " << batches << (many ? ", any layout" : "")
                                  << (in_place ? ", in place" : ""));
  const int kind = type & ~kTwice, rank = static_cast<int>(sizes.size());
  std::vector<int> half = sizes;  // the complex numbers of a real transform
  if (kind != kC2C) half.back() = sizes.back() / 2 + 1;
  const std::vector<int>&from_sizes = kind == kC2R ? half : sizes, &to_sizes = kind == kR2C ? half : sizes;
  const auto layout = [&](const std::vector<int>& rows, bool real) {
    Layout l{rows, 1, 1};
    if (in_place && real) l.embed.back() = 2 * half.back();
    if (many) {
      for (int& size : l.embed) size += below(3);
      l.stride = 1 + below(2);
    }
    l.distance = l.stride;
    for (const int size : l.embed) l.distance *= size;
    if (many) l.distance += below(4);
    return l;
  };
  const Layout from = layout(from_sizes, kind == kR2C), to = layout(to_sizes, kind == kC2R);
  const int from_parts = kind == kR2C ? 1 : 2, to_parts = kind == kC2R ? 1 : 2;
  std::vector<T> input = numbers_of<T>(batches * from.distance * from_parts),
                 output = numbers_of<T>(batches * to.distance * to_parts);
  std::vector<T> before = input;
  const int sign = kind == kR2C ? -1 : kind == kC2R ? 1 : below(2) ? -1 : 1;

  void* plan = nullptr;
  size_t work = 99;
  ASSERT_EQ(call(library_, "hipfftCreate", &plan), 0);
  ASSERT_EQ(call(library_, "hipfftMakePlanMany", plan, rank, sizes.data(), many ? from.embed.data() : nullptr,
                 from.stride, from.distance, many ? to.embed.data() : nullptr, to.stride, to.distance, type,
                 batches, &work),
            0);
  EXPECT_EQ(work, 0U);
  if (in_place) input.resize(std::max(input.size(), output.size()));
  std::vector<T>& result = in_place ? input : output;
  ASSERT_EQ(run<T>(plan, type, sign, input.data(), result.data()), 0);
  synchronize();
  EXPECT_EQ(call(library_, "hipfftDestroy", plan), 0);

  size_t count = 1, from_count = 1, to_count = 1;
  for (const int size : sizes) count *= static_cast<size_t>(size);
  for (const int size : from_sizes) from_count *= static_cast<size_t>(size);
  for (const int size : to_sizes) to_count *= static_cast<size_t>(size);
  for (int batch = 0; batch < batches; ++batch) {
    std::vector<Wide> given(from_count);
    for (size_t i = 0; i < from_count; ++i) {
      const auto at = static_cast<size_t>(from.place(from_sizes, i, batch)) * static_cast<size_t>(from_parts);
      given[i] = from_parts == 1 ? Wide(before[at]) : Wide(before[at], before[at + 1]);
    }
    std::vector<Wide> want;
    if (kind == kC2R) {
      // Transforms over all dimensions but the last, then real rows from halves: what the other half would be
      // is the conjugate, and the first and the middle number of a row are real.
      const auto row = static_cast<size_t>(half.back()), length = static_cast<size_t>(sizes.back());
      std::vector<int> others(sizes.begin(), sizes.end() - 1);
      want.resize(count);
      const size_t rows = from_count / row;
      std::vector<Wide> mid(from_count);
      for (size_t k = 0; k < row; ++k) {
        std::vector<Wide> column(rows);
        for (size_t r = 0; r < rows; ++r) column[r] = given[r * row + k];
        column = sums(column, others, sign);
        for (size_t r = 0; r < rows; ++r) mid[r * row + k] = column[r];
      }
      for (size_t r = 0; r < rows; ++r)
        for (size_t j = 0; j < length; ++j) {
          double sum = mid[r * row].real();
          for (size_t k = 1; k < row; ++k) {
            const Wide turned =
                mid[r * row + k] *
                std::polar(1.0, 2 * M_PI * static_cast<double>(j * k % length) / static_cast<double>(length));
            const bool middle = 2 * k == length;
            sum += middle ? mid[r * row + k].real() * (j % 2 ? -1 : 1) : 2 * turned.real();
          }
          want[r * length + j] = sum;
        }
    } else {
      want = sums(given, sizes, sign);
    }
    const double error = (sizeof(T) == 4 ? 0x1p-24 : 0x1p-50) * 8 * std::sqrt(static_cast<double>(count)) * 2;
    for (size_t i = 0; i < to_count; ++i) {
      size_t full = i;  // of the whole transform's numbers
      if (kind == kR2C)
        full = i / static_cast<size_t>(half.back()) * static_cast<size_t>(sizes.back()) +
               i % static_cast<size_t>(half.back());
      const auto at = static_cast<size_t>(to.place(to_sizes, i, batch)) * static_cast<size_t>(to_parts);
      ASSERT_NEAR(result[at], want[full].real(), error) << "number " << i << " of batch " << batch;
      if (to_parts == 2) {
        ASSERT_NEAR(result[at + 1], want[full].imag(), error) << "number " << i << " of batch " << batch;
      }
    }
  }
}

TEST_F(Transforms, EveryLengthEqualsTheSums) {
  std::vector<int> lengths{67, 127, 134, 256, 360, 509, 625, 1024};  // 67, 127 and 509 are large primes
  for (int length = 1; length <= 32; ++length) lengths.push_back(length);
  for (const int length : lengths)
    for (const int kind : {kC2C, kR2C, kC2R}) {
      check<float>(kind, {length}, 1, false, false);
      check<double>(kind | kTwice, {length}, 1, false, false);
      if (HasFatalFailure()) return;
    }
}

TEST_F(Transforms, DimensionsAndLayoutsEqualTheSums) {
  for (int round = 0; round < 60; ++round) {
    std::vector<int> sizes(static_cast<size_t>(1 + round % 3));
    for (int& size : sizes) size = 1 + below(sizes.size() == 1 ? 100 : 9);
    const bool many = below(2) != 0;
    for (const int kind : {kC2C, kR2C, kC2R}) {
      check<float>(kind, sizes, 1 + below(3), many, !many && below(2));
      check<double>(kind | kTwice, sizes, 1 + below(3), many, !many && below(2));
      if (HasFatalFailure()) return;
    }
  }
}

TEST_F(Transforms, WrongCallsAreErrors) {
  void *plan = nullptr, *memory = nullptr;
  size_t work = 0;
  ASSERT_EQ(call(library_, "hipfftCreate", &plan), 0);
  float numbers[32] = {};
  EXPECT_EQ(run<float>(plan, kC2C, -1, numbers, numbers), 1) << "a plan that is not made";
  EXPECT_EQ(call(library_, "hipfftMakePlan1d", plan, 0, kC2C, 1, &work), 8);
  EXPECT_EQ(call(library_, "hipfftMakePlan1d", plan, 8, 0x30, 1, &work), 3);
  ASSERT_EQ(call(library_, "hipfftMakePlan1d", plan, 8, kC2C, 1, &work), 0);
  EXPECT_EQ(run<float>(plan, kR2C, -1, numbers, numbers), 1) << "a plan of another kind";
  EXPECT_EQ(run<float>(plan, kC2C, 0, numbers, numbers), 4) << "no direction";
  EXPECT_EQ(run<float>(plan, kC2C, -1, numbers, nullptr), 4);
  ASSERT_EQ(call(hip_, "hipMalloc", &memory, size_t{60}), 0);
  testing::internal::CaptureStderr();
  EXPECT_EQ(run<float>(plan, kC2C, -1, numbers, static_cast<float*>(memory)), 4);
  EXPECT_NE(testing::internal::GetCapturedStderr().find("the output of a Fourier transform reaches past"),
            std::string::npos);
  EXPECT_EQ(call(hip_, "hipFree", memory), 0);
  EXPECT_EQ(call(library_, "hipfftDestroy", plan), 0);
}

}  // namespace
