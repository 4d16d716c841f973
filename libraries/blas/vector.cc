#include "libraries/blas/vector.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "libraries/blas/operands.h"
#include "libraries/blas/operations.h"
#include "libraries/shim/gpu_work.h"
#include "libraries/shim/stream.h"

extern "C" int hipStreamSynchronize(void* stream);

namespace wavesmith::libraries {
namespace {

double largest_part(double a) { return std::abs(a); }
double largest_part(Complex<double> a) { return std::max(std::abs(a.real), std::abs(a.imaginary)); }
double sum_of_parts(double a) { return std::abs(a); }
double sum_of_parts(Complex<double> a) { return std::abs(a.real) + std::abs(a.imaginary); }
double square(double a, double scale) { return a / scale * (a / scale); }
double square(Complex<double> a, double scale) { return square(a.real, scale) + square(a.imaginary, scale); }
template <class T>
T real_type_of(T);
template <class T>
T real_type_of(Complex<T>);

template <class T>
using Wide = decltype(widened(T{}));
template <class T>
using Real = decltype(real_type_of(T{}));

/// The numbers of a matrix, or of a vector seen as one, as they lie in memory and widened.
template <class T>
T& at(const Matrix& a, int64_t i, int64_t j = 0) {
  return static_cast<T*>(a.data)[i * a.row + j * a.column];
}
template <class T>
Wide<T> get(const Matrix& a, int64_t i, int64_t j = 0) {
  return widened(at<T>(a, i, j));
}
template <class T>
Wide<T> get(const Scalar& scalar) {
  T value{};
  read(scalar, value);
  return widened(value);
}

struct MeasureRequest {
  Measure what;
  int64_t n;
  Matrix x, y;
  void* result;

  template <class T>
  Wide<T> dot() const {
    Wide<T> sum{};
    for (int64_t i = 0; i < n; ++i) {
      const Wide<T> left = get<T>(x, i);
      sum = sum + (what == Measure::DotConjugated ? conjugate(left) : left) * get<T>(y, i);
    }
    return sum;
  }
  template <class T>
  double norm() const {
    double largest = 0, squares = 0;
    for (int64_t i = 0; i < n; ++i) {
      const double part = largest_part(get<T>(x, i));
      if (!(part <= largest)) largest = part;  // NaN, too
    }
    if (largest == 0 || !std::isfinite(largest)) return largest;
    for (int64_t i = 0; i < n; ++i) squares += square(get<T>(x, i), largest);
    return largest * std::sqrt(squares);
  }
  template <class T>
  double sizes() const {
    double sum = 0;
    for (int64_t i = 0; i < n; ++i) sum += sum_of_parts(get<T>(x, i));
    return sum;
  }
  template <class T>
  int place() const {
    int64_t best = 0;
    for (int64_t i = 1; i < n; ++i) {
      const double one = sum_of_parts(get<T>(x, i)), other = sum_of_parts(get<T>(x, best));
      if (what == Measure::Largest ? one > other : one < other) best = i;
    }
    return static_cast<int>(n > 0 ? best + 1 : 0);
  }
  void run() const {
    with_type(x.type, [this]<class T>(T) {
      switch (what) {
        case Measure::Dot:
        case Measure::DotConjugated:
          return store(dot<T>(), *static_cast<T*>(result));
        case Measure::Norm:
          return store(norm<T>(), *static_cast<Real<T>*>(result));
        case Measure::Sizes:
          return store(sizes<T>(), *static_cast<Real<T>*>(result));
        default:
          *static_cast<int*>(result) = place<T>();
      }
    });
  }
  void report_work(const WorkReporter& reporter) const {
    const bool pair = what == Measure::Dot || what == Measure::DotConjugated;
    // Of an empty vector a zero is written.
    reporter(streamed(bytes_of(x.type, n, pair ? 2 : 1), bytes_of(x.type, 1), true));
  }
};

struct CopyRequest {
  int64_t n;
  Matrix x, y;

  void run() const {
    with_type(x.type, [this]<class T>(T) {
      for (int64_t i = 0; i < n; ++i) at<T>(y, i) = at<T>(x, i);
    });
  }
  void report_work(const WorkReporter& reporter) const {
    reporter(streamed(bytes_of(x.type, n), bytes_of(x.type, n)));
  }
};

struct SwapRequest {
  int64_t n;
  Matrix x, y;

  void run() const {
    with_type(x.type, [this]<class T>(T) {
      for (int64_t i = 0; i < n; ++i) std::swap(at<T>(x, i), at<T>(y, i));
    });
  }
  void report_work(const WorkReporter& reporter) const {
    reporter(streamed(bytes_of(x.type, n, 2), bytes_of(x.type, n, 2)));
  }
};

struct RankOneRequest {
  bool conjugates;
  int64_t m, n;
  Scalar alpha;
  Matrix x, y, a;

  void run() const {
    with_type(a.type, [this]<class T>(T) {
      const Wide<T> scale = get<T>(alpha);
      if (is_zero(scale)) return;
      for (int64_t j = 0; j < n; ++j) {
        const Wide<T> right = get<T>(y, j), factor = scale * (conjugates ? conjugate(right) : right);
        for (int64_t i = 0; i < m; ++i) store(get<T>(a, i, j) + get<T>(x, i) * factor, at<T>(a, i, j));
      }
    });
  }
  void report_work(const WorkReporter& reporter) const {
    reporter(streamed(bytes_of(a.type, m, n) + bytes_of(a.type, m + n), bytes_of(a.type, m, n)));
  }
};

template <class T>
T without_imaginary(T a) {
  return a;
}
template <class T>
Complex<T> without_imaginary(Complex<T> a) {
  return {a.real, 0};
}

struct TriangleRequest {
  bool upper, conjugates, of_two;
  int64_t n;
  Scalar alpha;
  Matrix x, y, a;

  void run() const {
    with_type(a.type, [this]<class T>(T) {
      const Wide<T> scale = get<T>(alpha);
      if (is_zero(scale)) return;
      const auto turned = [this](Wide<T> value) { return conjugates ? conjugate(value) : value; };
      for (int64_t j = 0; j < n; ++j)
        for (int64_t i = upper ? 0 : j; i < (upper ? j + 1 : n); ++i) {
          Wide<T> sum = get<T>(a, i, j) + scale * get<T>(x, i) * turned(get<T>(y, j));
          if (of_two) sum = sum + turned(scale) * get<T>(y, i) * turned(get<T>(x, j));
          store(conjugates && i == j ? without_imaginary(sum) : sum, at<T>(a, i, j));
        }
    });
  }
  void report_work(const WorkReporter& reporter) const {
    const double triangle = bytes_of(a.type, n, n + 1) / 2;
    reporter(streamed(triangle + bytes_of(a.type, n, of_two ? 2 : 1), triangle));
  }
};

struct DiagonalRequest {
  bool right;
  int64_t m, n;
  Matrix a, x, c;

  void run() const {
    with_type(a.type, [this]<class T>(T) {
      for (int64_t j = 0; j < n; ++j)
        for (int64_t i = 0; i < m; ++i) store(get<T>(a, i, j) * get<T>(x, right ? j : i), at<T>(c, i, j));
    });
  }
  void report_work(const WorkReporter& reporter) const {
    reporter(streamed(bytes_of(a.type, m, n) + bytes_of(a.type, right ? n : m), bytes_of(a.type, m, n)));
  }
};

struct RankKRequest {
  bool upper;
  int64_t n, k;
  Scalar alpha, beta;
  Matrix a, c;  ///< a: op(a)

  void run() const {
    with_type(a.type, [this]<class T>(T) {
      const Wide<T> scale = get<T>(alpha), old = get<T>(beta);
      for (int64_t j = 0; j < n; ++j)
        for (int64_t i = upper ? 0 : j; i < (upper ? j + 1 : n); ++i) {
          Wide<T> sum{};
          if (!is_zero(scale))
            for (int64_t l = 0; l < k; ++l) sum = sum + get<T>(a, i, l) * get<T>(a, j, l);
          sum = scale * sum;
          if (!is_zero(old)) sum = sum + old * get<T>(c, i, j);
          store(sum, at<T>(c, i, j));
        }
    });
  }
  /// As many multiply-adds as the triangle has.
  void report_work(const WorkReporter& reporter) const { reporter(product(a.type, n, (n + 1) / 2, k)); }
};

struct BandRequest {
  bool upper;
  int64_t n, k;
  Scalar alpha, beta;
  Matrix a, x, y;

  void run() const {
    with_type(a.type, [this]<class T>(T) {
      const Wide<T> scale = get<T>(alpha), old = get<T>(beta);
      for (int64_t i = 0; i < n; ++i) {
        Wide<T> sum{};
        for (int64_t j = std::max<int64_t>(0, i - k); j <= std::min(n - 1, i + k) && !is_zero(scale); ++j) {
          const int64_t row = std::min(i, j), column = std::max(i, j);  // of the upper triangle
          sum = sum +
                (upper ? get<T>(a, k + row - column, column) : get<T>(a, column - row, row)) * get<T>(x, j);
        }
        sum = scale * sum;
        if (!is_zero(old)) sum = sum + old * get<T>(y, i);
        store(sum, at<T>(y, i));
      }
    });
  }
  void report_work(const WorkReporter& reporter) const {
    reporter(streamed(bytes_of(a.type, n, k + 2), bytes_of(a.type, n)));
  }
};

template <class Request>
GemmStatus launch(const Handle& handle, const Request& request) {
  return status_of(enqueue(handle.stream, request));
}

Matrix matrix_of(const Vector& x, Number type, int64_t n) { return vector_of(x.data, type, n, x.step); }
bool lies_in_memory(const Vector& x, Number type, int64_t n) {
  return lies_in_memory(matrix_of(x, type, n), n, 1);
}

}  // namespace

GemmStatus enqueue(const Measurement& m) {
  const bool pair = m.what == Measure::Dot || m.what == Measure::DotConjugated;
  if (!m.result) return GemmStatus::BadPointer;
  const int64_t n = m.n <= 0 || (!pair && m.x.step <= 0) ? 0 : m.n;
  if (n > 0) {
    if (!m.x.data || (pair && !m.y.data)) return GemmStatus::BadPointer;
    if (!lies_in_memory(m.x, m.type, n) || (pair && !lies_in_memory(m.y, m.type, n)))
      return GemmStatus::BadPointer;
  }
  const GemmStatus status = launch(
      m.handle, MeasureRequest{m.what, n, matrix_of(m.x, m.type, n), matrix_of(m.y, m.type, n), m.result});
  if (status != GemmStatus::Done || m.handle.pointer_mode != 0) return status;
  return hipStreamSynchronize(m.handle.stream) == 0 ? GemmStatus::Done : GemmStatus::NotLaunched;
}

GemmStatus enqueue(const Copy& c) {
  if (c.n <= 0) return GemmStatus::Done;
  if (!c.x.data || !c.y.data || !lies_in_memory(c.x, c.type, c.n) || !lies_in_memory(c.y, c.type, c.n))
    return GemmStatus::BadPointer;
  return launch(c.handle, CopyRequest{c.n, matrix_of(c.x, c.type, c.n), matrix_of(c.y, c.type, c.n)});
}

GemmStatus enqueue(const Swap& s) {
  if (s.n <= 0) return GemmStatus::Done;
  if (!s.x.data || !s.y.data || !lies_in_memory(s.x, s.type, s.n) || !lies_in_memory(s.y, s.type, s.n))
    return GemmStatus::BadPointer;
  return launch(s.handle, SwapRequest{s.n, matrix_of(s.x, s.type, s.n), matrix_of(s.y, s.type, s.n)});
}

GemmStatus enqueue(const RankOne& r) {
  if (r.m < 0 || r.n < 0 || r.x.step == 0 || r.y.step == 0 || r.a.ld < std::max<int64_t>(1, r.m))
    return GemmStatus::BadSize;
  if (r.m == 0 || r.n == 0) return GemmStatus::Done;
  if (!r.alpha || !r.x.data || !r.y.data || !r.a.data || !lies_in_memory(matrix_of(r.a), r.m, r.n) ||
      !lies_in_memory(r.x, r.a.type, r.m) || !lies_in_memory(r.y, r.a.type, r.n))
    return GemmStatus::BadPointer;
  return launch(r.handle,
                RankOneRequest{r.conjugate, r.m, r.n, scalar_of(r.handle, r.alpha, r.a.type),
                               matrix_of(r.x, r.a.type, r.m), matrix_of(r.y, r.a.type, r.n), matrix_of(r.a)});
}

GemmStatus enqueue(const TriangleUpdate& u) {
  if (u.part != kUpper && u.part != kLower) return GemmStatus::BadOperation;
  if (u.n < 0 || u.x.step == 0 || u.y.step == 0 || u.a.ld < std::max<int64_t>(1, u.n))
    return GemmStatus::BadSize;
  if (u.n == 0) return GemmStatus::Done;
  if (!u.alpha || !u.x.data || !u.y.data || !u.a.data || !lies_in_memory(matrix_of(u.a), u.n, u.n) ||
      !lies_in_memory(u.x, u.a.type, u.n) || !lies_in_memory(u.y, u.a.type, u.n))
    return GemmStatus::BadPointer;
  return launch(u.handle,
                TriangleRequest{u.part == kUpper, u.conjugate, u.of_two, u.n,
                                scalar_of(u.handle, u.alpha, u.alpha_type), matrix_of(u.x, u.a.type, u.n),
                                matrix_of(u.y, u.a.type, u.n), matrix_of(u.a)});
}

GemmStatus enqueue(const DiagonalProduct& d) {
  if (d.side != kLeft && d.side != kRight) return GemmStatus::BadOperation;
  const int64_t least = std::max<int64_t>(1, d.m), size = d.side == kLeft ? d.m : d.n;
  if (d.m < 0 || d.n < 0 || d.a.ld < least || d.c.ld < least) return GemmStatus::BadSize;
  if (d.m == 0 || d.n == 0) return GemmStatus::Done;
  if (!d.a.data || !d.x.data || !d.c.data || !lies_in_memory(matrix_of(d.a), d.m, d.n) ||
      !lies_in_memory(matrix_of(d.c), d.m, d.n) || !lies_in_memory(d.x, d.a.type, size))
    return GemmStatus::BadPointer;
  return launch(d.handle, DiagonalRequest{d.side == kRight, d.m, d.n, matrix_of(d.a),
                                          matrix_of(d.x, d.a.type, size), matrix_of(d.c)});
}

GemmStatus enqueue(const RankK& r) {
  const bool complex = r.a.type == Number::C32 || r.a.type == Number::C64;
  if ((r.part != kUpper && r.part != kLower) || !is_operation(r.operation) ||
      (complex && r.operation == kConjugated))
    return GemmStatus::BadOperation;
  const bool as_it_is = r.operation == kAsItIs;
  if (r.n < 0 || r.k < 0 || r.a.ld < std::max<int64_t>(1, as_it_is ? r.n : r.k) ||
      r.c.ld < std::max<int64_t>(1, r.n))
    return GemmStatus::BadSize;
  if (r.n == 0) return GemmStatus::Done;
  if (!r.alpha || !r.beta || (r.k > 0 && !r.a.data) || !r.c.data ||
      !lies_in_memory(matrix_of(r.a), as_it_is ? r.n : r.k, as_it_is ? r.k : r.n) ||
      !lies_in_memory(matrix_of(r.c), r.n, r.n))
    return GemmStatus::BadPointer;
  Matrix a = matrix_of(r.a);
  if (!as_it_is) std::swap(a.row, a.column);
  return launch(r.handle, RankKRequest{r.part == kUpper, r.n, r.k, scalar_of(r.handle, r.alpha, r.a.type),
                                       scalar_of(r.handle, r.beta, r.a.type), a, matrix_of(r.c)});
}

GemmStatus enqueue(const BandProduct& b) {
  if (b.part != kUpper && b.part != kLower) return GemmStatus::BadOperation;
  if (b.n < 0 || b.k < 0 || b.a.ld < b.k + 1 || b.x.step == 0 || b.y.step == 0) return GemmStatus::BadSize;
  if (b.n == 0) return GemmStatus::Done;
  if (!b.alpha || !b.beta || !b.a.data || !b.x.data || !b.y.data ||
      !lies_in_memory(matrix_of(b.a), b.k + 1, b.n) || !lies_in_memory(b.x, b.a.type, b.n) ||
      !lies_in_memory(b.y, b.a.type, b.n))
    return GemmStatus::BadPointer;
  return launch(b.handle, BandRequest{b.part == kUpper, b.n, b.k, scalar_of(b.handle, b.alpha, b.a.type),
                                      scalar_of(b.handle, b.beta, b.a.type), matrix_of(b.a),
                                      matrix_of(b.x, b.a.type, b.n), matrix_of(b.y, b.a.type, b.n)});
}

}  // namespace wavesmith::libraries
