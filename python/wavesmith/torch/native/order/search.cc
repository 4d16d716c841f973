// Searches in ordered sequences, and what is found by them: membership, repeated elements.
#include <ATen/native/BucketizationUtils.h>

#include <ATen/ops/arange.h>
#include <ATen/ops/bucketize_ops.h>
#include <ATen/ops/full.h>
#include <ATen/ops/isin_ops.h>
#include <ATen/ops/repeat_interleave_ops.h>
#include <ATen/ops/result_type.h>
#include <ATen/ops/searchsorted_ops.h>
#include <ATen/ops/sort.h>
#include <ATen/ops/where.h>

#include "operators/served.h"
#include "order/order.h"

namespace wavesmith::device {
namespace {

using at::Tensor;

// A sequence beside x, to each element of which its own place says which row to search, and the bytes between
// the row's elements.
std::pair<wavesmith_pointwise_operand, std::int64_t> beside(const Tensor& sequence, const Tensor& x) {
  wavesmith_pointwise_operand one{};
  one.data = sequence.data_ptr(), one.type = *number_type(sequence.scalar_type());
  const auto bytes = static_cast<std::int64_t>(sequence.itemsize());
  if (sequence.dim() > 1)
    for (std::int64_t d = 1; d < x.dim(); ++d) one.strides[d] = sequence.stride(x.dim() - 1 - d) * bytes;
  return {one, sequence.stride(-1) * bytes};
}

// The places of numbers in sequences along the last dimension: in one, or one for each row of numbers.
void search(const Tensor& sequence, const Tensor& x, bool right, const Tensor& sorter, const Tensor& out) {
  if (x.numel() == 0) return;
  if (sequence.size(-1) == 0) {
    out.zero_();
    return;
  }
  auto one = described<wavesmith_search_description>(x);
  one.y = operand_of(out);
  std::tie(one.sequence, one.step) = beside(sequence, x);
  if (sorter.defined()) std::tie(one.sorter, one.sorter_step) = beside(sorter, x);
  one.length = sequence.size(-1), one.is_right = right;
  serve(wavesmith_kernels_search(&one, native(current_stream(x.device().index()))), "search");
}

Tensor searched(const Tensor& sequence, const Tensor& x, c10::ScalarType type, bool out_int32, bool right,
                std::optional<c10::string_view> side, const std::optional<Tensor>& given) {
  const Tensor sorter = given.value_or(Tensor());
  const Tensor out = made(x.sizes(), {}, x.options().dtype(out_int32 ? at::kInt : at::kLong));
  at::native::searchsorted_pre_check(sequence, x, out, out_int32, right, side, sorter);
  if (c10::isComplexType(type) || type == at::kBool || !number_type(type)) throw NotServed();
  search(sequence.to(type), x.to(type), right || side == "right", sorter, out);
  return out;
}

Tensor searched_for(const Tensor& sequence, const Tensor& x, bool out_int32, bool right,
                    std::optional<c10::string_view> side, const std::optional<Tensor>& sorter) {
  return searched(sequence, x, at::result_type(sequence, x), out_int32, right, side, sorter);
}

Tensor searched_for_number(const Tensor& sequence, const at::Scalar& x, bool out_int32, bool right,
                           std::optional<c10::string_view> side, const std::optional<Tensor>& sorter) {
  const auto type = at::result_type(sequence, x);
  return searched(sequence, at::full({}, x, sequence.options().dtype(type)), type, out_int32, right, side,
                  sorter);
}

Tensor bucketize(const Tensor& x, const Tensor& boundaries, bool out_int32, bool right) {
  TORCH_CHECK(boundaries.dim() == 1, "bucketize: boundaries tensor must be 1 dimension, but got dim(",
              boundaries.dim(), ")");
  return searched_for(boundaries, x, out_int32, right, std::nullopt, std::nullopt);
}

Tensor bucketize_number(const at::Scalar& x, const Tensor& boundaries, bool out_int32, bool right) {
  TORCH_CHECK(boundaries.dim() == 1, "bucketize: boundaries tensor must be 1 dimension, but got dim(",
              boundaries.dim(), ")");
  return searched_for_number(boundaries, x, out_int32, right, std::nullopt, std::nullopt);
}

Tensor is_in(const Tensor& given, const Tensor& given_test, bool, bool invert) {
  constexpr std::int64_t kFew = 8;  // are compared with each
  const auto type = at::result_type(given, given_test);
  if (c10::isComplexType(type) || type == at::kBool || given.device() != given_test.device())
    throw NotServed();
  const Tensor elements = given.to(type);
  Tensor test = given_test.reshape(-1).to(type), found;
  if (test.numel() <= kFew) {
    found = elements.unsqueeze(-1).eq(test).any(-1);
  } else {
    test = std::get<0>(at::sort(test));
    if (c10::isFloatingType(type))  // NaN's, which equal nothing, would lead a search astray
      test = std::get<0>(at::sort(at::where(test.isnan(), test[0], test)));
    const Tensor places = made(elements.sizes(), {}, elements.options().dtype(at::kLong));
    search(test, elements, false, {}, places);
    places.clamp_(std::nullopt, at::Scalar(test.numel() - 1));
    found = test.index_select(0, places.view(-1)).view(elements.sizes()).eq(elements);
  }
  return invert ? found.logical_not() : found;
}

Tensor repeated(const Tensor& repeats, std::optional<c10::SymInt> output_size) {
  if (repeats.dim() != 1 || (repeats.scalar_type() != at::kInt && repeats.scalar_type() != at::kLong))
    throw NotServed();
  if (repeats.numel() == 0) return made({0}, {}, repeats.options());
  const Tensor ends = repeats.cumsum(0);
  const Tensor told = made({2}, {}, ends.options());  // the least and the sum, waited for at once
  told.select(0, 0).copy_(repeats.min());
  told.select(0, 1).copy_(ends.select(0, -1));
  const Tensor seen = told.to(c10::kCPU);
  const auto* numbers = seen.const_data_ptr<std::int64_t>();
  const auto total = numbers[1];
  if (numbers[0] < 0 || (output_size && output_size->expect_int() != total)) throw NotServed();
  const Tensor result = made({total}, {}, repeats.options());
  search(ends, at::arange(total, ends.options()), true, {}, result);
  return result;
}

}  // namespace

WAVESMITH_OPERATORS(aten, m) {
  plain<&searched_for, at::_ops::searchsorted_Tensor>(m);
  plain<&searched_for_number, at::_ops::searchsorted_Scalar>(m);
  plain<&bucketize, at::_ops::bucketize_Tensor>(m);
  plain<&bucketize_number, at::_ops::bucketize_Scalar>(m);
  plain<&is_in, at::_ops::isin_Tensor_Tensor>(m);
  plain<&repeated, at::_ops::repeat_interleave_Tensor>(m);
}

}  // namespace wavesmith::device
