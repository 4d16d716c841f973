#include "libraries/solver/qr.h"

#include <Eigen/Householder>
#include <Eigen/QR>
#include <algorithm>

#include "libraries/blas/operations.h"
#include "libraries/solver/dense.h"

namespace wavesmith::libraries {
namespace {

template <class T>
using Column = Eigen::Matrix<T, Eigen::Dynamic, 1>;

template <class T>
auto reflections(const Dense<T>& a, const Column<T>& scales) {
  return Eigen::HouseholderSequence<const Dense<T>, const Column<T>>(a, scales);
}

template <class T>
void factor(const Qr& qr, int64_t index) {
  void* const data = qr.a.at(index, size_of(qr.type));
  void* const scales = qr.scales.at(index, size_of(qr.type));
  if (qr.a.each) expect_in_memory(data, qr.type, qr.m, qr.n, qr.a.ld);
  if (qr.scales.each) expect_in_memory(scales, qr.type, std::min(qr.m, qr.n), 1, 1);
  if (qr.info) qr.info[index] = 0;
  if (qr.m == 0 || qr.n == 0) return;
  const Eigen::HouseholderQR<Dense<T>> result(load<T>(qr.type, data, qr.m, qr.n, qr.a.ld));
  store<T>(result.matrixQR(), qr.type, data, qr.a.ld);
  // Eigen's are the conjugates of LAPACK's.
  store<T>(result.hCoeffs().conjugate(), qr.type, scales, std::min(qr.m, qr.n));
}

template <class T>
void form(const QrMatrix& q) {
  if (q.info) *q.info = 0;
  if (q.m == 0 || q.n == 0) return;
  const Dense<T> a = load<T>(q.type, q.a, q.m, q.k, q.lda);
  const Column<T> scales = load<T>(q.type, q.scales, q.k, 1, q.k);
  Dense<T> columns = Dense<T>::Identity(q.m, q.n);
  if (q.k > 0) columns.applyOnTheLeft(reflections(a, scales));
  store<T>(columns, q.type, q.a, q.lda);
}

template <class T>
void multiply(const QrProduct& p) {
  if (p.info) *p.info = 0;
  if (p.m == 0 || p.n == 0 || p.k == 0) return;
  const Dense<T> a = load<T>(p.type, p.a, p.right ? p.n : p.m, p.k, p.lda);
  const Column<T> scales = load<T>(p.type, p.scales, p.k, 1, p.k);
  const auto q = reflections(a, scales);
  Dense<T> c = load<T>(p.type, p.c, p.m, p.n, p.ldc);
  if (p.right) {
    if (p.operation == kAsItIs)
      c.applyOnTheRight(q);
    else
      c.applyOnTheRight(q.adjoint());
  } else {
    if (p.operation == kAsItIs)
      c.applyOnTheLeft(q);
    else
      c.applyOnTheLeft(q.adjoint());
  }
  store<T>(c, p.type, p.c, p.ldc);
}

}  // namespace

void Qr::run() const {
  for (int64_t i = 0; i < count; ++i) with_wide(type, [&](auto of) { factor<decltype(of)>(*this, i); });
}
void QrMatrix::run() const {
  with_wide(type, [this](auto of) { form<decltype(of)>(*this); });
}
void QrProduct::run() const {
  with_wide(type, [this](auto of) { multiply<decltype(of)>(*this); });
}

}  // namespace wavesmith::libraries
