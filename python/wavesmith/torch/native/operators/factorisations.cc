// LU factorisations, and what is made of them: PyTorch's own code around the library's kernels.
#include <algorithm>

#include <ATen/core/Tensor.h>
#include <ATen/native/BatchLinearAlgebra.h>
#include <wavesmith_linalg.h>

#include <ATen/ops/_linalg_det_meta.h>
#include <ATen/ops/_linalg_det_ops.h>
#include <ATen/ops/_linalg_slogdet_meta.h>
#include <ATen/ops/_linalg_slogdet_ops.h>
#include <ATen/ops/arange.h>
#include <ATen/ops/empty.h>
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

#include "operators/kernels.h"
#include "operators/pointwise.h"
#include "operators/served.h"
#include "operators/stubs.h"

namespace wavesmith::device {
namespace {

using at::Tensor;

// Matrices that lie one after the other, by rows or by columns.
wavesmith_linalg_matrix matrices(const Tensor& tensor) {
  return {tensor.mutable_data_ptr(), tensor.stride(-2), tensor.stride(-1), tensor.size(-2) * tensor.size(-1)};
}

void launch(wavesmith_linalg_description& one, const Tensor& like, const Tensor& pivots) {
  if (like.numel() == 0) return;
  const auto type = number_type(like.scalar_type());
  if (!type || *type < WAVESMITH_POINTWISE_F32) throw NotServed();
  one.type = *type;
  one.rows = like.size(-2), one.columns = like.size(-1);
  one.batch = like.numel() / (one.rows * one.columns);
  one.pivots = pivots.mutable_data_ptr<std::int32_t>(), one.pivots_batch = pivots.size(-1);
  const KernelCall on(like.device());
  serve(wavesmith_kernels_linalg(&one, on.stream()), "linalg");
}

// Tensors of an `out=` may lie in any way.
void factor(const Tensor& input, const Tensor& pivots, const Tensor& info, bool pivot) {
  const bool is_dense = input.is_contiguous() || input.mT().is_contiguous();
  if (!is_dense || !pivots.is_contiguous() || !info.is_contiguous()) {
    const Tensor lu = input.clone(at::MemoryFormat::Contiguous),
                 rows = at::empty(pivots.sizes(), pivots.options()),
                 failures = at::empty(info.sizes(), info.options());
    factor(lu, rows, failures, pivot);
    input.copy_(lu), pivots.copy_(rows), info.copy_(failures);
    return;
  }
  wavesmith_linalg_description one{};
  one.operation = WAVESMITH_LINALG_LU;
  one.flags = pivot ? 0 : WAVESMITH_LINALG_IN_ORDER;
  one.a = matrices(input);
  one.info = info.mutable_data_ptr<std::int32_t>();
  launch(one, input, pivots);
}

// The matrix of the permutation that exchanges rows as the pivots say.
void permute(const Tensor& pivots, const Tensor& output) {
  const Tensor matrix = output.is_contiguous() ? output : output.contiguous();
  matrix.zero_();
  matrix.diagonal(0, -2, -1).fill_(1);
  wavesmith_linalg_description one{};
  one.operation = WAVESMITH_LINALG_EXCHANGE_ROWS;
  one.flags = WAVESMITH_LINALG_REVERSED;
  one.inner = pivots.size(-1);
  one.b = matrices(matrix);
  if (one.inner != 0) launch(one, matrix, pivots.contiguous());
  if (!matrix.is_same(output)) output.copy_(matrix);
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

WAVESMITH_STUB(lu_factor_stub, &factor);

}  // namespace

WAVESMITH_OPERATORS(aten, m) {
  structured<at::native::structured_linalg_lu_factor_ex_out, at::_ops::linalg_lu_factor_ex,
             at::_ops::linalg_lu_factor_ex_out>(m);
  structured<at::native::structured_linalg_lu_out, at::_ops::linalg_lu, at::_ops::linalg_lu_out>(m);
  structured<Unpacked, at::_ops::lu_unpack, at::_ops::lu_unpack_out>(m);
  structured<Determinant, at::_ops::_linalg_det, at::_ops::_linalg_det_result>(m);
  structured<LogarithmOfDeterminant, at::_ops::_linalg_slogdet, at::_ops::_linalg_slogdet_sign>(m);
}

}  // namespace wavesmith::device
