// Vectors of tensors: cross products, and distances of rows.
#include <algorithm>

#include <ATen/ExpandUtils.h>
#include <ATen/core/Tensor.h>
#include <ATen/native/Cross.h>

#include <ATen/ops/_cdist_forward_ops.h>
#include <ATen/ops/cat.h>
#include <ATen/ops/linalg_cross_native.h>
#include <ATen/ops/linalg_cross_ops.h>
#include <ATen/ops/linalg_vector_norm.h>
#include <ATen/ops/matmul.h>
#include <ATen/ops/mul.h>
#include <ATen/ops/ne.h>
#include <ATen/ops/sub.h>
#include <ATen/ops/sum.h>

#include "linalg/matrices.h"
#include "operators/served.h"
#include "operators/stubs.h"

namespace wavesmith::device {
namespace {

using at::Tensor;

// With coordinates 0, 1, 2, 0, 1 side by side, those from the first and from the second one on are views.
// Terms of halves are rounded once.
void cross(const Tensor& result, const Tensor& a, const Tensor& b, std::int64_t dim) {
  const bool is_half = at::isReducedFloatingType(result.scalar_type());
  const auto twice = [&](const Tensor& x) {
    const Tensor wide = is_half ? x.to(at::kFloat) : x;
    return at::cat({wide, wide.narrow(dim, 0, 2)}, dim);
  };
  const Tensor of_a = twice(a), of_b = twice(b);
  const auto from = [&](const Tensor& x, std::int64_t first) { return x.narrow(dim, first, 3); };
  Tensor difference = from(of_a, 1).mul(from(of_b, 2));
  if (difference.is_complex())
    difference.sub_(from(of_a, 2).mul(from(of_b, 1)));
  else
    difference.addcmul_(from(of_a, 2), from(of_b, 1), -1);
  result.copy_(difference);
}

// By one product, of which the sum of squares of a difference is made.
Tensor euclidean(const Tensor& a, const Tensor& b) {
  const auto squares = [](const Tensor& x) { return at::sum(x.mul(x), -1, true, x.scalar_type()); };
  const Tensor products = a.scalar_type() == at::kDouble ? product(a, b.mT()) : at::matmul(a, b.mT());
  return squares(a).add(squares(b).mT()).sub_(products, 2).clamp_min_(0).sqrt_();
}

void write_norms(Tensor to, const Tensor& differences, double p) {
  if (p == 0)
    to.copy_(differences.ne(0).sum(-1));
  else
    at::linalg_vector_norm_out(to, differences, p, -1);
}

// The norms of all differences of rows, of some rows at once where there are many.
Tensor distances(const Tensor& x1, const Tensor& x2, double p, std::optional<std::int64_t> mode) {
  constexpr std::int64_t kAtOnce = 1 << 24;  // elements of differences
  constexpr std::int64_t kByProducts = 25;   // rows, from more of which on PyTorch takes products
  constexpr std::int64_t kProductsFrom = 0, kProducts = 1, kNoProducts = 2;  // modes
  if (x1.dim() < 2 || x2.dim() < 2 || x1.size(-1) != x2.size(-1) || x1.scalar_type() != x2.scalar_type() ||
      !x1.is_floating_point() || !(p >= 0))
    throw NotServed();
  const auto how = mode.value_or(kProductsFrom);
  if (how < kProductsFrom || how > kNoProducts) throw NotServed();
  const auto rows = x1.size(-2), others = x2.size(-2), size = x1.size(-1);
  const auto batch = at::infer_size(batch_sizes(x1), batch_sizes(x2));
  const Tensor a = x1.expand(sizes_of(batch, {rows, size})), b = x2.expand(sizes_of(batch, {others, size}));
  Tensor result = made(sizes_of(batch, {rows, others}), {}, x1.options());
  if (result.numel() == 0 || size == 0) return result.zero_();
  if (p == 2 && (how == kProducts || (how == kProductsFrom && std::max(rows, others) > kByProducts)))
    return euclidean(a, b);
  const auto step = std::max<std::int64_t>(1, kAtOnce / (result.numel() / rows * size));
  for (std::int64_t begin = 0; begin < rows; begin += step) {
    const auto count = std::min(step, rows - begin);
    const Tensor some = count == rows ? a : a.narrow(-2, begin, count);
    write_norms(count == rows ? result : result.narrow(-2, begin, count),
                some.unsqueeze(-2).sub(b.unsqueeze(-3)), p);
  }
  return result;
}

WAVESMITH_STUB(cross_stub, &cross);

}  // namespace

WAVESMITH_OPERATORS(aten, m) {
  structured<at::native::structured_linalg_cross_out, at::_ops::linalg_cross, at::_ops::linalg_cross_out>(m);
  plain<&distances, at::_ops::_cdist_forward>(m);
}

}  // namespace wavesmith::device
