// Filling, choosing and masking.
#include <ATen/ExpandUtils.h>
#include <ATen/MemoryOverlap.h>

#include <ATen/ops/arange_native.h>
#include <ATen/ops/arange_ops.h>
#include <ATen/ops/fill_native.h>
#include <ATen/ops/fill_ops.h>
#include <ATen/ops/linspace_native.h>
#include <ATen/ops/linspace_ops.h>
#include <ATen/ops/masked_fill_ops.h>
#include <ATen/ops/where_native.h>
#include <ATen/ops/where_ops.h>
#include <ATen/ops/zero_ops.h>

#include "operators/pointwise.h"
#include "operators/served.h"

namespace wavesmith::device {
namespace {

// PyTorch's own conversion raises where the number has no such value: 1j in a float, 300 in a byte.
void check_value(const c10::Scalar& value, c10::ScalarType type) {
  switch (type) {
#define CONVERTED(Type, name)            \
  case c10::ScalarType::name:            \
    static_cast<void>(value.to<Type>()); \
    break;
    AT_FORALL_SCALAR_TYPES_WITH_COMPLEX(CONVERTED)
#undef CONVERTED
    default:
      break;
  }
}

at::Tensor& fill(at::Tensor& self, const c10::Scalar& value) {
  check_value(value, self.scalar_type());
  auto iterator = at::TensorIteratorConfig()
                      .set_check_mem_overlap(false)
                      .check_all_same_dtype(false)
                      .add_output(self)
                      .resize_outputs(false)
                      .build();
  launch(WAVESMITH_POINTWISE_FILL, iterator, self.scalar_type(), {value});
  return self;
}

at::Tensor& fill_with_tensor(at::Tensor& self, const at::Tensor& value) {
  TORCH_CHECK(value.dim() == 0, "fill_ only supports 0-dimension value tensor but got tensor with ",
              value.dim(), " dimensions.");
  if (value.device() != self.device()) return fill(self, value.item());
  return self.copy_(value);
}

at::Tensor& zero(at::Tensor& self) {
  if (self.numel() != 0 && self.is_non_overlapping_and_dense()) {
    check(hipMemsetAsync(self.mutable_data_ptr(), 0, self.nbytes(),
                         native(current_stream(self.device().index()))),
          "hipMemsetAsync");
    return self;
  }
  return fill(self, 0);
}

at::Tensor& masked_fill(at::Tensor& self, const at::Tensor& mask, const c10::Scalar& value) {
  TORCH_CHECK(mask.scalar_type() == c10::ScalarType::Bool,
              "masked_fill_ only supports boolean masks, but got mask with dtype ", mask.scalar_type());
  if (at::has_internal_overlap(self) == at::MemOverlap::Yes) throw NotServed();
  at::assert_no_partial_overlap(self, mask);
  check_value(value, self.scalar_type());
  const auto expanded = at::expand_inplace(self, mask, "masked_fill_");
  auto iterator = at::TensorIteratorConfig()
                      .set_check_mem_overlap(false)
                      .check_all_same_dtype(false)
                      .resize_outputs(false)
                      .add_output(self)
                      .add_const_input(*expanded)
                      .build();
  launch_in_place(WAVESMITH_POINTWISE_MASKED_FILL, iterator, {value});
  return self;
}

at::Tensor& masked_fill_with_tensor(at::Tensor& self, const at::Tensor& mask, const at::Tensor& value) {
  TORCH_CHECK(value.dim() == 0,
              "masked_fill_ only supports a 0-dimensional value tensor, but got tensor with ", value.dim(),
              " dimension(s).");
  return masked_fill(self, mask, value.item());
}

}  // namespace

WAVESMITH_OPERATORS(aten, m) {
  plain<&fill, at::_ops::fill__Scalar>(m);
  plain<&fill_with_tensor, at::_ops::fill__Tensor>(m);
  plain<&zero, at::_ops::zero_>(m);
  plain<&masked_fill, at::_ops::masked_fill__Scalar>(m);
  plain<&masked_fill_with_tensor, at::_ops::masked_fill__Tensor>(m);
  plain<static_cast<at::Tensor (*)(const at::Tensor&, const at::Tensor&, const at::Tensor&)>(
            &at::native::where),
        at::_ops::where_self>(m);
  plain<&at::native::where_self_out, at::_ops::where_self_out>(m);
  plain<static_cast<at::Tensor& (*)(const c10::Scalar&, const c10::Scalar&, const c10::Scalar&, at::Tensor&)>(
            &at::native::arange_out),
        at::_ops::arange_start_out>(m);
  plain<static_cast<at::Tensor& (*)(const c10::Scalar&, const c10::Scalar&, std::int64_t, at::Tensor&)>(
            &at::native::linspace_out),
        at::_ops::linspace_out>(m);
}

}  // namespace wavesmith::device
