// Products of sparse matrices with one dimension of a tensor, for operators in Python (`composed/sparse.py`).
#include <optional>

#include <ATen/core/Tensor.h>
#include <torch/library.h>
#include <wavesmith_sparse.h>

#include "order/order.h"

namespace wavesmith::device {
namespace {

using at::Tensor;

wavesmith_pointwise_operand dense(const Tensor& vector) {
  wavesmith_pointwise_operand one{};
  one.data = vector.data_ptr(), one.type = *number_type(vector.scalar_type());
  return one;
}

bool has_floats_or_bytes(const Tensor& tensor) {
  return tensor.is_floating_point() || tensor.scalar_type() == c10::ScalarType::Byte;
}

// Whether there is a kernel: writes to y the products of a matrix in CSR with x along a dimension.
bool multiply(const Tensor& y, const Tensor& x, const Tensor& begins, const Tensor& columns_of,
              const std::optional<Tensor>& weights, std::int64_t columns, std::int64_t dim) {
  if (!has_floats_or_bytes(x) || !has_floats_or_bytes(y) || !on_device(x) || x.dim() != y.dim()) return false;
  try {
    wavesmith_sparse_description one{};
    one.dimensions = static_cast<int>(y.dim());
    one.along = static_cast<int>(y.dim() - 1 - at::maybe_wrap_dim(dim, y.dim()));
    for (std::int64_t d = 0; d < y.dim(); ++d) one.sizes[d] = y.size(y.dim() - 1 - d);
    one.columns = columns;
    // Sums of bytes are exact in F64.
    const bool is_wide = x.scalar_type() == c10::ScalarType::Double || !x.is_floating_point();
    one.computed_in = is_wide ? WAVESMITH_POINTWISE_F64 : WAVESMITH_POINTWISE_F32;
    one.y = operand_of(y), one.x = operand_of(x);
    one.begins = dense(begins), one.columns_of = dense(columns_of);
    if (weights) one.weights = dense(*weights);
    const KernelCall on(y.device());
    serve(wavesmith_kernels_sparse(&one, on.stream()), "sparse");
  } catch (const NotServed&) {
    return false;
  }
  return true;
}

TORCH_LIBRARY_FRAGMENT(wavesmith_device, m) {
  m.def(
      "multiply_sparse(Tensor(a!) y, Tensor x, Tensor begins, Tensor columns_of, Tensor? weights, int columns, "
      "int dim) -> bool");
}

}  // namespace

WAVESMITH_OPERATORS(wavesmith_device, m) { m.impl("multiply_sparse", &multiply); }

}  // namespace wavesmith::device
