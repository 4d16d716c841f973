#include "libraries/fft/fourier.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <utility>

#include "libraries/shim/number.h"
#include "libraries/shim/room.h"

namespace wavesmith::libraries {
namespace {

using Wide = Complex<double>;

Wide* room(int64_t count) { return room_for<Wide>(count, "a Fourier transform"); }

/// exp(2 pi i * part / whole)
Wide root(int64_t part, int64_t whole) {
  const double angle = 2 * M_PI * static_cast<double>(part) / static_cast<double>(whole);
  return {std::cos(angle), std::sin(angle)};
}

/// A length is split into its prime factors as long as they are small; any other becomes a convolution of a
/// power of two (Bluestein's algorithm).
constexpr int64_t kLargestFactor = 61;

int64_t factor_of(int64_t n) {
  if (n % 4 == 0) return 4;
  for (int64_t factor = 2; factor * factor <= n; ++factor)
    if (n % factor == 0) return factor;
  return n;
}

int64_t largest_factor(int64_t n) {
  int64_t largest = 1;
  while (n > 1) {
    const int64_t factor = factor_of(n);
    largest = std::max(largest, factor);
    n /= factor;
  }
  return largest;
}

/// Transforms of numbers that lie one after the other, all of one length and sign.
class Line {
 public:
  Line(int64_t length, int sign)
      : length_(length),
        sign_(sign),
        direct_(largest_factor(length) <= kLargestFactor),
        roots_(room(length)) {
    for (int64_t i = 0; i < length; ++i) roots_[i] = root(sign * i, length);
    if (direct_) return;
    wide_length_ = 1;
    while (wide_length_ < 2 * length - 1) wide_length_ *= 2;
    forward_ = new_line(wide_length_, -1);
    chirp_ = room(length);
    filter_ = room(wide_length_);
    work_[0] = room(wide_length_);
    work_[1] = room(wide_length_);
    // k * k is counted modulo 2 n, which keeps the angle exact.
    int64_t square = 0;
    for (int64_t k = 0; k < length; square = (square + 2 * k + 1) % (2 * length), ++k)
      chirp_[k] = root(sign * square, 2 * length);
    std::fill_n(work_[0], wide_length_, Wide{});
    for (int64_t k = 0; k < length; ++k) {
      const Wide back{chirp_[k].real, -chirp_[k].imaginary};
      work_[0][k] = back;
      if (k > 0) work_[0][wide_length_ - k] = back;
    }
    forward_->run(work_[0], filter_);
  }
  ~Line() {
    std::free(roots_);
    std::free(chirp_);
    std::free(filter_);
    std::free(work_[0]);
    std::free(work_[1]);
    if (!forward_) return;
    forward_->~Line();
    std::free(forward_);
  }
  Line(const Line&) = delete;
  Line& operator=(const Line&) = delete;

  /// `to` is elsewhere.
  void run(const Wide* from, Wide* to) {
    if (direct_)
      split(length_, 1, from, to);
    else
      convolve(from, to);
  }

 private:
  static Line* new_line(int64_t length, int sign) {
    return new (room_for<Line>(1, "a Fourier transform")) Line(length, sign);
  }
  static void* operator new(size_t, void* place) { return place; }
  static void operator delete(void*, void*) {}

  /// The transform of n numbers `stride` apart: those of each residue of a factor, put together.
  void split(int64_t n, int64_t stride, const Wide* from, Wide* to) {
    if (n == 1) {
      to[0] = from[0];
      return;
    }
    const int64_t factor = factor_of(n), part = n / factor;
    for (int64_t r = 0; r < factor; ++r) split(part, stride * factor, from + r * stride, to + r * part);
    for (int64_t k = 0; k < part; ++k) {
      Wide turned[kLargestFactor];
      for (int64_t r = 0; r < factor; ++r) turned[r] = to[r * part + k] * roots_[r * k * stride];
      if (factor == 2) {
        to[k] = turned[0] + turned[1];
        to[k + part] = minus(turned[0], turned[1]);
      } else if (factor == 4) {
        const Wide even = turned[0] + turned[2], even_less = minus(turned[0], turned[2]),
                   odd = turned[1] + turned[3], odd_less = minus(turned[1], turned[3]);
        const Wide quarter =
            sign_ < 0 ? Wide{odd_less.imaginary, -odd_less.real} : Wide{-odd_less.imaginary, odd_less.real};
        to[k] = even + odd;
        to[k + part] = even_less + quarter;
        to[k + 2 * part] = minus(even, odd);
        to[k + 3 * part] = minus(even_less, quarter);
      } else {
        for (int64_t q = 0; q < factor; ++q) {
          Wide sum = turned[0];
          for (int64_t r = 1; r < factor; ++r) sum = sum + turned[r] * roots_[r * q % factor * part * stride];
          to[k + q * part] = sum;
        }
      }
    }
  }
  static Wide minus(Wide a, Wide b) { return {a.real - b.real, a.imaginary - b.imaginary}; }

  void convolve(const Wide* from, Wide* to) {
    std::fill_n(work_[0], wide_length_, Wide{});
    for (int64_t k = 0; k < length_; ++k) work_[0][k] = from[k] * chirp_[k];
    forward_->run(work_[0], work_[1]);
    // Backward is forward of the conjugates.
    for (int64_t k = 0; k < wide_length_; ++k) {
      const Wide product = work_[1][k] * filter_[k];
      work_[1][k] = {product.real, -product.imaginary};
    }
    forward_->run(work_[1], work_[0]);
    const double scale = 1 / static_cast<double>(wide_length_);
    for (int64_t k = 0; k < length_; ++k)
      to[k] = Wide{work_[0][k].real * scale, -work_[0][k].imaginary * scale} * chirp_[k];
  }

  const int64_t length_;
  const int sign_;
  const bool direct_;
  Wide* const roots_;
  int64_t wide_length_ = 0;
  Line* forward_ = nullptr;
  Wide *chirp_ = nullptr, *filter_ = nullptr, *work_[2] = {};
};

/// Where element `number` of a batch lies; the rows of `sizes` are counted with `last` numbers.
int64_t place(const Fourier& what, const FourierLayout& layout, int64_t last, int64_t number) {
  int64_t at = number % last, scale = layout.embed[what.dimensions - 1];
  number /= last;
  for (int i = what.dimensions - 2; i >= 0; --i) {
    at += number % what.sizes[i] * scale;
    number /= what.sizes[i];
    scale *= layout.embed[i];
  }
  return at * layout.stride;
}

template <class T>
class Work {
 public:
  explicit Work(const Fourier& what)
      : what_(what),
        length_(what.sizes[what.dimensions - 1]),
        half_(what.kind == FourierKind::Complex ? length_ : length_ / 2 + 1) {
    for (int i = 0; i < what.dimensions - 1; ++i) rows_ *= what.sizes[i];
    numbers_ = room(rows_ * half_);
    int64_t longest = 1;
    for (int i = 0; i < what.dimensions; ++i) longest = std::max(longest, what.sizes[i]);
    line_ = room(longest);
    result_ = room(longest);
  }
  ~Work() {
    std::free(numbers_);
    std::free(line_);
    std::free(result_);
  }
  Work(const Work&) = delete;
  Work& operator=(const Work&) = delete;

  void run() {
    for (int64_t batch = 0; batch < what_.batches; ++batch) {
      const auto* const from = static_cast<const T*>(what_.input) +
                               batch * what_.from.distance * (what_.kind == FourierKind::FromReal ? 1 : 2);
      auto* const to = static_cast<T*>(what_.output) +
                       batch * what_.to.distance * (what_.kind == FourierKind::ToReal ? 1 : 2);
      if (what_.kind == FourierKind::FromReal)
        rows_from_real(from);
      else
        read(from);
      for (int axis = 0; axis < what_.dimensions - (what_.kind == FourierKind::Complex ? 0 : 1); ++axis)
        along(axis);
      if (what_.kind == FourierKind::ToReal)
        rows_to_real(to);
      else
        write(to);
    }
  }

 private:
  void read(const T* from) {
    for (int64_t i = 0; i < rows_ * half_; ++i) {
      const T* const at = from + 2 * place(what_, what_.from, half_, i);
      numbers_[i] = {static_cast<double>(at[0]), static_cast<double>(at[1])};
    }
  }
  void write(T* to) {
    for (int64_t i = 0; i < rows_ * half_; ++i) {
      T* const at = to + 2 * place(what_, what_.to, half_, i);
      at[0] = static_cast<T>(numbers_[i].real * what_.scale);
      at[1] = static_cast<T>(numbers_[i].imaginary * what_.scale);
    }
  }
  void rows_from_real(const T* from) {
    Line line(length_, what_.sign);
    for (int64_t row = 0; row < rows_; ++row) {
      for (int64_t i = 0; i < length_; ++i)
        line_[i] = {static_cast<double>(from[place(what_, what_.from, length_, row * length_ + i)]), 0};
      line.run(line_, result_);
      std::copy_n(result_, half_, numbers_ + row * half_);
    }
  }
  /// The imaginary parts of the first number and, of an even length, of the last one count for nothing.
  void rows_to_real(T* to) {
    Line line(length_, what_.sign);
    for (int64_t row = 0; row < rows_; ++row) {
      const Wide* const given = numbers_ + row * half_;
      for (int64_t i = 0; i < half_; ++i) line_[i] = given[i];
      for (int64_t i = half_; i < length_; ++i)
        line_[i] = {given[length_ - i].real, -given[length_ - i].imaginary};
      line_[0].imaginary = 0;
      if (length_ % 2 == 0) line_[length_ / 2].imaginary = 0;
      line.run(line_, result_);
      for (int64_t i = 0; i < length_; ++i)
        to[place(what_, what_.to, length_, row * length_ + i)] =
            static_cast<T>(result_[i].real * what_.scale);
    }
  }
  void along(int axis) {
    const int64_t length = axis == what_.dimensions - 1 ? half_ : what_.sizes[axis];
    int64_t step = 1;
    for (int i = what_.dimensions - 1; i > axis; --i)
      step *= i == what_.dimensions - 1 ? half_ : what_.sizes[i];
    Line line(length, what_.sign);
    for (int64_t first = 0; first < rows_ * half_; ++first) {
      if (first / step % length != 0) continue;
      for (int64_t i = 0; i < length; ++i) line_[i] = numbers_[first + i * step];
      line.run(line_, result_);
      for (int64_t i = 0; i < length; ++i) numbers_[first + i * step] = result_[i];
    }
  }

  const Fourier& what_;
  const int64_t length_, half_;
  int64_t rows_ = 1;
  Wide *numbers_, *line_, *result_;
};

bool lies_in_memory(const Fourier& what, const FourierLayout& layout, const void* data, bool real,
                    bool complex_rows) {
  int64_t last = what.sizes[what.dimensions - 1], count = 1;
  if (complex_rows) last = last / 2 + 1;
  for (int i = 0; i < what.dimensions - 1; ++i) count *= what.sizes[i];
  const int64_t highest = place(what, layout, last, count * last - 1) + (what.batches - 1) * layout.distance;
  return reaches(data, 0, highest, (what.twice ? 8 : 4) * (real ? 1 : 2));
}

}  // namespace

void Fourier::pack(bool in_place) {
  const int64_t last = sizes[dimensions - 1], half = last / 2 + 1;
  const auto fill = [&](FourierLayout& layout, bool real) {
    layout.stride = 1;
    layout.distance = 1;
    for (int i = 0; i < dimensions; ++i) {
      layout.embed[i] = sizes[i];
      if (i == dimensions - 1 && kind != FourierKind::Complex)
        layout.embed[i] = !real ? half : in_place ? 2 * half : last;
      layout.distance *= layout.embed[i];
    }
  };
  fill(from, kind == FourierKind::FromReal);
  fill(to, kind == FourierKind::ToReal);
}

void Fourier::run() const {
  if (twice)
    Work<double>(*this).run();
  else
    Work<float>(*this).run();
}

void Fourier::tell(const Teller& teller) const {
  GpuWork work("fft");
  static constexpr const char* kNames[] = {"length", "height", "depth"};
  for (int i = 0; i < dimensions; ++i) work.set(kNames[i], sizes[dimensions - 1 - i]);
  work.set("batch", batches).set("precision", twice ? "double" : "single");
  teller(work.set("kind", kind == FourierKind::Complex    ? "c2c"
                          : kind == FourierKind::FromReal ? "r2c"
                                                          : "c2r"));
}

Outcome transform(Fourier what, void* stream) {
  if (what.by_default) what.pack(what.input == what.output);
  const bool half_in = what.kind == FourierKind::ToReal, half_out = what.kind == FourierKind::FromReal;
  const struct {
    const FourierLayout& layout;
    const void* data;
    bool real, complex_rows;
    const char* name;
  } arrays[] = {{what.from, what.input, half_out, half_in, "input"},
                {what.to, what.output, half_in, half_out, "output"}};
  for (const auto& each : arrays)
    if (!lies_in_memory(what, each.layout, each.data, each.real, each.complex_rows)) {
      std::fprintf(stderr,
                   "wavesmith: the %s of a Fourier transform reaches past the end of its allocation\n",
                   each.name);
      return Outcome::BadPointer;
    }
  return enqueue(stream, what);
}

}  // namespace wavesmith::libraries
