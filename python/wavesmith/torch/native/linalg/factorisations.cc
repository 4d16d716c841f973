// Factorisations by LU, Cholesky and LDL, and determinants: PyTorch's own code around the library's kernels.
#include <algorithm>

#include <ATen/core/Tensor.h>
#include <ATen/native/BatchLinearAlgebra.h>

#include <ATen/native/LinearAlgebraUtils.h>
#include <ATen/ops/_linalg_det_meta.h>
#include <ATen/ops/_linalg_det_ops.h>
#include <ATen/ops/_linalg_slogdet_meta.h>
#include <ATen/ops/_linalg_slogdet_ops.h>
#include <ATen/ops/arange.h>
#include <ATen/ops/cholesky_native.h>
#include <ATen/ops/cholesky_ops.h>
#include <ATen/ops/empty.h>
#include <ATen/ops/linalg_cholesky_ex_native.h>
#include <ATen/ops/linalg_cholesky_ex_ops.h>
#include <ATen/ops/linalg_ldl_factor_ex_native.h>
#include <ATen/ops/linalg_ldl_factor_ex_ops.h>
#include <ATen/ops/linalg_lu_factor_ex.h>
#include <ATen/ops/linalg_lu_factor_ex_native.h>
#include <ATen/ops/linalg_lu_factor_ex_ops.h>
#include <ATen/ops/linalg_lu_native.h>
#include <ATen/ops/linalg_lu_ops.h>
#include <ATen/ops/lu_unpack_meta.h>
#include <ATen/ops/lu_unpack_ops.h>
#include <ATen/ops/prod.h>
#include <ATen/ops/sum.h>
#include <ATen/ops/tril.h>
#include <ATen/ops/triu.h>
#include <ATen/ops/where.h>

#include "linalg/matrices.h"
#include "operators/served.h"
#include "operators/stubs.h"

namespace wavesmith::device {
namespace {

using at::Tensor;

// Tensors of an `out=` may lie in any way.
void factor(const Tensor& input, const Tensor& pivots, const Tensor& info, bool pivot) {
  const auto lu = Written::matrices(input), rows = Written::dense(pivots), failures = Written::dense(info);
  if (!lu.tensor().is_same(input)) lu.tensor().copy_(input);
  const Matrices matrix(lu.tensor());
  run(WAVESMITH_LINALG_LU, matrix.rows(), matrix.columns(), &matrix, nullptr, nullptr,
      {.vector = {}, .pivots = rows.tensor(), .info = failures.tensor()},
      pivot ? 0 : WAVESMITH_LINALG_IN_ORDER);
  lu.finish(), rows.finish(), failures.finish();
}

void factor_cholesky(const Tensor& input, const Tensor& info, bool upper) {
  const auto factor = Written::matrices(input), failures = Written::dense(info);
  if (!factor.tensor().is_same(input)) factor.tensor().copy_(input);
  const Matrices matrix(factor.tensor()), lower = upper ? matrix.turned() : matrix;
  run(WAVESMITH_LINALG_CHOLESKY, matrix.rows(), matrix.rows(), &lower, nullptr, nullptr,
      {.vector = {}, .pivots = {}, .info = failures.tensor()});
  factor.finish(), failures.finish();
}

void factor_ldl(const Tensor& input, const Tensor& pivots, const Tensor& info, bool, bool hermitian) {
  if (hermitian && input.is_complex()) throw NotServed();
  const auto factors = Written::matrices(input), rows = Written::dense(pivots),
             failures = Written::dense(info);
  if (!factors.tensor().is_same(input)) factors.tensor().copy_(input);
  const Matrices matrix(factors.tensor());
  run(WAVESMITH_LINALG_LDL, matrix.rows(), matrix.rows(), &matrix, nullptr, nullptr,
      {.vector = {}, .pivots = rows.tensor(), .info = failures.tensor()});
  factors.finish(), rows.finish(), failures.finish();
}

// The matrix of the permutation that exchanges rows as the pivots say.
void permute(const Tensor& pivots, const Tensor& output) {
  const auto matrix = Written::matrices(output);
  fill_identity(matrix.tensor());
  if (pivots.size(-1) != 0) exchange_rows(matrix.tensor(), pivots, true);
  matrix.finish();
}

struct Unpacked : at::meta::structured_lu_unpack {
  void impl(const Tensor& lu, const Tensor& pivots, bool unpack_data, bool unpack_pivots, const Tensor& p,
            const Tensor& l, const Tensor& u) {
    Tensor lower = l, upper = u;
    const auto rows = lu.size(-2), columns = lu.size(-1), inner = std::min(rows, columns);
    // The data may be that of l or of u, which is the last to be written.
    if (unpack_data && lu.is_same(l)) at::triu_out(upper, lu.narrow(-2, 0, inner));
    if (unpack_data) {
      at::tril_out(lower, lu.narrow(-1, 0, inner), -1);
      lower.diagonal(0, -2, -1).fill_(1);
    }
    if (unpack_data && !lu.is_same(l)) at::triu_out(upper, lu.narrow(-2, 0, inner));
    if (unpack_pivots) permute(pivots, p);
  }
};

// Factors matrices, or their transposes where autograd expects that (linalg_det_backward), and returns u's
// diagonal with signs so that its product is the determinant.
Tensor factored(const Tensor& a, const Tensor& lu, const Tensor& pivots) {
  Tensor to = lu, exchanged = pivots, info = at::empty({0}, a.options().dtype(at::kInt));
  at::linalg_lu_factor_ex_out(to, exchanged, info, a.is_contiguous() && !a.is_complex() ? a.mT() : a);
  const Tensor diagonal = to.diagonal(0, -2, -1);
  const Tensor in_order = at::arange(1, exchanged.size(-1) + 1, exchanged.options());
  return at::where(exchanged.ne(in_order), diagonal.neg(), diagonal);
}

struct Determinant : at::meta::structured__linalg_det {
  void impl(const Tensor& a, const Tensor& result, const Tensor& lu, const Tensor& pivots) {
    Tensor output = result;
    at::prod_out(output, factored(a, lu, pivots), -1);
  }
};

struct LogarithmOfDeterminant : at::meta::structured__linalg_slogdet {
  void impl(const Tensor& a, const Tensor& sign, const Tensor& logarithm, const Tensor& lu,
            const Tensor& pivots) {
    Tensor signs = sign, logarithms = logarithm;
    const Tensor diagonal = factored(a, lu, pivots);
    at::prod_out(signs, diagonal.sgn(), -1);
    at::sum_out(logarithms, diagonal.abs().log_(), -1);
  }
};

Tensor cholesky(const Tensor& a, bool upper) {
  at::native::squareCheckInputs(a, "cholesky");
  if (a.numel() == 0) return at::empty_like(a);
  Implemented<at::native::structured_linalg_cholesky_ex_out> one;
  one.meta(a, upper, false);
  one.impl(a, upper, false, one.maybe_get_output(0), one.maybe_get_output(1));
  check_info(one.maybe_get_output(1), "cholesky", a.dim() == 2);
  return one.maybe_get_output(0);
}

void check_errors(const Tensor& info, c10::string_view what, bool is_matrix) {
  if (info.scalar_type() != at::kInt) throw NotServed();
  check_info(info, what, is_matrix);
}

WAVESMITH_STUB(lu_factor_stub, &factor);
WAVESMITH_STUB(cholesky_stub, &factor_cholesky);
WAVESMITH_STUB(ldl_factor_stub, &factor_ldl);

}  // namespace

WAVESMITH_OPERATORS(aten, m) {
  structured<at::native::structured_linalg_lu_factor_ex_out, at::_ops::linalg_lu_factor_ex,
             at::_ops::linalg_lu_factor_ex_out>(m);
  structured<at::native::structured_linalg_cholesky_ex_out, at::_ops::linalg_cholesky_ex,
             at::_ops::linalg_cholesky_ex_L>(m);
  plain<&check_errors, at::_ops::_linalg_check_errors>(m);
  plain<&cholesky, at::_ops::cholesky>(m);
  plain<&at::native::cholesky_out, at::_ops::cholesky_out>(m);
  structured<at::native::structured_linalg_ldl_factor_ex_out, at::_ops::linalg_ldl_factor_ex,
             at::_ops::linalg_ldl_factor_ex_out>(m);
  structured<at::native::structured_linalg_lu_out, at::_ops::linalg_lu, at::_ops::linalg_lu_out>(m);
  structured<Unpacked, at::_ops::lu_unpack, at::_ops::lu_unpack_out>(m);
  structured<Determinant, at::_ops::_linalg_det, at::_ops::_linalg_det_result>(m);
  structured<LogarithmOfDeterminant, at::_ops::_linalg_slogdet, at::_ops::_linalg_slogdet_sign>(m);
}

}  // namespace wavesmith::device
