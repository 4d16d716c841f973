// Operators that reduce, and comparisons of tensors, which end in one number that is read.
#include <ATen/ops/all.h>
#include <ATen/ops/all_native.h>
#include <ATen/ops/all_ops.h>
#include <ATen/ops/allclose_native.h>
#include <ATen/ops/allclose_ops.h>
#include <ATen/ops/amax.h>
#include <ATen/ops/amax_native.h>
#include <ATen/ops/amax_ops.h>
#include <ATen/ops/amin.h>
#include <ATen/ops/amin_native.h>
#include <ATen/ops/amin_ops.h>
#include <ATen/ops/any_native.h>
#include <ATen/ops/any_ops.h>
#include <ATen/ops/argmax_native.h>
#include <ATen/ops/argmax_ops.h>
#include <ATen/ops/argmin_native.h>
#include <ATen/ops/argmin_ops.h>
#include <ATen/ops/count_nonzero_ops.h>
#include <ATen/ops/eq.h>
#include <ATen/ops/equal_ops.h>
#include <ATen/ops/linalg_vector_norm_native.h>
#include <ATen/ops/linalg_vector_norm_ops.h>
#include <ATen/ops/max_native.h>
#include <ATen/ops/max_ops.h>
#include <ATen/ops/mean_native.h>
#include <ATen/ops/mean_ops.h>
#include <ATen/ops/min_native.h>
#include <ATen/ops/min_ops.h>
#include <ATen/ops/ne.h>
#include <ATen/ops/norm_native.h>
#include <ATen/ops/norm_ops.h>
#include <ATen/ops/prod_native.h>
#include <ATen/ops/prod_ops.h>
#include <ATen/ops/std_mean_native.h>
#include <ATen/ops/std_mean_ops.h>
#include <ATen/ops/std_native.h>
#include <ATen/ops/std_ops.h>
#include <ATen/ops/sum.h>
#include <ATen/ops/sum_native.h>
#include <ATen/ops/sum_ops.h>
#include <ATen/ops/var_mean_native.h>
#include <ATen/ops/var_mean_ops.h>
#include <ATen/ops/var_native.h>
#include <ATen/ops/var_ops.h>

#include "operators/pointwise.h"
#include "operators/served.h"

namespace wavesmith::device {
namespace {

at::Tensor largest(const at::Tensor& self) {
  TORCH_CHECK(self.numel() > 0, "max(): Expected reduction dim to be specified for input.numel() == 0.");
  return at::amax(self, {}, false);
}
at::Tensor smallest(const at::Tensor& self) {
  TORCH_CHECK(self.numel() > 0, "min(): Expected reduction dim to be specified for input.numel() == 0.");
  return at::amin(self, {}, false);
}

at::Tensor count_not_zero(const at::Tensor& self, c10::IntArrayRef dims) { return at::ne(self, 0).sum(dims); }

bool are_equal(const at::Tensor& self, const at::Tensor& other) {
  if (self.device() != other.device()) throw NotServed();
  if (self.sizes() != other.sizes()) return false;
  const bool is_same = self.const_data_ptr() == other.const_data_ptr() && self.strides() == other.strides() &&
                       self.dtype() == other.dtype();
  return self.numel() == 0 || is_same || at::all(at::eq(self, other)).item<bool>();
}

// PyTorch's composition, but of floats in one launch.
bool are_close(const at::Tensor& self, const at::Tensor& other, double rtol, double atol, bool equal_nan) {
  const auto type = self.scalar_type();
  const bool is_float = type == at::kFloat || type == at::kDouble;
  if (!is_float || other.scalar_type() != type || !(rtol >= 0) || !(atol >= 0))
    return at::native::allclose(self, other, rtol, atol, equal_nan);
  at::Tensor close;
  auto iterator = at::TensorIterator::comparison_op(close, self, other);
  launch(WAVESMITH_POINTWISE_IS_CLOSE, iterator, {atol, rtol, equal_nan});
  return at::all(iterator.output()).item<bool>();
}

// Extremes along a dimension, and their places.
template <class Native>
std::tuple<at::Tensor, at::Tensor> extremes(const at::Tensor& self, std::int64_t dim, bool keep_dim) {
  Implemented<Native> one;
  const auto known = one.meta(self, dim, keep_dim);
  one.impl(self, known.dim, keep_dim, one.maybe_get_output(0), one.maybe_get_output(1));
  return {one.maybe_get_output(0), one.maybe_get_output(1)};
}
template <class Native>
std::tuple<at::Tensor&, at::Tensor&> extremes_out(const at::Tensor& self, std::int64_t dim, bool keep_dim,
                                                  at::Tensor& values, at::Tensor& places) {
  Implemented<Native> one(false, values, places);
  const auto known = one.meta(self, dim, keep_dim);
  one.impl(self, known.dim, keep_dim, values, places);
  return {values, places};
}

using Dims = at::OptionalIntArrayRef;
using Correction = const std::optional<c10::Scalar>&;
using One = at::Tensor (*)(const at::Tensor&, Dims, Correction, bool);
using Two = std::tuple<at::Tensor, at::Tensor> (*)(const at::Tensor&, Dims, Correction, bool);

}  // namespace

WAVESMITH_OPERATORS(aten, m) {
  structured<at::native::structured_sum_out, at::_ops::sum_dim_IntList, at::_ops::sum_IntList_out>(m);
  structured<at::native::structured_mean_out, at::_ops::mean_dim, at::_ops::mean_out>(m);
  structured<at::native::structured_prod_out, at::_ops::prod_dim_int, at::_ops::prod_int_out>(m);
  plain<static_cast<at::Tensor (*)(const at::Tensor&, std::optional<at::ScalarType>)>(&at::native::prod),
        at::_ops::prod>(m);
  structured<at::native::structured_all_out, at::_ops::all_dim, at::_ops::all_out>(m);
  structured<at::native::structured_all_dims_out, at::_ops::all_dims, at::_ops::all_dims_out>(m);
  structured<at::native::structured_all_all_out, at::_ops::all, at::_ops::all_all_out>(m);
  structured<at::native::structured_any_out, at::_ops::any_dim, at::_ops::any_out>(m);
  structured<at::native::structured_any_dims_out, at::_ops::any_dims, at::_ops::any_dims_out>(m);
  structured<at::native::structured_any_all_out, at::_ops::any, at::_ops::any_all_out>(m);
  structured<at::native::structured_amax_out, at::_ops::amax, at::_ops::amax_out>(m);
  structured<at::native::structured_amin_out, at::_ops::amin, at::_ops::amin_out>(m);
  structured<at::native::structured_argmax_out, at::_ops::argmax, at::_ops::argmax_out>(m);
  structured<at::native::structured_argmin_out, at::_ops::argmin, at::_ops::argmin_out>(m);
  structured<at::native::structured_norm_out, at::_ops::norm_ScalarOpt_dim, at::_ops::norm_out>(m);
  structured<at::native::structured_linalg_vector_norm_out, at::_ops::linalg_vector_norm,
             at::_ops::linalg_vector_norm_out>(m);
  plain<static_cast<One>(&at::native::var), at::_ops::var_correction>(m);
  plain<static_cast<One>(&at::native::std), at::_ops::std_correction>(m);
  plain<static_cast<Two>(&at::native::var_mean), at::_ops::var_mean_correction>(m);
  plain<static_cast<Two>(&at::native::std_mean), at::_ops::std_mean_correction>(m);
  plain<&largest, at::_ops::max>(m);
  plain<&smallest, at::_ops::min>(m);
  plain<&extremes<at::native::structured_max_out>, at::_ops::max_dim>(m);
  plain<&extremes_out<at::native::structured_max_out>, at::_ops::max_dim_max>(m);
  plain<&extremes<at::native::structured_min_out>, at::_ops::min_dim>(m);
  plain<&extremes_out<at::native::structured_min_out>, at::_ops::min_dim_min>(m);
  plain<&are_equal, at::_ops::equal>(m);
  plain<&are_close, at::_ops::allclose>(m);
  plain<&count_not_zero, at::_ops::count_nonzero_dim_IntList>(m);
}

}  // namespace wavesmith::device
