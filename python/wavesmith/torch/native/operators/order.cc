// Sorting, the first elements of an order, and cumulative sums and products.
#include <ATen/WrapDimUtils.h>
#include <ATen/native/ReduceOps.h>
#include <ATen/ops/cumprod_native.h>
#include <ATen/ops/cumprod_ops.h>
#include <ATen/ops/cumsum_native.h>
#include <ATen/ops/cumsum_ops.h>
#include <ATen/ops/sort_meta.h>
#include <ATen/ops/sort_ops.h>
#include <ATen/ops/topk_meta.h>
#include <ATen/ops/topk_ops.h>
#include <wavesmith_sort.h>

#include "operators/kernels.h"
#include "operators/pointwise.h"
#include "operators/served.h"
#include "operators/stubs.h"

namespace wavesmith::device {
namespace {

using Two = std::tuple<at::Tensor, at::Tensor>;
using TwoGiven = std::tuple<at::Tensor&, at::Tensor&>;

// A tensor as the library's array. Its last dimension comes first: the library takes the fastest one so.
wavesmith_pointwise_operand operand_of(const at::Tensor& tensor) {
  const auto type = number_type(tensor.scalar_type());
  if (!type || tensor.dim() > WAVESMITH_POINTWISE_DIMENSIONS) throw NotServed();
  wavesmith_pointwise_operand made{};
  made.data = tensor.data_ptr();
  made.type = *type;
  for (std::int64_t d = 0; d < tensor.dim(); ++d)
    made.strides[d] = tensor.stride(tensor.dim() - 1 - d) * static_cast<std::int64_t>(tensor.itemsize());
  return made;
}

template <class Description>
Description described(const at::Tensor& x, std::int64_t dim) {
  Description one{};
  one.dimensions = static_cast<int>(x.dim());
  one.along = x.dim() == 0 ? 0 : static_cast<int>(x.dim() - 1 - at::maybe_wrap_dim(dim, x.dim()));
  one.x = operand_of(x);
  for (std::int64_t d = 0; d < x.dim(); ++d) one.sizes[d] = x.size(x.dim() - 1 - d);
  return one;
}

template <class Description>
void run(Description& one, std::size_t (*bytes)(const Description*),
         wavesmith_kernels_status (*call)(const Description*, void*), c10::Device device, const char* what) {
  one.workspace_bytes = bytes(&one);
  const auto memory = workspace(one.workspace_bytes);
  one.workspace = memory.get();
  serve(call(&one, native(current_stream(device.index()))), what);
}

// The first of each row along the dimension; as many as the results have.
void put_in_order(const at::Tensor& self, std::int64_t dim, bool descending, const at::Tensor& values,
                  const at::Tensor& places) {
  if (values.numel() == 0) return;
  // Results may be given that lie where the elements do.
  const at::Tensor x = values.is_alias_of(self) || places.is_alias_of(self) ? self.clone() : self;
  auto one = described<wavesmith_sort_description>(x, dim);
  one.values = operand_of(values), one.places = operand_of(places);
  one.most = x.dim() == 0 ? 1 : values.size(dim);
  one.descending = descending;
  run(one, &wavesmith_kernels_sort_workspace, &wavesmith_kernels_sort, self.device(), "sort");
}

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
void scan(const at::Tensor& result, const at::Tensor& self, std::int64_t dim) {
  auto one = described<wavesmith_scan_description>(self, dim);
  if (one.x.type >= WAVESMITH_POINTWISE_C64) throw NotServed();
  one.operation = kOperation;
  one.computed_in = *computing_type(self.scalar_type());
  one.y = operand_of(result);
  run(one, &wavesmith_kernels_scan_workspace, &wavesmith_kernels_scan, self.device(), "scan");
}

WAVESMITH_STUB(cumsum_stub, &scan<WAVESMITH_SCAN_SUM>);
WAVESMITH_STUB(cumprod_stub, &scan<WAVESMITH_SCAN_PRODUCT>);

}  // namespace

WAVESMITH_OPERATORS(aten, m) {
  plain<&sorted, at::_ops::sort_stable>(m);
  plain<&sorted_out, at::_ops::sort_values_stable>(m);
  plain<&first, at::_ops::topk>(m);
  plain<&first_out, at::_ops::topk_values>(m);
  structured<at::native::structured_cumsum_out, at::_ops::cumsum, at::_ops::cumsum_, at::_ops::cumsum_out>(m);
  structured<at::native::structured_cumprod_out, at::_ops::cumprod, at::_ops::cumprod_,
             at::_ops::cumprod_out>(m);
}

}  // namespace wavesmith::device
