#include "operators/index.h"

#include <ATen/Context.h>
#include <ATen/TensorIterator.h>
#include <ATen/native/IndexKernel.h>
#include <ATen/native/TensorAdvancedIndexing.h>

#include <ATen/ops/full.h>
#include <ATen/ops/index_native.h>

#include "operators/kernels.h"
#include "operators/pointwise.h"
#include "operators/same_device.h"
#include "operators/served.h"
#include "operators/stubs.h"

namespace wavesmith::device {
namespace {

// A type of elements of the same size: they are moved as they are.
wavesmith_pointwise_type moved_type(c10::ScalarType type) {
  switch (c10::elementSize(type)) {
    case 1:
      return WAVESMITH_POINTWISE_U8;
    case 2:
      return WAVESMITH_POINTWISE_I16;
    case 4:
      return WAVESMITH_POINTWISE_I32;
    case 8:
      return type == c10::ScalarType::ComplexFloat ? WAVESMITH_POINTWISE_C64 : WAVESMITH_POINTWISE_I64;
    case 16:
      return WAVESMITH_POINTWISE_C128;
    default:
      throw NotServed();
  }
}

wavesmith_pointwise_type element_type(wavesmith_indexed_operation operation, c10::ScalarType type) {
  if (operation < WAVESMITH_INDEXED_ADD) return moved_type(type);
  const auto number = number_type(type);
  if (!number) throw NotServed();
  return *number;
}

void run(const wavesmith_indexed_description& one, c10::Device device) {
  // Sums of atomic additions are in any order, and so are elements that are put to one place.
  const bool rounds = one.y.type >= WAVESMITH_POINTWISE_F16;
  const bool adds = one.operation == WAVESMITH_INDEXED_ADD || one.operation == WAVESMITH_INDEXED_MULTIPLY;
  const bool depends_on_order = one.operation == WAVESMITH_INDEXED_PUT || (adds && rounds);
  if (depends_on_order && at::globalContext().deterministicAlgorithms()) throw NotServed();
  serve(wavesmith_kernels_indexed(&one, native(current_stream(device.index()))), "indexing");
}

// Dimensions from the last to the first, as a description has them.
void take(wavesmith_pointwise_operand& operand, const at::Tensor& tensor, wavesmith_pointwise_type type,
          std::int64_t without = -1) {
  operand.data = const_cast<void*>(tensor.const_data_ptr());
  operand.type = type;
  const auto dims = tensor.dim();
  for (std::int64_t d = 0; d < dims; ++d)
    operand.strides[dims - 1 - d] = d == without ? 0 : tensor.stride(d) * tensor.element_size();
}

wavesmith_indexed_description described(wavesmith_indexed_operation operation, const at::Tensor& indexed,
                                        std::int64_t dim, const at::Tensor& index, const at::Tensor& other) {
  same_device("indexing", {{"self", &indexed}, {"index", &index}, {"src", &other}});
  const auto sizes = index.sizes();
  const auto dims = static_cast<std::int64_t>(sizes.size());
  if (dims > WAVESMITH_POINTWISE_DIMENSIONS) throw NotServed();
  wavesmith_indexed_description one{};
  one.operation = operation;
  one.dimensions = static_cast<int>(dims);
  for (std::int64_t d = 0; d < dims; ++d) one.sizes[dims - 1 - d] = sizes[d];
  const bool gets = operation == WAVESMITH_INDEXED_GET;
  take(gets ? one.x : one.y, indexed, element_type(operation, indexed.scalar_type()), dim);
  take(gets ? one.y : one.x, other, element_type(operation, other.scalar_type()));
  one.indexed = 1;
  const auto type = number_type(index.scalar_type());
  if (!type) throw NotServed();
  take(one.index[0].indices, index, *type);
  one.index[0].size = dims == 0 ? 1 : indexed.size(dim);
  one.index[0].stride = dims == 0 ? 0 : indexed.stride(dim) * indexed.element_size();
  return one;
}

void gather(const at::Tensor& result, const at::Tensor& self, std::int64_t dim, const at::Tensor& index) {
  launch_along(WAVESMITH_INDEXED_GET, self, dim, index, result);
}
void scatter(const at::Tensor& self, std::int64_t dim, const at::Tensor& index, const at::Tensor& source) {
  launch_along(WAVESMITH_INDEXED_PUT, self, dim, index, source);
}
void scatter_fill(const at::Tensor& self, std::int64_t dim, const at::Tensor& index,
                  const c10::Scalar& value) {
  launch_along(WAVESMITH_INDEXED_PUT, self, dim, index,
               at::full({}, value, self.options()).expand(index.sizes()));
}
void scatter_add(const at::Tensor& self, std::int64_t dim, const at::Tensor& index,
                 const at::Tensor& source) {
  launch_along(WAVESMITH_INDEXED_ADD, self, dim, index, source);
}

// With several tensors of indices: the iterator has a tensor of the indices' shape, the one that is indexed,
// and these. GET and PUT have the result first.
void launch_over(wavesmith_indexed_operation operation, at::TensorIteratorBase& iterator,
                 c10::IntArrayRef sizes, c10::IntArrayRef strides, int y = 0, int x = 1) {
  if (iterator.numel() == 0) return;
  const int count = iterator.ntensors() - 2;
  if (iterator.ndim() > WAVESMITH_POINTWISE_DIMENSIONS || count > WAVESMITH_INDEXED_INDICES ||
      !iterator.can_use_32bit_indexing())
    throw NotServed();
  wavesmith_indexed_description one{};
  one.operation = operation;
  one.dimensions = iterator.ndim();
  for (int d = 0; d < iterator.ndim(); ++d) one.sizes[d] = iterator.shape()[d];
  const auto operand = [&](wavesmith_pointwise_operand& to, int from, wavesmith_pointwise_type type) {
    to.data = iterator.data_ptr(from);
    to.type = type;
    for (int d = 0; d < iterator.ndim(); ++d) to.strides[d] = iterator.strides(from)[d];
  };
  operand(one.y, y, element_type(operation, iterator.dtype(y)));
  operand(one.x, x, element_type(operation, iterator.dtype(x)));
  one.indexed = count;
  for (int k = 0; k < count; ++k) {
    operand(one.index[k].indices, 2 + k, *number_type(iterator.dtype(2 + k)));
    one.index[k].size = sizes[k];
    one.index[k].stride = strides[k];
    one.index[k].wrapped = 1;
  }
  run(one, iterator.device(0));
}

void index(at::TensorIteratorBase& iterator, c10::IntArrayRef sizes, c10::IntArrayRef strides) {
  launch_over(WAVESMITH_INDEXED_GET, iterator, sizes, strides);
}
void index_put(at::TensorIterator& iterator, c10::IntArrayRef sizes, c10::IntArrayRef strides,
               bool accumulate) {
  launch_over(accumulate ? WAVESMITH_INDEXED_ADD : WAVESMITH_INDEXED_PUT, iterator, sizes, strides);
}

// What PyTorch asks of devices that add up or must be deterministic. The places are those that
// `self[indices]` reads; its result has the values instead.
void index_put_sorted(at::Tensor& self, const c10::List<std::optional<at::Tensor>>& indices,
                      const at::Tensor& values, bool accumulate, bool unsafe) {
  if (indices.empty()) throw NotServed();
  if (accumulate && sum_type(self.scalar_type()) != self.scalar_type()) {
    auto sums = self.to(sum_type(self.scalar_type()));
    index_put_sorted(sums, indices, values, accumulate, unsafe);
    self.copy_(sums);
    return;
  }
  Implemented<at::native::structured_index_out> read;
  const auto known = read.meta(self, at::IOptTensorListRef(indices));
  read.maybe_get_output(0).copy_(values);
  launch_over(accumulate ? WAVESMITH_INDEXED_ADD : WAVESMITH_INDEXED_PUT, read, known.sizes, known.strides, 1,
              0);
}

void flip(at::TensorIterator& iterator, bool /*quantised*/) {
  launch(WAVESMITH_POINTWISE_COPY, iterator, iterator.dtype(1));
}

WAVESMITH_STUB(gather_stub, &gather);
WAVESMITH_STUB(scatter_stub, &scatter);
WAVESMITH_STUB(scatter_fill_stub, &scatter_fill);
WAVESMITH_STUB(scatter_add_stub, &scatter_add);
WAVESMITH_STUB(index_stub, &index);
WAVESMITH_STUB(index_put_stub, &index_put);
WAVESMITH_STUB(index_put_with_sort_stub, &index_put_sorted);
WAVESMITH_STUB(flip_stub, &flip);

// A number as a vector of one, where not all are numbers.
at::Tensor as_vector(const at::Tensor& tensor) { return tensor.dim() == 0 ? tensor.unsqueeze(0) : tensor; }

}  // namespace

c10::ScalarType sum_type(c10::ScalarType type) {
  if (c10::isComplexType(type)) throw NotServed();
  if (type == c10::ScalarType::Double || type == c10::ScalarType::Float) return type;
  return c10::isFloatingType(type) ? c10::ScalarType::Float : c10::ScalarType::Long;
}

void launch_along(wavesmith_indexed_operation operation, const at::Tensor& indexed, std::int64_t dim,
                  const at::Tensor& index, const at::Tensor& other) {
  if (index.numel() == 0) return;
  if (index.dim() != indexed.dim() || index.dim() != other.dim())
    return launch_along(operation, as_vector(indexed), dim, as_vector(index), as_vector(other));
  if (operation >= WAVESMITH_INDEXED_ADD && sum_type(indexed.scalar_type()) != indexed.scalar_type()) {
    const auto sums = indexed.to(sum_type(indexed.scalar_type()));
    run(described(operation, sums, dim, index, other), indexed.device());
    indexed.copy_(sums);
    return;
  }
  run(described(operation, indexed, dim, index, other), indexed.device());
}

void launch_wrapped(wavesmith_indexed_operation operation, const at::Tensor& indexed, std::int64_t dim,
                    const at::Tensor& index, const at::Tensor& other) {
  if (index.numel() == 0) return;
  auto one = described(operation, indexed, dim, index, other);
  one.index[0].wrapped = 1;
  serve(wavesmith_kernels_indexed(&one, native(current_stream(indexed.device().index()))), "indexing");
}

void launch_rows(wavesmith_indexed_operation operation, const at::Tensor& indexed, std::int64_t dim,
                 const at::Tensor& index, const at::Tensor& other) {
  if (other.numel() == 0) return;
  at::Tensor along = index.dim() == 0 ? index.unsqueeze(0) : index;
  if (indexed.dim() == 0) return launch_along(operation, indexed.unsqueeze(0), 0, along, other.view({-1}));
  at::DimVector shape(indexed.dim(), 1);
  shape[dim] = along.size(0);
  const at::Tensor rows = other.dim() == 0 ? other.unsqueeze(0) : other;  // a number is a row of one
  along = along.view(shape).expand(rows.sizes());
  launch_along(operation, indexed, dim, along, rows);
}

}  // namespace wavesmith::device
