// The exponential of matrices: of small ones by a kernel, of others by Taylor polynomials of products,
// scaling and squaring (`kernels/linalg/exponential.h` says where the method comes from).
#include <array>
#include <cmath>
#include <limits>

#include <ATen/core/Tensor.h>
#include <ATen/native/LinearAlgebraUtils.h>

#include <ATen/ops/add.h>
#include <ATen/ops/empty_like.h>
#include <ATen/ops/exp2.h>
#include <ATen/ops/full_like.h>
#include <ATen/ops/linalg_matrix_exp_ops.h>
#include <ATen/ops/where.h>

#include "linalg/matrices.h"
#include "operators/served.h"

namespace wavesmith::device {
namespace {

using at::Tensor;

constexpr std::int64_t kMostRows = 64;  // of the kernel

// Degrees, and the norms up to which a polynomial's backward error is below half a unit in the last place, of
// float and of double.
struct Degree {
  int degree;
  std::array<double, 2> most_norm;
};
constexpr std::array<Degree, 3> kDegrees{{{8, {0.5800524627688768, 0.049912288711153226}},
                                          {12, {1.4616615072090335, 0.299615891381158}},
                                          {16, {2.4782808775219713, 0.7802874256626574}}}};

// 1 + a + a^2/2! + ... of a degree that is a multiple of 4.
Tensor polynomial(const Tensor& a, int degree) {
  std::array<Tensor, 4> powers{at::empty_like(a), a, product(a, a), {}};
  fill_identity(powers[0]);
  powers[3] = product(powers[2], a);
  const Tensor fourth = product(powers[2], powers[2]);
  Tensor total = fourth.div(std::tgamma(degree + 1.0));
  for (int first = degree - 4; first >= 0; first -= 4) {
    for (int offset = 0; offset < 4; ++offset)
      total = total.add(powers[static_cast<std::size_t>(offset)], 1 / std::tgamma(first + offset + 1.0));
    if (first > 0) total = product(fourth, total);
  }
  return total;
}

Tensor composed(const Tensor& a) {
  constexpr int kMostSquares = 1100;  // beyond that every power of two has overflowed
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  const Tensor norms = a.abs().sum(-2).amax(-1);
  const auto largest = norms.max().item<double>();
  const std::size_t type = c10::toRealValueType(a.scalar_type()) == at::kDouble ? 1 : 0;
  for (const auto& [degree, most_norm] : kDegrees)
    if (largest <= most_norm[type]) return polynomial(a, degree);
  const Tensor nan = at::full_like(norms, std::numeric_limits<double>::quiet_NaN());
  if (!std::isfinite(largest)) {
    if (a.dim() == 2) return nan.expand(a.sizes()).to(a.scalar_type(), false, true);
    const Tensor finite = norms.lt(kInfinity).unsqueeze(-1).unsqueeze(-1);
    return at::where(finite, composed(at::where(finite, a, at::Scalar(0))), nan.unsqueeze(-1).unsqueeze(-1));
  }
  const auto& [degree, most_norm] = kDegrees.back();
  const double limit = most_norm[type];
  const int squares = std::min(static_cast<int>(std::ceil(std::log2(largest / limit))), kMostSquares);
  const Tensor counts = norms.div(limit).log2_().ceil_().clamp_(0, squares).unsqueeze(-1).unsqueeze(-1);
  Tensor result = polynomial(a.mul(at::exp2(counts.neg())), degree);
  for (int number = 0; number < squares; ++number)
    result = at::where(counts.gt(number), product(result, result), result);
  return result;
}

Tensor exponential(const Tensor& a) {
  constexpr auto kName = "linalg.matrix_exp";
  at::native::squareCheckInputs(a, kName);
  at::native::checkFloatingOrComplex(a, kName);
  if (at::isReducedFloatingType(a.scalar_type())) throw NotServed();
  if (a.numel() == 0) return at::empty_like(a);
  const auto n = a.size(-1);
  if (n == 1) return a.exp();
  if (n > kMostRows) return composed(a);
  const Tensor result = made(a.sizes(), {}, a.options());
  const Matrices of(a), to(result);
  run(WAVESMITH_LINALG_EXPONENTIAL, n, n, &of, &to);
  return result;
}

}  // namespace

WAVESMITH_OPERATORS(aten, m) { plain<&exponential, at::_ops::linalg_matrix_exp>(m); }

}  // namespace wavesmith::device
