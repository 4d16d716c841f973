// Tensors as the library's functions of order take them, and calls of these.
#pragma once

#include <cstddef>

#include <ATen/WrapDimUtils.h>
#include <ATen/core/Tensor.h>
#include <wavesmith_sort.h>

#include "operators/kernels.h"
#include "operators/pointwise.h"

namespace wavesmith::device {

// A tensor as the library's array. Its last dimension comes first: the library takes the fastest one so.
inline wavesmith_pointwise_operand operand_of(const at::Tensor& tensor) {
  const auto type = number_type(tensor.scalar_type());
  if (!type || tensor.dim() > WAVESMITH_POINTWISE_DIMENSIONS) throw NotServed();
  wavesmith_pointwise_operand made{};
  made.data = tensor.data_ptr();
  made.type = *type;
  for (std::int64_t d = 0; d < tensor.dim(); ++d)
    made.strides[d] = tensor.stride(tensor.dim() - 1 - d) * static_cast<std::int64_t>(tensor.itemsize());
  return made;
}

// A description with x and its sizes; for some along a dimension.
template <class Description>
Description described(const at::Tensor& x) {
  Description one{};
  one.dimensions = static_cast<int>(x.dim());
  one.x = operand_of(x);
  for (std::int64_t d = 0; d < x.dim(); ++d) one.sizes[d] = x.size(x.dim() - 1 - d);
  return one;
}
template <class Description>
Description described(const at::Tensor& x, std::int64_t dim) {
  auto one = described<Description>(x);
  one.along = x.dim() == 0 ? 0 : static_cast<int>(x.dim() - 1 - at::maybe_wrap_dim(dim, x.dim()));
  return one;
}

// Calls a function of the library with as much memory as it asks for.
template <class Description>
void run(Description& one, std::size_t (*bytes)(const Description*),
         wavesmith_kernels_status (*call)(const Description*, void*), c10::Device device, const char* what) {
  one.workspace_bytes = bytes(&one);
  const auto memory = workspace(one.workspace_bytes);
  one.workspace = memory.get();
  serve(call(&one, native(current_stream(device.index()))), what);
}

// The first of each row along the dimension, as many as the results have; places may be undefined.
void put_in_order(const at::Tensor& self, std::int64_t dim, bool descending, const at::Tensor& values,
                  const at::Tensor& places);

}  // namespace wavesmith::device
