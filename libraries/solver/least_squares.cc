#include "libraries/solver/least_squares.h"

#include <Eigen/QR>

#include "libraries/solver/dense.h"

namespace wavesmith::libraries {
namespace {

template <class T>
void solve(const LeastSquares& s) {
  *s.info = 0;
  if (s.n == 0 || s.columns == 0) return;
  Dense<T> x = Dense<T>::Zero(s.n, s.columns);
  if (s.m > 0) {
    const Dense<T> a = load<T>(s.type, s.a, s.m, s.n, s.lda), b = load<T>(s.type, s.b, s.m, s.columns, s.ldb);
    const bool tall = s.m >= s.n;
    const Eigen::HouseholderQR<Dense<T>> qr(tall ? a : Dense<T>(a.adjoint()));
    const int64_t rank = std::min(s.m, s.n);
    const Dense<T> r = qr.matrixQR().topLeftCorner(rank, rank);
    for (int64_t i = 0; i < rank; ++i)
      if (r(i, i) == T{}) {
        *s.info = static_cast<int>(i + 1);
        return;
      }
    if (tall) {
      const Dense<T> turned = qr.householderQ().adjoint() * b;
      x = r.template triangularView<Eigen::Upper>().solve(turned.topRows(rank));
    } else {
      x.topRows(rank) = r.adjoint().template triangularView<Eigen::Lower>().solve(b);
      x.applyOnTheLeft(qr.householderQ());
    }
  }
  store<T>(x, s.type, s.x, s.ldx);
}

}  // namespace

void LeastSquares::run() const {
  with_wide(type, [this](auto of) { solve<decltype(of)>(*this); });
}

}  // namespace wavesmith::libraries
