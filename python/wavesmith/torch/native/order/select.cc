// The element of a rank along a dimension, and medians.
#include <ATen/WrapDimUtils.h>

#include <ATen/ops/kthvalue_ops.h>
#include <ATen/ops/median_ops.h>
#include <ATen/ops/nanmedian_ops.h>

#include "operators/served.h"
#include "order/order.h"

namespace wavesmith::device {
namespace {

using at::Tensor;
using TwoGiven = std::tuple<Tensor&, Tensor&>;

bool is_selected(const Tensor& x) {
  return number_type(x.scalar_type()) && !x.is_complex() && x.scalar_type() != at::kBool;
}

// One element along a dimension, into tensors that have it with size 1.
void select(wavesmith_select_operation operation, const Tensor& x, std::int64_t dim, const Tensor& value,
            const Tensor& place, std::int64_t rank) {
  auto one = described<wavesmith_select_description>(x, dim);
  one.operation = operation, one.rank = rank;
  one.value = operand_of(value), one.place = operand_of(place);
  serve(wavesmith_kernels_select(&one, native(current_stream(x.device().index()))), "select");
}

TwoGiven selected(wavesmith_select_operation operation, const Tensor& x, std::int64_t given_dim,
                  bool keep_dim, Tensor& values, Tensor& places, std::int64_t rank = 0) {
  for (const Tensor* const output : {&values, &places})
    TORCH_CHECK(output->device() == x.device(),
                "Expected all tensors to be on the same device, but found at least two devices, ", x.device(),
                " and ", output->device(), "!");
  if (given_dim < -std::max<std::int64_t>(x.dim(), 1) || given_dim >= std::max<std::int64_t>(x.dim(), 1))
    throw NotServed();
  const auto dim = at::maybe_wrap_dim(given_dim, x.dim());
  const auto length = x.dim() == 0 ? 1 : x.size(dim);
  if (rank < 0 || rank >= length || values.scalar_type() != x.scalar_type() ||
      places.scalar_type() != at::kLong || !is_selected(x) || values.is_alias_of(x) || places.is_alias_of(x))
    throw NotServed();
  auto sizes = x.sizes().vec();
  if (x.dim() != 0 && keep_dim) sizes[static_cast<std::size_t>(dim)] = 1;
  if (x.dim() != 0 && !keep_dim) sizes.erase(sizes.begin() + dim);
  at::native::resize_output(values, sizes), at::native::resize_output(places, sizes);
  if (values.numel() == 0) return {values, places};
  const bool lacks = x.dim() != 0 && !keep_dim;
  select(operation, x, dim, lacks ? values.unsqueeze(dim) : values, lacks ? places.unsqueeze(dim) : places,
         rank);
  return {values, places};
}

TwoGiven of_rank(const Tensor& x, c10::SymInt k, std::int64_t dim, bool keep_dim, Tensor& values,
                 Tensor& places) {
  return selected(WAVESMITH_SELECT_RANK, x, dim, keep_dim, values, places, k.expect_int() - 1);
}

template <wavesmith_select_operation kOperation>
TwoGiven of_dimension(const Tensor& x, std::int64_t dim, bool keep_dim, Tensor& values, Tensor& places) {
  return selected(kOperation, x, dim, keep_dim, values, places);
}

template <wavesmith_select_operation kOperation>
Tensor of_all(const Tensor& x) {
  if (x.numel() == 0 || !is_selected(x)) throw NotServed();
  const Tensor value = made({}, {}, x.options()), flat = x.reshape(-1);
  auto one = described<wavesmith_select_description>(flat, 0);
  one.operation = kOperation;
  one.value = operand_of(value);
  serve(wavesmith_kernels_select(&one, native(current_stream(x.device().index()))), "select");
  return value;
}

}  // namespace

WAVESMITH_OPERATORS(aten, m) {
  plain<&of_rank, at::_ops::kthvalue_values>(m);
  plain<&of_dimension<WAVESMITH_SELECT_MEDIAN>, at::_ops::median_dim_values>(m);
  plain<&of_dimension<WAVESMITH_SELECT_NAN_MEDIAN>, at::_ops::nanmedian_dim_values>(m);
  plain<&of_all<WAVESMITH_SELECT_MEDIAN>, at::_ops::median>(m);
  plain<&of_all<WAVESMITH_SELECT_NAN_MEDIAN>, at::_ops::nanmedian>(m);
}

}  // namespace wavesmith::device
