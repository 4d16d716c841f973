#include "libraries/blas/sum.h"

#include <algorithm>
#include <cstring>

#include "libraries/blas/operands.h"
#include "libraries/blas/operations.h"
#include "libraries/shim/gpu_work.h"

namespace wavesmith::libraries {
namespace {

struct Request {
  int64_t m, n;
  Scalar alpha, beta;
  Matrix a, b, c;

  template <class T>
  void add() const {
    T x{}, y{};
    read(alpha, x);
    read(beta, y);
    const bool with_a = !is_zero(x), with_b = !is_zero(y);
    const auto at = [](const Matrix& matrix, int64_t i, int64_t j) {
      const T value = static_cast<const T*>(matrix.data)[i * matrix.row + j * matrix.column];
      return matrix.conjugate ? conjugate(value) : value;
    };
    for (int64_t j = 0; j < n; ++j)
      for (int64_t i = 0; i < m; ++i) {
        T sum{};
        if (with_a) sum = x * at(a, i, j);
        if (with_b) sum = with_a ? sum + y * at(b, i, j) : y * at(b, i, j);
        static_cast<T*>(c.data)[i * c.row + j * c.column] = sum;
      }
  }
  void run() const {
    with_type(c.type, [this]<class T>(T) { add<T>(); });
  }
  void report_work(const WorkReporter& reporter) const {
    const double one = bytes_of(c.type, m, n);
    reporter(streamed(a.data && b.data && a.data != b.data ? 2 * one : one, one));
  }
};

GemmStatus launch(const Handle& handle, const Request& request) {
  for (const Matrix* each : {&request.a, &request.b, &request.c})
    if (!lies_in_memory(*each, request.m, request.n, " of a sum")) return GemmStatus::BadPointer;
  return status_of(enqueue(handle.stream, request));
}

Scalar one_of(Number type) {
  switch (type) {
    case Number::F32:
      return constant(1.0f, type);
    case Number::F64:
      return constant(1.0, type);
    case Number::C32:
      return constant(Complex<float>{1, 0}, type);
    default:
      return constant(Complex<double>{1, 0}, type);
  }
}

}  // namespace

GemmStatus enqueue(const Geam& g) {
  for (const int operation : {g.operation_a, g.operation_b})
    if (!is_operation(operation)) return GemmStatus::BadOperation;
  const int64_t a_rows = g.operation_a == kAsItIs ? g.m : g.n, b_rows = g.operation_b == kAsItIs ? g.m : g.n;
  if (g.m < 0 || g.n < 0 || g.a.ld < std::max<int64_t>(1, a_rows) || g.b.ld < std::max<int64_t>(1, b_rows) ||
      g.c.ld < std::max<int64_t>(1, g.m))
    return GemmStatus::BadSize;
  if (g.m == 0 || g.n == 0) return GemmStatus::Done;
  if (!g.alpha || !g.beta || !g.c.data) return GemmStatus::BadPointer;
  const Request request{g.m,
                        g.n,
                        scalar_of(g.handle, g.alpha, g.c.type),
                        scalar_of(g.handle, g.beta, g.c.type),
                        matrix_of(g.a, g.operation_a),
                        matrix_of(g.b, g.operation_b),
                        matrix_of(g.c)};
  const auto missing = [size = size_of(g.c.type)](const Scalar& scalar, const Matrix& matrix) {
    static constexpr unsigned char kZeros[16] = {};
    return !matrix.data && (scalar.on_gpu || std::memcmp(scalar.here, kZeros, size) != 0);
  };
  if (missing(request.alpha, request.a) || missing(request.beta, request.b)) return GemmStatus::BadPointer;
  return launch(g.handle, request);
}

GemmStatus enqueue(const Axpy& a) {
  if (a.n <= 0) return GemmStatus::Done;
  if (!a.alpha || !a.x || !a.y) return GemmStatus::BadPointer;
  const Matrix y = vector_of(a.y, a.type, a.n, a.y_step);
  return launch(a.handle, {a.n, 1, scalar_of(a.handle, a.alpha, a.type), one_of(a.type),
                           vector_of(a.x, a.type, a.n, a.x_step), y, y});
}

GemmStatus enqueue(const Scal& s) {
  if (s.n <= 0 || s.x_step <= 0) return GemmStatus::Done;
  if (!s.alpha || !s.x) return GemmStatus::BadPointer;
  const Matrix x = vector_of(s.x, s.type, s.n, s.x_step);
  return launch(s.handle,
                {s.n, 1, scalar_of(s.handle, s.alpha, s.alpha_type), Scalar{nullptr, s.type, {}}, x, x, x});
}

}  // namespace wavesmith::libraries
