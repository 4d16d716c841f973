#include "linalg/orthogonal.h"

#include <ATen/native/BatchLinearAlgebra.h>

#include <ATen/ops/geqrf_native.h>
#include <ATen/ops/geqrf_ops.h>
#include <ATen/ops/linalg_householder_product_native.h>
#include <ATen/ops/linalg_householder_product_ops.h>
#include <ATen/ops/linalg_qr_meta.h>
#include <ATen/ops/linalg_qr_ops.h>
#include <ATen/ops/ormqr_native.h>
#include <ATen/ops/ormqr_ops.h>
#include <ATen/ops/triu.h>

#include "operators/served.h"
#include "operators/stubs.h"

namespace wavesmith::device {

using at::Tensor;

void Reflections::factor(const Tensor& a, const Tensor& factors) {
  const auto r = Written::matrices(a), tau = Written::dense(factors);
  if (!r.tensor().is_same(a)) r.tensor().copy_(a);
  const Matrices matrix(r.tensor());
  run(WAVESMITH_LINALG_QR, matrix.rows(), matrix.columns(), &matrix, nullptr, nullptr,
      {.vector = tau.tensor(), .pivots = {}, .info = {}});
  r.finish(), tau.finish();
}

Reflections Reflections::of(const Tensor& a) {
  const auto count = std::min(a.size(-2), a.size(-1));
  const Reflections found{copied_by_columns(a, a.sizes()),
                          made(sizes_of(batch_sizes(a), {count}), {}, a.options())};
  factor(found.vectors, found.factors);
  return found;
}

void Reflections::apply(const Tensor& c, bool left, bool adjoint) const {
  const auto product = Written::matrices(c);
  if (!product.tensor().is_same(c)) product.tensor().copy_(c);
  const Matrices given(product.tensor()), matrix = left ? given : given.turned(), of(vectors);
  auto flags = adjoint ? WAVESMITH_LINALG_CONJUGATE_FACTORS : 0;
  // From the right: the transpose of q has the vectors conjugated, and the other order.
  if (!left) flags |= WAVESMITH_LINALG_CONJUGATE;
  if (left != adjoint) flags |= WAVESMITH_LINALG_REVERSED;
  run(WAVESMITH_LINALG_REFLECT, matrix.rows(), matrix.columns(), &of, &matrix, nullptr,
      {.vector = factors, .pivots = {}, .info = {}}, flags, factors.size(-1));
  product.finish();
}

namespace {

// The first columns of the product of reflections, in the place of their vectors.
Tensor& orthogonal(Tensor& result, const Tensor& factors) {
  const Reflections of{result.clone(), factors};
  fill_identity(result);
  of.apply(result);
  return result;
}

void multiply(const Tensor& vectors, const Tensor& factors, const Tensor& c, bool left, bool transpose) {
  Reflections{vectors, factors}.apply(c, left, transpose);
}

struct Orthogonal : at::meta::structured_linalg_qr {
  void impl(const Tensor& a, c10::string_view mode, const Tensor& q, const Tensor& r) {
    const auto of = Reflections::of(a);
    Tensor upper = r;
    at::triu_out(upper, of.vectors.narrow(-2, 0, r.size(-2)));
    if (mode == "r") return;
    fill_identity(q);
    of.apply(q);
  }
};

WAVESMITH_STUB(geqrf_stub, &Reflections::factor);
WAVESMITH_STUB(orgqr_stub, &orthogonal);
WAVESMITH_STUB(ormqr_stub, &multiply);

}  // namespace

WAVESMITH_OPERATORS(aten, m) {
  structured<Orthogonal, at::_ops::linalg_qr, at::_ops::linalg_qr_out>(m);
  plain<&at::native::geqrf, at::_ops::geqrf>(m);
  plain<&at::native::geqrf_out, at::_ops::geqrf_a>(m);
  plain<&at::native::linalg_householder_product, at::_ops::linalg_householder_product>(m);
  plain<&at::native::linalg_householder_product_out, at::_ops::linalg_householder_product_out>(m);
  plain<&at::native::ormqr, at::_ops::ormqr>(m);
  plain<&at::native::ormqr_out, at::_ops::ormqr_out>(m);
}

}  // namespace wavesmith::device
