// Sorting, the first elements of an order, and cumulative sums and products.
#include <ATen/WrapDimUtils.h>
#include <ATen/native/ReduceOps.h>
#include <ATen/ops/_cummax_helper_ops.h>
#include <ATen/ops/_cummin_helper_ops.h>
#include <ATen/ops/_logcumsumexp_ops.h>
#include <ATen/ops/arange.h>
#include <ATen/ops/cumprod_native.h>
#include <ATen/ops/cumprod_ops.h>
#include <ATen/ops/cumsum_native.h>
#include <ATen/ops/cumsum_ops.h>
#include <ATen/ops/mode_ops.h>
#include <ATen/ops/ne.h>
#include <ATen/ops/sort.h>
#include <ATen/ops/sort_meta.h>
#include <ATen/ops/sort_ops.h>
#include <ATen/ops/topk_meta.h>
#include <ATen/ops/topk_ops.h>

#include "operators/served.h"
#include "operators/stubs.h"
#include "order/order.h"

namespace wavesmith::device {

void put_in_order(const at::Tensor& self, std::int64_t dim, bool descending, const at::Tensor& values,
                  const at::Tensor& places) {
  if (values.numel() == 0) return;
  // Results may be given that lie where the elements do.
  const at::Tensor x =
      values.is_alias_of(self) || (places.defined() && places.is_alias_of(self)) ? self.clone() : self;
  auto one = described<wavesmith_sort_description>(x, dim);
  one.values = operand_of(values);
  if (places.defined()) one.places = operand_of(places);
  one.most = x.dim() == 0 ? 1 : values.size(dim);
  one.descending = descending;
  run(one, &wavesmith_kernels_sort_workspace, &wavesmith_kernels_sort, self.device(), "sort");
}

namespace {

using Two = std::tuple<at::Tensor, at::Tensor>;
using TwoGiven = std::tuple<at::Tensor&, at::Tensor&>;

Two sorted(const at::Tensor& self, std::optional<bool> stable, std::int64_t dim, bool descending) {
  Implemented<at::meta::structured_sort_stable> one;
  one.meta(self, stable, dim, descending);
  put_in_order(self, dim, descending, one.maybe_get_output(0), one.maybe_get_output(1));
  return {one.maybe_get_output(0), one.maybe_get_output(1)};
}
TwoGiven sorted_out(const at::Tensor& self, std::optional<bool> stable, std::int64_t dim, bool descending,
                    at::Tensor& values, at::Tensor& places) {
  Implemented<at::meta::structured_sort_stable> one(false, values, places);
  one.meta(self, stable, dim, descending);
  put_in_order(self, dim, descending, values, places);
  return {values, places};
}

Two first(const at::Tensor& self, c10::SymInt k, std::int64_t dim, bool largest, bool is_sorted) {
  Implemented<at::meta::structured_topk> one;
  one.meta(self, k.expect_int(), dim, largest, is_sorted);
  put_in_order(self, dim, largest, one.maybe_get_output(0), one.maybe_get_output(1));
  return {one.maybe_get_output(0), one.maybe_get_output(1)};
}
TwoGiven first_out(const at::Tensor& self, c10::SymInt k, std::int64_t dim, bool largest, bool is_sorted,
                   at::Tensor& values, at::Tensor& places) {
  Implemented<at::meta::structured_topk> one(false, values, places);
  one.meta(self, k.expect_int(), dim, largest, is_sorted);
  put_in_order(self, dim, largest, values, places);
  return {values, places};
}

template <wavesmith_scan_operation kOperation>
void scan_with_places(const at::Tensor& self, const at::Tensor& result, const at::Tensor& places,
                      std::int64_t dim) {
  auto one = described<wavesmith_scan_description>(self, dim);
  if (one.x.type >= WAVESMITH_POINTWISE_C64) throw NotServed();
  one.operation = kOperation;
  one.computed_in = kOperation == WAVESMITH_SCAN_LOG_SUM_EXP ? WAVESMITH_POINTWISE_F64
                                                             : *computing_type(self.scalar_type());
  one.y = operand_of(result);
  if (places.defined()) one.places = operand_of(places);
  run(one, &wavesmith_kernels_scan_workspace, &wavesmith_kernels_scan, self.device(), "scan");
}
template <wavesmith_scan_operation kOperation>
void scan(const at::Tensor& result, const at::Tensor& self, std::int64_t dim) {
  scan_with_places<kOperation>(self, result, {}, dim);
}
template <wavesmith_scan_operation kOperation>
void extreme(const at::Tensor& self, at::Tensor& values, at::Tensor& places, std::int64_t dim) {
  scan_with_places<kOperation>(self, values, places, dim);
}

at::Tensor log_sum_exp(const at::Tensor& self, std::int64_t dim) {
  if (!self.is_floating_point()) throw NotServed();
  dim = at::maybe_wrap_dim(dim, self.dim());
  const at::Tensor result = made(self.sizes(), {}, self.options());
  if (self.numel() != 0) scan<WAVESMITH_SCAN_LOG_SUM_EXP>(result, self, dim);
  return result;
}

// In each sorted row an end of the longest run; of several that are as long of the first.
Two mode(const at::Tensor& self, std::int64_t dim, bool keepdim) {
  if (self.is_complex() || self.numel() == 0 || dim < -std::max<std::int64_t>(self.dim(), 1) ||
      dim >= std::max<std::int64_t>(self.dim(), 1))
    throw NotServed();
  const auto integers = self.options().dtype(c10::ScalarType::Long);
  if (self.dim() == 0) return {self.clone(), at::zeros({}, integers)};
  dim = at::maybe_wrap_dim(dim, self.dim());
  const auto length = self.size(dim);
  const auto [ordered, places] = at::sort(self, true, dim, false);
  std::vector<std::int64_t> sizes(self.dim() - dim, 1);
  sizes[0] = length;
  const at::Tensor number = at::arange(length, integers).view(sizes);
  const at::Tensor begins = made(self.sizes(), {}, self.options().dtype(c10::ScalarType::Bool));
  begins.narrow(dim, 0, 1).fill_(true);
  at::Tensor differs = begins.narrow(dim, 1, length - 1);
  at::ne_out(differs, ordered.narrow(dim, 1, length - 1), ordered.narrow(dim, 0, length - 1));
  const at::Tensor begin = begins.mul(number);
  scan<WAVESMITH_SCAN_MAXIMUM>(begin, begin, dim);
  const at::Tensor last = begin.neg_().add_(number).argmax(dim, true);
  const at::Tensor value = ordered.gather(dim, last), place = places.gather(dim, last);
  if (keepdim) return {value, place};
  return {value.squeeze(dim), place.squeeze(dim)};
}

WAVESMITH_STUB(cumsum_stub, &scan<WAVESMITH_SCAN_SUM>);
WAVESMITH_STUB(cumprod_stub, &scan<WAVESMITH_SCAN_PRODUCT>);

}  // namespace

WAVESMITH_OPERATORS(aten, m) {
  plain<&sorted, at::_ops::sort_stable>(m);
  plain<&sorted_out, at::_ops::sort_values_stable>(m);
  plain<&first, at::_ops::topk>(m);
  plain<&first_out, at::_ops::topk_values>(m);
  plain<&extreme<WAVESMITH_SCAN_MAXIMUM>, at::_ops::_cummax_helper>(m);
  plain<&extreme<WAVESMITH_SCAN_MINIMUM>, at::_ops::_cummin_helper>(m);
  plain<&log_sum_exp, at::_ops::_logcumsumexp>(m);
  plain<&mode, at::_ops::mode>(m);
  structured<at::native::structured_cumsum_out, at::_ops::cumsum, at::_ops::cumsum_, at::_ops::cumsum_out>(m);
  structured<at::native::structured_cumprod_out, at::_ops::cumprod, at::_ops::cumprod_,
             at::_ops::cumprod_out>(m);
}

}  // namespace wavesmith::device
