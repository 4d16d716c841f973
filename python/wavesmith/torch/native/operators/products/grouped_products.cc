// Products of groups whose sizes are known on the device alone, as mixtures of experts have them: of rows,
// each with a matrix of its own, of columns, and along K, the gradients of the matrices.

#include <ATen/core/Tensor.h>

#include <ATen/native/GroupedMMUtils.h>
#include <ATen/ops/empty.h>

#include "operators/multiply.h"
#include "operators/same_device.h"

namespace wavesmith::device {
namespace {

using at::Tensor;
using OptionalTensor = std::optional<Tensor>;

// PyTorch has where each group ends; the first one begins at 0.
Tensor with_beginning(const Tensor& ends) {
  Tensor all = at::empty({ends.numel() + 1}, ends.options());
  all.narrow(0, 0, 1).zero_();
  all.narrow(0, 1, ends.numel()).copy_(ends);
  return all;
}

// False where there is no kernel for it.
bool multiply_groups(const Tensor& a, const Tensor& b, const Tensor& ends, const Tensor& out) {
  const auto type = a.scalar_type();
  if ((type != at::kHalf && type != at::kBFloat16) || b.scalar_type() != type) return false;
  const Tensor offsets = with_beginning(ends);
  constexpr const char* kWhat = "_grouped_mm";
  if (a.dim() == 2 && b.dim() == 2)
    return multiply({.a = a, .b = b, .d = out, .group_offsets = offsets, .groups_along_k = true}, kWhat);
  if (a.dim() == 2) return multiply({.a = a, .b = b, .d = out, .group_offsets = offsets}, kWhat);
  // Groups of columns are those of the rows of the transposed product.
  const Tensor turned = at::empty({out.size(1), out.size(0)}, out.options());
  if (!multiply({.a = b.t(), .b = a.mT(), .d = turned, .group_offsets = offsets}, kWhat)) return false;
  out.copy_(turned.t());
  return true;
}

Tensor grouped_mm(const Tensor& self, const Tensor& mat2, const OptionalTensor& offs,
                  const OptionalTensor& bias, std::optional<at::ScalarType> out_dtype) {
  const Tensor ends = offs.value_or(Tensor());
  same_device("_grouped_mm", {{"self", &self}, {"mat2", &mat2}, {"offs", &ends}});
  at::native::_grouped_mm_validate_inputs(self, mat2, offs, bias, out_dtype);
  const auto type = at::native::_resolve_grouped_mm_out_dtype(self, mat2, out_dtype);
  Tensor out = at::native::create_grouped_gemm_output_tensor(self, mat2, offs, type);
  // What has no kernel is a product of each group, whose sizes the host waits for.
  if (!ends.defined() || !multiply_groups(self, mat2, ends, out))
    at::native::_grouped_mm_fallback(self, mat2, offs, bias, out_dtype, out);
  return out;
}

}  // namespace

WAVESMITH_OPERATORS(aten, m) { m.impl("_grouped_mm", &grouped_mm); }

}  // namespace wavesmith::device
