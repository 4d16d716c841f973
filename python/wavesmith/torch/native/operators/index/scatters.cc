// Scatters that combine: sums, products, extremes and means of what goes into one place; rows that are
// filled.
#include <limits>

#include <ATen/MemoryOverlap.h>
#include <ATen/WrapDimUtils.h>
#include <ATen/native/ReductionType.h>

#include <ATen/ops/full.h>
#include <ATen/ops/index_fill_ops.h>
#include <ATen/ops/index_reduce_meta.h>
#include <ATen/ops/index_reduce_ops.h>
#include <ATen/ops/scatter_meta.h>
#include <ATen/ops/scatter_ops.h>
#include <ATen/ops/scatter_reduce_meta.h>
#include <ATen/ops/scatter_reduce_ops.h>

#include "operators/index.h"
#include "operators/pointwise.h"
#include "operators/served.h"

namespace wavesmith::device {
namespace {

using at::Tensor;
using at::native::ReductionType;
using c10::Scalar;
using c10::ScalarType;

template <class T>
Scalar end_of(bool least) {
  using Limits = std::numeric_limits<T>;
  if constexpr (Limits::has_infinity) return least ? -Limits::infinity() : Limits::infinity();
  return least ? Limits::lowest() : Limits::max();
}
Scalar end_of(ScalarType type, bool least) {
  switch (type) {
    case ScalarType::Bool:
      return !least;
    case ScalarType::Byte:
      return end_of<std::uint8_t>(least);
    case ScalarType::Char:
      return end_of<std::int8_t>(least);
    case ScalarType::Short:
      return end_of<std::int16_t>(least);
    case ScalarType::Int:
      return end_of<std::int32_t>(least);
    case ScalarType::Long:
      return end_of<std::int64_t>(least);
    default:
      return end_of<double>(least);
  }
}

// What a place has before the first element of those that leave out what was there.
Scalar neutral(ReductionType reduction, ScalarType type) {
  switch (reduction) {
    case ReductionType::MAX:
      return end_of(type, true);
    case ReductionType::MIN:
      return end_of(type, false);
    case ReductionType::PROD:
      return 1;
    default:
      return 0;
  }
}

wavesmith_indexed_operation operation_of(ReductionType reduction) {
  switch (reduction) {
    case ReductionType::MAX:
      return WAVESMITH_INDEXED_MAXIMUM;
    case ReductionType::MIN:
      return WAVESMITH_INDEXED_MINIMUM;
    case ReductionType::PROD:
      return WAVESMITH_INDEXED_MULTIPLY;
    default:
      return WAVESMITH_INDEXED_ADD;
  }
}

Tensor everywhere(const Scalar& value, const Tensor& like, c10::IntArrayRef sizes) {
  return at::full({}, value, like.options()).expand(sizes);
}

// Into `out`, which may be `self`, what goes to each element of `self`.
void reduce_into(const Tensor& self, std::int64_t dim, const Tensor& index, const Tensor& source,
                 ReductionType reduction, bool include_self, const Tensor& out) {
  const auto type = self.scalar_type(), wide = sum_type(type);
  if (!number_type(type)) throw NotServed();
  const Tensor y = wide == type ? out : self.to(wide);
  if (wide == type && !out.is_same(self)) out.copy_(self);
  if (index.numel() != 0) {
    dim = at::maybe_wrap_dim(dim, self.dim());
    if (!include_self)
      launch_along(WAVESMITH_INDEXED_PUT, y, dim, index,
                   everywhere(neutral(reduction, type), y, index.sizes()));
    launch_along(operation_of(reduction), y, dim, index, source);
    if (reduction == ReductionType::MEAN) {
      const Tensor counts = at::full(y.sizes(), include_self ? 1 : 0, y.options());
      launch_along(WAVESMITH_INDEXED_ADD, counts, dim, index, everywhere(1, y, index.sizes()));
      counts.clamp_min_(1);
      if (c10::isFloatingType(type))
        y.div_(counts);
      else
        y.div_(counts, "floor");
    }
  }
  if (!y.is_same(out)) out.copy_(y);
}

struct ScatterReduce : at::meta::structured_scatter_reduce_two {
  void impl(const Tensor& self, std::int64_t dim, const Tensor& index, const Tensor& source,
            c10::string_view reduce, bool include_self, const Tensor& out) {
    reduce_into(self, dim, index, source, at::native::get_operator_enum(reduce, true), include_self, out);
  }
};
struct Scatter : at::meta::structured_scatter_reduce {
  void impl(const Tensor& self, std::int64_t dim, const Tensor& index, const Tensor& source,
            c10::string_view reduce, const Tensor& out) {
    reduce_into(self, dim, index, source, at::native::get_operator_enum(reduce, false), true, out);
  }
};
struct ScatterNumber : at::meta::structured_scatter_value_reduce {
  void impl(const Tensor& self, std::int64_t dim, const Tensor& index, const Scalar& value,
            c10::string_view reduce, const Tensor& out) {
    if (value.isComplex()) throw NotServed();
    const auto reduction = at::native::get_operator_enum(reduce, false);
    reduce_into(self, dim, index, everywhere(value, self, index.sizes()), reduction, true, out);
  }
};

// A vector of indices as one for each element of a tensor.
Tensor along(const Tensor& index, std::int64_t dim, c10::IntArrayRef sizes) {
  if (sizes.empty()) return index.reshape({});
  at::DimVector shape(sizes.size(), 1);
  shape[static_cast<std::size_t>(dim)] = index.numel();
  return index.reshape(shape).expand(sizes);
}

struct IndexReduce : at::meta::structured_index_reduce {};
template <class... Output>
Tensor index_reduced(bool in_place, const Tensor& self, std::int64_t dim, const Tensor& index,
                     const Tensor& source, c10::string_view reduce, bool include_self, Output&... given) {
  Implemented<IndexReduce> one(in_place, given...);
  const auto known = one.meta(self, dim, index, source, reduce, include_self);
  if (self.dim() != source.dim()) throw NotServed();
  reduce_into(self, known.dim, along(index, known.dim, source.sizes()), source,
              at::native::get_operator_enum(reduce, true), include_self, one.maybe_get_output(0));
  return one.maybe_get_output(0);
}
Tensor index_reduce(const Tensor& self, std::int64_t dim, const Tensor& index, const Tensor& source,
                    c10::string_view reduce, bool include_self) {
  return index_reduced(false, self, dim, index, source, reduce, include_self);
}
Tensor& index_reduce_out(const Tensor& self, std::int64_t dim, const Tensor& index, const Tensor& source,
                         c10::string_view reduce, bool include_self, Tensor& out) {
  index_reduced(false, self, dim, index, source, reduce, include_self, out);
  return out;
}
Tensor& index_reduce_in_place(Tensor& self, std::int64_t dim, const Tensor& index, const Tensor& source,
                              c10::string_view reduce, bool include_self) {
  index_reduced(true, self, dim, index, source, reduce, include_self, self);
  return self;
}

// Rows filled with a number. What PyTorch refuses of them, or warns of, the host says in PyTorch's words.
void check_filled(const Tensor& self, std::int64_t dim, const Tensor& index) {
  const auto dims = std::max<std::int64_t>(self.dim(), 1);
  if (index.dim() > 1 || index.scalar_type() != ScalarType::Long || index.device() != self.device() ||
      dim < -dims || dim >= dims || at::has_internal_overlap(self) != at::MemOverlap::No ||
      self.storage().is_alias_of(index.storage()))
    throw NotServed();
}
Tensor& fill_rows(Tensor& self, std::int64_t dim, const Tensor& index, const Tensor& value) {
  if (index.numel() == 0 || self.numel() == 0) return self;
  const Tensor filled = self.dim() == 0 ? self.unsqueeze(0) : self;
  dim = at::maybe_wrap_dim(dim, filled.dim());
  at::DimVector sizes(filled.sizes());
  sizes[static_cast<std::size_t>(dim)] = index.numel();
  launch_wrapped(WAVESMITH_INDEXED_PUT, filled, dim, along(index, dim, sizes), value.expand(sizes));
  return self;
}
Tensor& index_fill(Tensor& self, std::int64_t dim, const Tensor& index, const Scalar& value) {
  check_filled(self, dim, index);
  if (value.isComplex() && !self.is_complex()) throw NotServed();
  return fill_rows(self, dim, index, at::full({}, value, self.options()));
}
// A number that is on the device is not waited for where it is of the same type.
Tensor& index_fill_with(Tensor& self, std::int64_t dim, const Tensor& index, const Tensor& value) {
  check_filled(self, dim, index);
  if (value.dim() != 0) throw NotServed();
  if (value.scalar_type() != self.scalar_type() || value.device() != self.device() || value.is_conj() ||
      value.is_neg() || self.storage().is_alias_of(value.storage()))
    return index_fill(self, dim, index, value.item());
  return fill_rows(self, dim, index, value);
}

}  // namespace

WAVESMITH_OPERATORS(aten, m) {
  structured<ScatterReduce, at::_ops::scatter_reduce_two, at::_ops::scatter_reduce__two,
             at::_ops::scatter_reduce_two_out>(m);
  structured<Scatter, at::_ops::scatter_reduce, at::_ops::scatter__reduce, at::_ops::scatter_reduce_out>(m);
  structured<ScatterNumber, at::_ops::scatter_value_reduce, at::_ops::scatter__value_reduce,
             at::_ops::scatter_value_reduce_out>(m);
  plain<&index_reduce, at::_ops::index_reduce>(m);
  plain<&index_reduce_out, at::_ops::index_reduce_out>(m);
  plain<&index_reduce_in_place, at::_ops::index_reduce_>(m);
  plain<&index_fill, at::_ops::index_fill__int_Scalar>(m);
  plain<&index_fill_with, at::_ops::index_fill__int_Tensor>(m);
}

}  // namespace wavesmith::device
