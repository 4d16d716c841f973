// Solutions and inverses by factorisations: PyTorch's own code around the library's kernels where it has
// stubs.
#include <ATen/core/Tensor.h>
#include <ATen/native/BatchLinearAlgebra.h>
#include <ATen/native/LinearAlgebraUtils.h>
#include <ATen/native/TransposeType.h>

#include <ATen/ops/_cholesky_solve_helper_ops.h>
#include <ATen/ops/_linalg_solve_ex_native.h>
#include <ATen/ops/_linalg_solve_ex_ops.h>
#include <ATen/ops/cholesky_inverse_native.h>
#include <ATen/ops/cholesky_inverse_ops.h>
#include <ATen/ops/linalg_inv_ex_meta.h>
#include <ATen/ops/linalg_inv_ex_ops.h>
#include <ATen/ops/linalg_ldl_solve_native.h>
#include <ATen/ops/linalg_ldl_solve_ops.h>
#include <ATen/ops/linalg_lu_solve_meta.h>
#include <ATen/ops/linalg_lu_solve_ops.h>
#include <ATen/ops/linalg_solve_triangular_ops.h>
#include <ATen/ops/triangular_solve_native.h>
#include <ATen/ops/triangular_solve_ops.h>

#include "linalg/matrices.h"
#include "operators/served.h"
#include "operators/stubs.h"

namespace wavesmith::device {
namespace {

using at::Tensor;
using at::native::TransposeType;

// Makes b a^-1 b, or b a^-1, with factors of the same batch.
void solve(const Tensor& lu, const Tensor& pivots, const Tensor& b, bool left, bool adjoint) {
  const Triangle lower{
      .upper = false, .unit = true, .transposed = adjoint, .conjugated = adjoint, .left = left};
  Triangle upper = lower;
  upper.upper = true, upper.unit = false;
  const Tensor rows = left ? b : b.mT();
  if (left != adjoint) {
    exchange_rows(rows, pivots, false);
    solve_triangle(lu, b, lower);
    solve_triangle(lu, b, upper);
  } else {
    solve_triangle(lu, b, upper);
    solve_triangle(lu, b, lower);
    exchange_rows(rows, pivots, true);
  }
}

Tensor in_batch_of(const Tensor& of, const Tensor& matrices) {
  return matrices.expand(sizes_of(batch_sizes(of), {matrices.size(-2), matrices.size(-1)}));
}

struct SolvedByFactors : at::meta::structured_linalg_lu_solve {
  void impl(const Tensor& lu, const Tensor& pivots, const Tensor& b, bool left, bool adjoint,
            const Tensor& result) {
    const Tensor factors = result.is_alias_of(lu) ? lu.clone() : lu;
    const auto x = Written::matrices(result);
    if (!x.tensor().is_same(b)) x.tensor().copy_(b);
    const Tensor rows = pivots.expand(sizes_of(batch_sizes(result), {pivots.size(-1)}));
    solve(in_batch_of(result, factors), rows, x.tensor(), left, adjoint);
    x.finish();
  }
};

struct Inverted : at::meta::structured_linalg_inv_ex {
  void impl(const Tensor& a, bool check_errors, const Tensor& inverse, const Tensor& info) {
    const auto n = a.size(-1);
    const Tensor lu = copied_by_columns(a, a.sizes());
    const Tensor pivots = made(sizes_of(batch_sizes(a), {n}), {}, a.options().dtype(at::kInt));
    const auto failures = Written::dense(info);
    if (n == 0) failures.tensor().zero_();
    const Matrices matrix(lu);
    run(WAVESMITH_LINALG_LU, n, n, &matrix, nullptr, nullptr,
        {.vector = {}, .pivots = pivots, .info = failures.tensor()});
    const auto x = Written::matrices(inverse);
    fill_identity(x.tensor());
    solve(lu, pivots, x.tensor(), true, false);
    x.finish(), failures.finish();
    if (check_errors) check_info(info, "linalg.inv_ex", a.dim() == 2);
  }
};

void solve_with_triangle(const Tensor& a, const Tensor& b, bool left, bool upper, TransposeType turned,
                         bool unit) {
  const auto x = Written::matrices(b);
  if (!x.tensor().is_same(b)) x.tensor().copy_(b);
  solve_triangle(in_batch_of(b, a), x.tensor(),
                 {.upper = upper,
                  .unit = unit,
                  .transposed = turned != TransposeType::NoTranspose,
                  .conjugated = turned == TransposeType::ConjTranspose,
                  .left = left});
  x.finish();
}

Tensor solved_triangle(const Tensor& a, const Tensor& b, bool upper, bool left, bool unit) {
  at::native::checkInputsSolver(a, b, left, "linalg.solve_triangular");
  const auto [right, matrix] = at::native::_linalg_broadcast_batch_dims(b, a, nullptr);
  const Tensor solution = copied_by_columns(right, right.sizes());
  solve_triangle(matrix, solution, {.upper = upper, .unit = unit, .left = left});
  return solution;
}

void solve_by_cholesky(const Tensor& factor, const Tensor& b, bool upper) {
  solve_triangle(factor, b, {.upper = upper, .transposed = upper, .conjugated = upper});
  solve_triangle(factor, b, {.upper = upper, .transposed = !upper, .conjugated = !upper});
}

Tensor cholesky_solution(const Tensor& b, const Tensor& factor, bool upper) {
  const Tensor solution = copied_by_columns(b, b.sizes());
  solve_by_cholesky(factor, solution, upper);
  return solution;
}

// Of a factor, in its place.
Tensor& invert_by_cholesky(Tensor& result, Tensor&, bool upper) {
  const Tensor factor = result.clone();
  const auto x = Written::matrices(result);
  fill_identity(x.tensor());
  solve_by_cholesky(factor, x.tensor(), upper);
  x.finish();
  return result;
}

void solve_ldl(const Tensor& factors, const Tensor& pivots, const Tensor& b, bool, bool hermitian) {
  if (hermitian && factors.is_complex()) throw NotServed();
  const auto x = Written::matrices(b);
  if (!x.tensor().is_same(b)) x.tensor().copy_(b);
  const Matrices matrix(in_batch_of(b, factors)), right(x.tensor());
  const Tensor rows = pivots.to(at::kInt).expand(sizes_of(batch_sizes(b), {pivots.size(-1)}));
  run(WAVESMITH_LINALG_SOLVE_LDL, right.rows(), right.columns(), &matrix, &right, nullptr,
      {.vector = {}, .pivots = rows, .info = {}});
  x.finish();
}

WAVESMITH_STUB(triangular_solve_stub, &solve_with_triangle);
WAVESMITH_STUB(cholesky_inverse_stub, &invert_by_cholesky);
WAVESMITH_STUB(ldl_solve_stub, &solve_ldl);

}  // namespace

WAVESMITH_OPERATORS(aten, m) {
  structured<SolvedByFactors, at::_ops::linalg_lu_solve, at::_ops::linalg_lu_solve_out>(m);
  structured<at::native::structured__linalg_solve_ex_out, at::_ops::_linalg_solve_ex,
             at::_ops::_linalg_solve_ex_result>(m);
  structured<Inverted, at::_ops::linalg_inv_ex, at::_ops::linalg_inv_ex_inverse>(m);
  structured<at::native::structured_linalg_ldl_solve_out, at::_ops::linalg_ldl_solve,
             at::_ops::linalg_ldl_solve_out>(m);
  structured<at::native::structured_triangular_solve_out, at::_ops::triangular_solve,
             at::_ops::triangular_solve_X>(m);
  plain<&solved_triangle, at::_ops::linalg_solve_triangular>(m);
  plain<&cholesky_solution, at::_ops::_cholesky_solve_helper>(m);
  plain<&at::native::cholesky_inverse, at::_ops::cholesky_inverse>(m);
  plain<&at::native::cholesky_inverse_out, at::_ops::cholesky_inverse_out>(m);
}

}  // namespace wavesmith::device
