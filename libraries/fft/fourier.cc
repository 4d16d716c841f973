#include "libraries/fft/fourier.h"

#include <algorithm>
#include <cmath>
#include <complex>
#include <cstdio>
#include <limits>
#include <optional>
#include <unsupported/Eigen/FFT>
#include <vector>

namespace wavesmith::libraries {
namespace {

using Wide = std::complex<double>;

/// exp(2 pi i * part / whole)
Wide root(int64_t part, int64_t whole) {
  const double angle = 2 * M_PI * static_cast<double>(part) / static_cast<double>(whole);
  return {std::cos(angle), std::sin(angle)};
}

int64_t largest_factor(int64_t n) {
  int64_t largest = 1;
  for (int64_t factor = 2; factor * factor <= n; ++factor)
    for (; n % factor == 0; n /= factor) largest = factor;
  return std::max(largest, n);
}

/// Bluestein's algorithm: a transform of any length as a convolution of a power of two.
struct Chirp {
  explicit Chirp(int64_t length) {
    size_t wide = 1;
    while (wide < 2 * static_cast<size_t>(length) - 1) wide *= 2;
    for (auto* all : {&numbers, &spectrum, &filter}) all->resize(wide);
    // k * k is counted modulo 2 n, which keeps the angle exact.
    int64_t square = 0;
    for (int64_t k = 0; k < length; square = (square + 2 * k + 1) % (2 * length), ++k)
      factors.push_back(root(-square, 2 * length));
    for (size_t k = 0; k < factors.size(); ++k)
      numbers[k] = numbers[(wide - k) % wide] = std::conj(factors[k]) / static_cast<double>(wide);
  }
  std::vector<Wide> factors, filter, numbers, spectrum;
};

/// Transforms of numbers that lie side by side, all of one length.
class Line {
 public:
  explicit Line(int64_t length) : length_(length) {
    fft_.SetFlag(fft_.Unscaled);
    fft_.SetFlag(fft_.HalfSpectrum);
    if (largest_factor(length) <= kLargestFactor) return;
    chirp_.emplace(length);
    fft_.fwd(chirp_->filter.data(), chirp_->numbers.data(), wide_length());
  }

  /// `to` is elsewhere.
  void run(const Wide* from, Wide* to, bool forward) {
    if (length_ == 1) {
      *to = *from;
    } else if (chirp_) {
      convolve(from, to, forward);
    } else if (forward) {
      fft_.fwd(to, from, length_);
    } else {
      fft_.inv(to, from, length_);
    }
  }
  /// Forward, from real numbers to the half of the complex ones that determines the other.
  void forward(const double* from, Wide* to) {
    if (is_direct()) return fft_.fwd(to, from, length_);
    const std::vector<Wide> numbers(from, from + length_);
    std::vector<Wide> spectrum(numbers.size());
    run(numbers.data(), spectrum.data(), true);
    std::copy_n(spectrum.begin(), length_ / 2 + 1, to);
  }
  /// Backward, from such a half to real numbers. The imaginary parts of its first number and, where the
  /// length is even, of its last one count for nothing.
  void backward(const Wide* from, double* to) {
    if (is_direct()) return fft_.inv(to, from, length_);
    std::vector<Wide> spectrum(from, from + length_ / 2 + 1);
    spectrum.front().imag(0);
    if (length_ % 2 == 0) spectrum.back().imag(0);
    for (int64_t i = length_ / 2 + 1; i < length_; ++i) spectrum.push_back(std::conj(from[length_ - i]));
    std::vector<Wide> numbers(spectrum.size());
    run(spectrum.data(), numbers.data(), false);
    std::ranges::transform(numbers, to, [](Wide number) { return number.real(); });
  }

 private:
  /// The time of Eigen's transforms grows with a length's largest prime factor.
  static constexpr int64_t kLargestFactor = 61;

  [[nodiscard]] bool is_direct() const { return length_ > 1 && !chirp_; }
  [[nodiscard]] int64_t wide_length() const { return static_cast<int64_t>(chirp_->filter.size()); }

  /// Backward is forward of the conjugates, conjugated.
  void convolve(const Wide* from, Wide* to, bool forward) {
    auto& [factors, filter, numbers, spectrum] = *chirp_;
    const auto turned = [forward](Wide number) { return forward ? number : std::conj(number); };
    std::ranges::fill(numbers, Wide{});
    for (size_t k = 0; k < factors.size(); ++k) numbers[k] = turned(from[k]) * factors[k];
    fft_.fwd(spectrum.data(), numbers.data(), wide_length());
    for (size_t k = 0; k < spectrum.size(); ++k) spectrum[k] *= filter[k];
    fft_.inv(numbers.data(), spectrum.data(), wide_length());
    for (size_t k = 0; k < factors.size(); ++k) to[k] = turned(numbers[k] * factors[k]);
  }

  int64_t length_;
  Eigen::FFT<double> fft_;
  std::optional<Chirp> chirp_;
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
    int64_t longest = 0;
    for (int i = 0; i < what.dimensions; ++i) {
      if (i < what.dimensions - 1) rows_ *= what.sizes[i];
      longest = std::max(longest, what.sizes[i]);
      lines_.emplace_back(what.sizes[i]);
    }
    numbers_.resize(static_cast<size_t>(rows_ * half_));
    line_.resize(static_cast<size_t>(longest));
    result_.resize(static_cast<size_t>(longest));
    if (what.kind != FourierKind::Complex) real_.resize(static_cast<size_t>(length_));
  }

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
      numbers_[static_cast<size_t>(i)] = {static_cast<double>(at[0]), static_cast<double>(at[1])};
    }
  }
  void write(T* to) {
    for (int64_t i = 0; i < rows_ * half_; ++i) {
      T* const at = to + 2 * place(what_, what_.to, half_, i);
      const Wide number = numbers_[static_cast<size_t>(i)] * what_.scale;
      at[0] = static_cast<T>(number.real());
      at[1] = static_cast<T>(number.imag());
    }
  }
  void rows_from_real(const T* from) {
    for (int64_t row = 0; row < rows_; ++row) {
      for (int64_t i = 0; i < length_; ++i)
        real_[static_cast<size_t>(i)] =
            static_cast<double>(from[place(what_, what_.from, length_, row * length_ + i)]);
      lines_.back().forward(real_.data(), &numbers_[static_cast<size_t>(row * half_)]);
    }
  }
  void rows_to_real(T* to) {
    for (int64_t row = 0; row < rows_; ++row) {
      lines_.back().backward(&numbers_[static_cast<size_t>(row * half_)], real_.data());
      for (int64_t i = 0; i < length_; ++i)
        to[place(what_, what_.to, length_, row * length_ + i)] =
            static_cast<T>(real_[static_cast<size_t>(i)] * what_.scale);
    }
  }
  void along(int axis) {
    const auto length = static_cast<size_t>(what_.sizes[axis]);
    size_t step = 1;
    for (int i = what_.dimensions - 1; i > axis; --i)
      step *= static_cast<size_t>(i == what_.dimensions - 1 ? half_ : what_.sizes[i]);
    for (size_t first = 0; first < numbers_.size(); ++first) {
      if (first / step % length != 0) continue;
      for (size_t i = 0; i < length; ++i) line_[i] = numbers_[first + i * step];
      lines_[static_cast<size_t>(axis)].run(line_.data(), result_.data(), what_.sign < 0);
      for (size_t i = 0; i < length; ++i) numbers_[first + i * step] = result_[i];
    }
  }

  const Fourier& what_;
  const int64_t length_, half_;
  int64_t rows_ = 1;
  std::vector<Line> lines_;  ///< along each axis
  std::vector<Wide> numbers_, line_, result_;
  std::vector<double> real_;
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

void Fourier::report_work(const WorkReporter& reporter) const {
  GpuWork work("fft");
  static constexpr const char* kNames[] = {"length", "height", "depth"};
  for (int i = 0; i < dimensions; ++i) work.set(kNames[i], sizes[dimensions - 1 - i]);
  work.set("batch", batches).set("precision", twice ? "double" : "single");
  reporter(work.set("kind", kind == FourierKind::Complex    ? "c2c"
                            : kind == FourierKind::FromReal ? "r2c"
                                                            : "c2r"));
}

Outcome transform(Fourier what, void* stream) {
  // Eigen counts in int; the convolution of a length has up to four times as many numbers.
  for (int i = 0; i < what.dimensions; ++i)
    if (what.sizes[i] > std::numeric_limits<int>::max() / 4) {
      std::fprintf(stderr, "wavesmith: a Fourier transform of %lld numbers is too long\n",
                   static_cast<long long>(what.sizes[i]));
      return Outcome::NotServed;
    }
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
