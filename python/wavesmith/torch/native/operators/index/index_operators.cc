// Operators that take elements by their indices, and that join, mirror and cut tensors.
#include <algorithm>
#include <vector>

#include <ATen/MemoryOverlap.h>
#include <ATen/WrapDimUtils.h>

#include <ATen/ops/_index_put_impl_native.h>
#include <ATen/ops/_index_put_impl_ops.h>
#include <ATen/ops/arange.h>
#include <ATen/ops/cat_meta.h>
#include <ATen/ops/cat_ops.h>
#include <ATen/ops/embedding_dense_backward_ops.h>
#include <ATen/ops/empty.h>
#include <ATen/ops/flip_native.h>
#include <ATen/ops/flip_ops.h>
#include <ATen/ops/gather_native.h>
#include <ATen/ops/gather_ops.h>
#include <ATen/ops/index_add_meta.h>
#include <ATen/ops/index_add_ops.h>
#include <ATen/ops/index_copy_meta.h>
#include <ATen/ops/index_copy_ops.h>
#include <ATen/ops/index_native.h>
#include <ATen/ops/index_ops.h>
#include <ATen/ops/index_select_ops.h>
#include <ATen/ops/roll_native.h>
#include <ATen/ops/roll_ops.h>
#include <ATen/ops/scatter_add_native.h>
#include <ATen/ops/scatter_add_ops.h>
#include <ATen/ops/scatter_native.h>
#include <ATen/ops/scatter_ops.h>
#include <ATen/ops/tril_meta.h>
#include <ATen/ops/tril_ops.h>
#include <ATen/ops/triu_meta.h>
#include <ATen/ops/triu_ops.h>
#include <ATen/ops/zeros.h>

#include "operators/index.h"
#include "operators/lists.h"
#include "operators/pointwise.h"
#include "operators/served.h"

namespace wavesmith::device {
namespace {

at::Tensor index_with_tensors(const at::Tensor& self, const c10::List<std::optional<at::Tensor>>& indices) {
  Implemented<at::native::structured_index_out> one;
  const auto known = one.meta(self, at::IOptTensorListRef(indices));
  one.impl(self, known.sizes, known.strides, one.maybe_get_output(0));
  return one.maybe_get_output(0);
}
at::Tensor& index_out(const at::Tensor& self, const c10::List<std::optional<at::Tensor>>& indices,
                      at::Tensor& output) {
  Implemented<at::native::structured_index_out> one(false, output);
  const auto known = one.meta(self, at::IOptTensorListRef(indices));
  one.impl(self, known.sizes, known.strides, output);
  return output;
}

at::Tensor& index_select_out(const at::Tensor& self, std::int64_t dim, const at::Tensor& index,
                             at::Tensor& output) {
  dim = at::maybe_wrap_dim(dim, self.dim());
  TORCH_CHECK_INDEX(index.dim() <= 1, "index_select(): Index is supposed to be a vector");
  TORCH_CHECK(index.scalar_type() == c10::ScalarType::Long || index.scalar_type() == c10::ScalarType::Int,
              "index_select(): Expected dtype int32 or int64 for index");
  TORCH_CHECK(self.scalar_type() == output.scalar_type(),
              "index_select(): self and result must have the same scalar type");
  at::assert_no_internal_overlap(output);
  at::assert_no_overlap(output, self);
  at::assert_no_overlap(output, index);
  at::DimVector sizes(self.sizes());
  if (self.dim() > 0) sizes[dim] = index.numel();
  at::native::resize_output(output, sizes);
  launch_rows(WAVESMITH_INDEXED_GET, self, dim, index, output);
  return output;
}
at::Tensor index_select(const at::Tensor& self, std::int64_t dim, const at::Tensor& index) {
  at::Tensor output = made({0}, {}, self.options());
  return index_select_out(self, dim, index, output);
}

struct IndexAdd : at::meta::structured_index_add {
  void impl(const at::Tensor& self, std::int64_t dim, const at::Tensor& index, const at::Tensor& source,
            const c10::Scalar& alpha, const at::Tensor& output) {
    if (!output.is_same(self)) output.copy_(self);
    launch_rows(WAVESMITH_INDEXED_ADD, output, dim, index, alpha.equal(1) ? source : source.mul(alpha));
  }
};
at::Tensor& index_add_to(const at::Tensor& self, std::int64_t dim, const at::Tensor& index,
                         const at::Tensor& source, const c10::Scalar& alpha, at::Tensor& output,
                         bool in_place) {
  Implemented<IndexAdd> one(in_place, output);
  const auto known = one.meta(self, dim, index, source, alpha);
  one.impl(self, known.dim, index, source, alpha, output);
  return output;
}
at::Tensor& index_add_out(const at::Tensor& self, std::int64_t dim, const at::Tensor& index,
                          const at::Tensor& source, const c10::Scalar& alpha, at::Tensor& output) {
  return index_add_to(self, dim, index, source, alpha, output, false);
}
at::Tensor& index_add_in_place(at::Tensor& self, std::int64_t dim, const at::Tensor& index,
                               const at::Tensor& source, const c10::Scalar& alpha) {
  return index_add_to(self, dim, index, source, alpha, self, true);
}

struct IndexCopy : at::meta::structured_index_copy {};
at::Tensor& index_copy_to(const at::Tensor& self, std::int64_t dim, const at::Tensor& index,
                          const at::Tensor& source, at::Tensor& output, bool in_place) {
  Implemented<IndexCopy> one(in_place, output);
  const auto known = one.meta(self, dim, index, source);
  if (!in_place) output.copy_(self);
  launch_rows(WAVESMITH_INDEXED_PUT, output, known.dim, index, source);
  return output;
}
at::Tensor& index_copy_out(const at::Tensor& self, std::int64_t dim, const at::Tensor& index,
                           const at::Tensor& source, at::Tensor& output) {
  return index_copy_to(self, dim, index, source, output, false);
}
at::Tensor& index_copy_in_place(at::Tensor& self, std::int64_t dim, const at::Tensor& index,
                                const at::Tensor& source) {
  return index_copy_to(self, dim, index, source, self, true);
}

at::Tensor embedding_backward(const at::Tensor& gradient, const at::Tensor& indices, c10::SymInt rows,
                              c10::SymInt padding, bool by_frequency) {
  if (by_frequency) throw NotServed();
  const auto width = gradient.size(-1);
  const auto type =
      gradient.scalar_type() == c10::ScalarType::Double ? c10::ScalarType::Double : c10::ScalarType::Float;
  const auto sums = at::zeros({rows.expect_int(), width}, gradient.options().dtype(type));
  const auto index = indices.reshape(-1);
  auto given = gradient.reshape({index.numel(), width});
  if (padding >= 0) given = given.masked_fill(index.eq(padding.expect_int()).unsqueeze(1), 0);
  launch_rows(WAVESMITH_INDEXED_ADD, sums, 0, index, given);
  return sums.to(gradient.scalar_type());
}

at::Tensor roll(const at::Tensor& self, c10::SymIntArrayRef shifts, c10::IntArrayRef dims) {
  return at::native::roll(self, C10_AS_INTARRAYREF_SLOW(shifts), dims);
}

// Whether the results' memory is that of one tensor after the other, which kernels of lists copy at once.
bool follow_each_other(const at::ITensorListRef& tensors, std::int64_t dim, const at::Tensor& output) {
  if (tensors.size() < 2 || !is_kernel_float(output.scalar_type()) || !output.is_contiguous()) return false;
  if (c10::multiply_integers(output.sizes().slice(0, dim)) != 1) return false;
  for (const at::Tensor& tensor : tensors)
    if (tensor.scalar_type() != output.scalar_type() || !tensor.is_contiguous()) return false;
  return true;
}
void copy_at_once(const at::ITensorListRef& tensors, const at::Tensor& output) {
  std::vector<wavesmith_list_array> arrays;
  auto* to = static_cast<char*>(output.data_ptr());
  for (const at::Tensor& tensor : tensors) {
    arrays.push_back({tensor.numel(), to, {tensor.const_data_ptr()}, 0, 0});
    to += tensor.nbytes();
  }
  wavesmith_list_description one{};
  one.operation = WAVESMITH_POINTWISE_COPY;
  one.count = static_cast<std::int64_t>(arrays.size()), one.arrays = arrays.data();
  one.type_y = one.types[0] = *kernel_type(output.scalar_type());
  const KernelCall on(output.device());
  serve(wavesmith_kernels_list(&one, on.stream()), "cat");
}

struct Cat : at::meta::structured_cat {};
template <class... Output>
at::Tensor joined(const at::ITensorListRef& tensors, std::int64_t dim, Output&... given) {
  Implemented<Cat> one(false, given...);
  const auto known = one.meta(tensors, dim);
  const at::Tensor& output = one.maybe_get_output(0);
  if (follow_each_other(tensors, known.dim, output)) {
    copy_at_once(tensors, output);
    return output;
  }
  std::int64_t begin = 0;
  for (const at::Tensor& tensor : tensors) {
    if (tensor.dim() == 1 && tensor.size(0) == 0) continue;  // of any shape, as PyTorch has it
    const auto length = tensor.size(known.dim);
    if (tensor.numel() != 0) output.narrow(known.dim, begin, length).copy_(tensor);
    begin += length;
  }
  return output;
}
at::Tensor cat(const at::ITensorListRef& tensors, std::int64_t dim) { return joined(tensors, dim); }
at::Tensor& cat_out(const at::ITensorListRef& tensors, std::int64_t dim, at::Tensor& output) {
  joined(tensors, dim, output);
  return output;
}

// The elements on the diagonal and on one side of it, 0 on the other. One range has the numbers of the
// columns and those of the diagonal's columns in each row.
void cut(const at::Tensor& self, std::int64_t diagonal, bool lower, const at::Tensor& output) {
  if (self.numel() == 0) return;
  const auto rows = self.size(-2), columns = self.size(-1);
  diagonal = std::clamp(diagonal, -rows, columns);
  const auto begin = std::min<std::int64_t>(diagonal, 0);
  const auto numbers =
      at::arange(begin, std::max(columns, diagonal + rows), self.options().dtype(c10::ScalarType::Int));
  const auto column = numbers.slice(0, -begin, columns - begin),
             kept = numbers.slice(0, diagonal - begin, diagonal - begin + rows).unsqueeze(1);
  const auto zeroed = lower ? column.gt(kept) : column.lt(kept);
  auto iterator = at::TensorIteratorConfig()
                      .check_all_same_dtype(false)
                      .resize_outputs(false)
                      .set_check_mem_overlap(false)
                      .add_output(output)
                      .add_const_input(self)
                      .add_const_input(zeroed)
                      .build();
  launch(WAVESMITH_POINTWISE_MASKED_FILL, iterator, self.scalar_type());
}
struct Lower : at::meta::structured_tril {
  void impl(const at::Tensor& self, std::int64_t diagonal, const at::Tensor& output) {
    cut(self, diagonal, true, output);
  }
};
struct Upper : at::meta::structured_triu {
  void impl(const at::Tensor& self, std::int64_t diagonal, const at::Tensor& output) {
    cut(self, diagonal, false, output);
  }
};

}  // namespace

WAVESMITH_OPERATORS(aten, m) {
  plain<&index_with_tensors, at::_ops::index_Tensor>(m);
  plain<&index_out, at::_ops::index_Tensor_out>(m);
  plain<&at::native::_index_put_impl_, at::_ops::_index_put_impl_>(m);
  plain<&index_select, at::_ops::index_select>(m);
  plain<&index_select_out, at::_ops::index_select_out>(m);
  plain<&index_add_out, at::_ops::index_add_out>(m);
  plain<&index_add_in_place, at::_ops::index_add_>(m);
  structured<at::native::structured_gather_out, at::_ops::gather, at::_ops::gather_out>(m);
  structured<at::native::structured_scatter_src_out, at::_ops::scatter_src, at::_ops::scatter__src,
             at::_ops::scatter_src_out>(m);
  structured<at::native::structured_scatter_value_out, at::_ops::scatter_value, at::_ops::scatter__value,
             at::_ops::scatter_value_out>(m);
  structured<at::native::structured_scatter_add, at::_ops::scatter_add, at::_ops::scatter_add_,
             at::_ops::scatter_add_out>(m);
  plain<&index_copy_out, at::_ops::index_copy_out>(m);
  plain<&index_copy_in_place, at::_ops::index_copy_>(m);
  plain<&embedding_backward, at::_ops::embedding_dense_backward>(m);
  plain<&cat, at::_ops::cat>(m);
  plain<&cat_out, at::_ops::cat_out>(m);
  plain<&at::native::flip, at::_ops::flip>(m);
  plain<&roll, at::_ops::roll>(m);
  structured<Lower, at::_ops::tril, at::_ops::tril_, at::_ops::tril_out>(m);
  structured<Upper, at::_ops::triu, at::_ops::triu_, at::_ops::triu_out>(m);
}

}  // namespace wavesmith::device
