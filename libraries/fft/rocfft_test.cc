// rocFFT's plans, against sums of complex doubles over all numbers written out here. Random lengths, kinds
// and layouts; the seed is printed.
#include <cmath>
#include <complex>
#include <cstdint>
#include <numeric>
#include <vector>

#include "libraries/shim/seeded_test.h"

namespace {

using namespace wavesmith::libraries;
using Wide = std::complex<double>;
using Sizes = std::vector<size_t>;  // the fastest dimension first, as rocFFT has them

constexpr int kInPlace = 0, kElsewhere = 1;
constexpr int kForward = 0, kInverse = 1, kFromReal = 2, kToReal = 3;

size_t product(const Sizes& sizes) {
  return std::accumulate(sizes.begin(), sizes.end(), size_t{1}, std::multiplies<>());
}
/// The place of the number-th element.
size_t place(const Sizes& sizes, const Sizes& strides, size_t number) {
  size_t at = 0;
  for (size_t axis = 0; axis < sizes.size(); ++axis) {
    at += number % sizes[axis] * strides[axis];
    number /= sizes[axis];
  }
  return at;
}

/// The transform by its definition.
std::vector<Wide> sums(const std::vector<Wide>& from, const Sizes& sizes, int sign) {
  std::vector<Wide> to(from.size());
  for (size_t i = 0; i < to.size(); ++i)
    for (size_t j = 0; j < from.size(); ++j) {
      double turns = 0;
      size_t x = i, y = j;
      for (const size_t size : sizes) {
        turns += static_cast<double>(x % size * (y % size) % size) / static_cast<double>(size);
        x /= size;
        y /= size;
      }
      to[i] += from[j] * std::polar(1.0, sign * 2 * M_PI * turns);
    }
  return to;
}

template <class T>
class Plans : public SeededTest {
 protected:
  static constexpr int kPrecision = sizeof(T) == 4 ? 0 : 1;
  int fft(const char* name, auto... args) { return call(library_, std::string("rocfft_") + name, args...); }
  Sizes random_sizes() {
    Sizes sizes(1 + below(size_t{3}));
    for (size_t& size : sizes) size = 1 + below(size_t{6});
    return sizes;
  }
  void expect(T got, double want, size_t terms) {
    ASSERT_NEAR(static_cast<double>(got), want,
                (sizeof(T) == 4 ? 2e-6 : 4e-15) * (4 + static_cast<double>(terms)));
  }
  void execute(void* plan, void* from, void* to, void* info = nullptr) {
    void *inputs[] = {from}, *outputs[] = {to};
    ASSERT_EQ(fft("execute", static_cast<const void*>(plan), static_cast<void**>(inputs),
                  static_cast<void**>(outputs), info),
              0);
    synchronize();
  }

  void* const library_ = open_library("librocfft.so.0");
};
using Types = testing::Types<float, double>;
TYPED_TEST_SUITE(Plans, Types);

TYPED_TEST(Plans, OfComplexNumbersFollowTheirStridesDistanceOffsetAndScale) {
  using T = TypeParam;
  using Number = std::complex<T>;
  for (int round = 0; round < 40; ++round) {
    const Sizes sizes = this->random_sizes();
    const size_t count = product(sizes), batches = 1 + this->below(size_t{3}),
                 offset = this->below(size_t{4});
    const bool described = round % 4 != 0, in_place = round % 3 == 0, forward = this->below(2) != 0;
    SCOPED_TRACE(testing::Message() << "round " << round << ", " << count << " numbers");
    const auto strides = [&](bool random) {
      Sizes all;
      size_t next = random ? 1 + this->below(size_t{2}) : 1;
      for (const size_t size : sizes) {
        all.push_back(next);
        next *= size + (random ? this->below(size_t{3}) : 0);
      }
      all.push_back(next + (random ? this->below(size_t{3}) : 0));  // the distance
      return all;
    };
    const Sizes from_strides = strides(described), to_strides = in_place ? from_strides : strides(described);
    const double scale = described ? this->number() : 1;
    const size_t shift = described ? offset : 0;
    std::vector<Number> from(shift + from_strides.back() * batches), to(shift + to_strides.back() * batches);
    for (Number& each : from) each = this->template number_of<Number>();
    void *description = nullptr, *plan = nullptr;
    if (described) {
      const size_t offsets[] = {offset, 0};
      ASSERT_EQ(this->fft("plan_description_create", &description), 0);
      ASSERT_EQ(this->fft("plan_description_set_data_layout", description, 0, 0,
                          static_cast<const size_t*>(offsets), static_cast<const size_t*>(offsets),
                          sizes.size(), from_strides.data(), from_strides.back(), sizes.size(),
                          to_strides.data(), to_strides.back()),
                0);
      ASSERT_EQ(this->fft("plan_description_set_scale_factor", description, scale), 0);
    }
    ASSERT_EQ(this->fft("plan_create", &plan, in_place ? kInPlace : kElsewhere, forward ? kForward : kInverse,
                        this->kPrecision, sizes.size(), sizes.data(), batches, description),
              0);
    const std::vector<Number> before = from;
    this->execute(plan, from.data(), in_place ? nullptr : to.data());
    const std::vector<Number>& got = in_place ? from : to;
    for (size_t batch = 0; batch < batches; ++batch) {
      std::vector<Wide> numbers;
      for (size_t i = 0; i < count; ++i)
        numbers.emplace_back(before[shift + batch * from_strides.back() + place(sizes, from_strides, i)]);
      const std::vector<Wide> want = sums(numbers, sizes, forward ? -1 : 1);
      for (size_t i = 0; i < count; ++i) {
        const Number each = got[shift + batch * to_strides.back() + place(sizes, to_strides, i)];
        this->expect(each.real(), want[i].real() * scale, count);
        this->expect(each.imag(), want[i].imag() * scale, count);
      }
    }
    ASSERT_EQ(this->fft("plan_destroy", plan), 0);
    if (described) ASSERT_EQ(this->fft("plan_description_destroy", description), 0);
    if (this->HasFatalFailure()) return;
  }
}

TYPED_TEST(Plans, OfRealNumbersGiveTheHalfAndTakeItBack) {
  using T = TypeParam;
  using Number = std::complex<T>;
  for (int round = 0; round < 30; ++round) {
    const Sizes sizes = this->random_sizes();
    const bool in_place = round % 2 != 0;
    Sizes half = sizes, padded = sizes;
    half[0] = sizes[0] / 2 + 1;
    if (in_place) padded[0] = 2 * half[0];
    const size_t count = product(sizes), batches = 1 + this->below(size_t{3});
    const auto packed = [](const Sizes& all) {
      Sizes strides{1};
      for (const size_t size : all) strides.push_back(strides.back() * size);
      return strides;
    };
    const Sizes real_strides = packed(padded), half_strides = packed(half);
    std::vector<T> reals(product(padded) * batches), again(reals.size());
    for (T& each : reals) each = this->template number_of<T>();
    std::vector<Number> halves(product(half) * batches);
    const std::vector<T> before = reals;
    void *forth = nullptr, *back = nullptr, *info = nullptr;
    const int placement = in_place ? kInPlace : kElsewhere;
    void* const none = nullptr;
    ASSERT_EQ(this->fft("plan_create", &forth, placement, kFromReal, this->kPrecision, sizes.size(),
                        sizes.data(), batches, none),
              0);
    ASSERT_EQ(this->fft("plan_create", &back, placement, kToReal, this->kPrecision, sizes.size(),
                        sizes.data(), batches, none),
              0);
    size_t work = 7;
    ASSERT_EQ(this->fft("plan_get_work_buffer_size", static_cast<const void*>(forth), &work), 0);
    EXPECT_EQ(work, 0u);
    ASSERT_EQ(this->fft("execution_info_create", &info), 0);
    ASSERT_EQ(this->fft("execution_info_set_stream", info, none), 0);
    this->execute(forth, reals.data(), in_place ? nullptr : halves.data(), info);
    const auto* const got = in_place ? reinterpret_cast<const Number*>(reals.data()) : halves.data();
    for (size_t batch = 0; batch < batches; ++batch) {
      std::vector<Wide> numbers;
      for (size_t i = 0; i < count; ++i)
        numbers.emplace_back(
            static_cast<double>(before[batch * real_strides.back() + place(sizes, real_strides, i)]));
      const std::vector<Wide> want = sums(numbers, sizes, -1);
      for (size_t i = 0; i < count; ++i) {
        if (i % sizes[0] >= half[0]) continue;
        const Number each = got[batch * half_strides.back() + place(sizes, half_strides, i)];
        this->expect(each.real(), want[i].real(), count);
        this->expect(each.imag(), want[i].imag(), count);
      }
    }
    this->execute(back, in_place ? static_cast<void*>(reals.data()) : halves.data(),
                  in_place ? nullptr : again.data(), info);
    for (size_t batch = 0; batch < batches; ++batch)
      for (size_t i = 0; i < count; ++i) {
        const size_t at = batch * real_strides.back() + place(sizes, real_strides, i);
        this->expect((in_place ? reals : again)[at],
                     static_cast<double>(before[at]) * static_cast<double>(count), count);
      }
    ASSERT_EQ(this->fft("execution_info_destroy", info), 0);
    ASSERT_EQ(this->fft("plan_destroy", forth), 0);
    ASSERT_EQ(this->fft("plan_destroy", back), 0);
    if (this->HasFatalFailure()) return;
  }
}

TYPED_TEST(Plans, OfFieldsGatherAndLayBricks) {
  using T = TypeParam;
  using Number = std::complex<T>;
  for (int round = 0; round < 20; ++round) {
    const Sizes sizes = {2 + this->below(size_t{5}), 2 + this->below(size_t{5})};
    const size_t batches = 1 + this->below(size_t{2}), count = product(sizes);
    SCOPED_TRACE(testing::Message() << "round " << round << ", " << sizes[0] << " by " << sizes[1]);
    // Cut in two along one axis, each part with rows of its own length.
    struct Part {
      Sizes lower, upper, strides;
      std::vector<Number> numbers;
      size_t at(size_t x, size_t y, size_t batch) const {
        return (x - lower[0]) * strides[0] + (y - lower[1]) * strides[1] + batch * strides[2];
      }
      bool has(size_t x, size_t y) const {
        return x >= lower[0] && x < upper[0] && y >= lower[1] && y < upper[1];
      }
    };
    const auto cut = [&](size_t axis) {
      std::vector<Part> parts(2);
      const size_t middle = 1 + this->below(sizes[axis] - 1);
      for (size_t i = 0; i < 2; ++i) {
        Part& part = parts[i];
        part.lower = {0, 0, 0};
        part.upper = {sizes[0], sizes[1], batches};
        (i == 0 ? part.upper : part.lower)[axis] = middle;
        const size_t row = part.upper[0] - part.lower[0] + this->below(size_t{3});
        part.strides = {1, row, row * (part.upper[1] - part.lower[1])};
        part.numbers.resize(part.strides[2] * batches);
        for (Number& each : part.numbers) each = this->template number_of<Number>();
      }
      return parts;
    };
    std::vector<Part> from = cut(this->below(size_t{2})), to = cut(this->below(size_t{2}));
    const auto field_of = [&](const std::vector<Part>& parts) {
      void* field = nullptr;
      EXPECT_EQ(this->fft("field_create", &field), 0);
      for (const Part& part : parts) {
        void* brick = nullptr;
        EXPECT_EQ(this->fft("brick_create", &brick, part.lower.data(), part.upper.data(), part.strides.data(),
                            size_t{3}, 0),
                  0);
        EXPECT_EQ(this->fft("field_add_brick", field, brick), 0);
        EXPECT_EQ(this->fft("brick_destroy", brick), 0);
      }
      return field;
    };
    void *description = nullptr, *plan = nullptr, *in = field_of(from), *out = field_of(to);
    ASSERT_EQ(this->fft("plan_description_create", &description), 0);
    ASSERT_EQ(this->fft("plan_description_add_infield", description, in), 0);
    ASSERT_EQ(this->fft("plan_description_add_outfield", description, out), 0);
    const auto make = [&](size_t how_many) {
      return this->fft("plan_create", &plan, kElsewhere, kForward, this->kPrecision, size_t{2}, sizes.data(),
                       how_many, description);
    };
    EXPECT_EQ(make(batches + 1), 3);  // more numbers than the bricks have
    ASSERT_EQ(make(batches), 0);
    void *inputs[] = {from[0].numbers.data(), from[1].numbers.data()},
         *outputs[] = {to[0].numbers.data(), to[1].numbers.data()};
    ASSERT_EQ(this->fft("execute", static_cast<const void*>(plan), static_cast<void**>(inputs),
                        static_cast<void**>(outputs), static_cast<void*>(nullptr)),
              0);
    this->synchronize();
    for (size_t batch = 0; batch < batches; ++batch) {
      std::vector<Wide> numbers;
      for (size_t i = 0; i < count; ++i)
        for (const Part& part : from)
          if (const size_t x = i % sizes[0], y = i / sizes[0]; part.has(x, y))
            numbers.emplace_back(part.numbers[part.at(x, y, batch)]);
      ASSERT_EQ(numbers.size(), count);
      const std::vector<Wide> want = sums(numbers, sizes, -1);
      for (size_t i = 0; i < count; ++i)
        for (const Part& part : to)
          if (const size_t x = i % sizes[0], y = i / sizes[0]; part.has(x, y)) {
            const Number each = part.numbers[part.at(x, y, batch)];
            this->expect(each.real(), want[i].real(), count);
            this->expect(each.imag(), want[i].imag(), count);
          }
    }
    for (void* const field : {in, out}) ASSERT_EQ(this->fft("field_destroy", field), 0);
    ASSERT_EQ(this->fft("plan_destroy", plan), 0);
    ASSERT_EQ(this->fft("plan_description_destroy", description), 0);
    if (this->HasFatalFailure()) return;
  }
}

TYPED_TEST(Plans, WhatIsWrongOrNotServedIsSaid) {
  const size_t four[] = {4, 4, 4, 4}, odd[] = {2, 3};
  void *plan = nullptr, *description = nullptr;
  const auto make = [&](int kind, int precision, size_t dimensions, size_t batches) {
    return this->fft("plan_create", &plan, kElsewhere, kind, precision, dimensions,
                     static_cast<const size_t*>(four), batches, description);
  };
  const auto lay_out = [&](int from, int to) {
    return this->fft("plan_description_set_data_layout", description, from, to,
                     static_cast<const size_t*>(nullptr), static_cast<const size_t*>(nullptr), size_t{2},
                     static_cast<const size_t*>(odd), size_t{0}, size_t{2}, static_cast<const size_t*>(odd),
                     size_t{0});
  };
  EXPECT_EQ(make(kForward, 0, 4, 1), 3);
  EXPECT_EQ(make(kForward, 0, 0, 1), 3);
  EXPECT_EQ(make(kForward, 2, 1, 1), 1);  // half precision
  EXPECT_EQ(make(4, 0, 1, 1), 2);
  EXPECT_EQ(make(kForward, 0, 1, 0), 2);
  ASSERT_EQ(this->fft("plan_description_create", &description), 0);
  ASSERT_EQ(lay_out(0, 0), 0);
  EXPECT_EQ(make(kForward, 0, 2, 1), 1);  // strides of 2 and 3
  ASSERT_EQ(lay_out(1, 1), 0);
  EXPECT_EQ(make(kForward, 0, 1, 1), 1);  // planar
  ASSERT_EQ(lay_out(0, 0), 0);
  EXPECT_EQ(make(kFromReal, 0, 1, 1), 4);
  EXPECT_EQ(lay_out(0, 6), 4);
  EXPECT_EQ(this->fft("plan_description_destroy", description), 0);
  EXPECT_EQ(this->fft("plan_destroy", static_cast<void*>(nullptr)), 2);
}

}  // namespace
