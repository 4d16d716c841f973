// Reductions of segments, rows that follow each other along an axis and have lengths of their own
// (kernels/segments).
#include <optional>

#include <ATen/ops/_segment_reduce_backward_ops.h>
#include <ATen/ops/cumsum.h>
#include <ATen/ops/segment_reduce_ops.h>
#include <wavesmith_segments.h>

#include "operators/served.h"
#include "order/order.h"

namespace wavesmith::device {
namespace {

using at::Tensor;
using OptionalBounds = std::optional<Tensor>;

wavesmith_segments_operation segments_operation(c10::string_view reduce) {
  if (reduce == "sum") return WAVESMITH_SEGMENTS_SUM;
  if (reduce == "mean") return WAVESMITH_SEGMENTS_MEAN;
  if (reduce == "max") return WAVESMITH_SEGMENTS_MAXIMUM;
  if (reduce == "min") return WAVESMITH_SEGMENTS_MINIMUM;
  if (reduce == "prod") return WAVESMITH_SEGMENTS_PRODUCT;
  throw NotServed();
}

// A call's segments, and the tensors that its description points to. What is wrong the host says.
struct Segments {
  wavesmith_segments_description one{};
  Tensor x, bounds, ends;
  c10::DimVector sizes;  // the result's

  Segments(const Tensor& data, c10::string_view reduce, const OptionalBounds& lengths,
           const OptionalBounds& offsets, std::int64_t axis, const std::optional<c10::Scalar>& initial,
           bool checks) {
    const bool by_lengths = lengths && lengths->defined();
    if (!by_lengths && !(offsets && offsets->defined())) throw NotServed();
    const Tensor& given = by_lengths ? *lengths : *offsets;
    if (axis < -data.dim() || axis >= data.dim() || !data.is_floating_point() || data.numel() == 0)
      throw NotServed();
    axis = at::maybe_wrap_dim(axis, data.dim());
    if (given.dim() != axis + 1 || given.sizes().slice(0, axis) != data.sizes().slice(0, axis) ||
        !c10::isIntegralType(given.scalar_type(), false) || (initial && initial->isComplex()))
      throw NotServed();
    one.operation = segments_operation(reduce);
    one.outer = c10::multiply_integers(data.sizes().slice(0, axis)), one.length = data.size(axis);
    one.inner = c10::multiply_integers(data.sizes().slice(axis + 1));
    one.segments = given.size(axis) - (by_lengths ? 0 : 1);
    if (one.segments < 0 || one.outer == 0) throw NotServed();
    sizes = data.sizes(), sizes[static_cast<std::size_t>(axis)] = one.segments;
    if (by_lengths && checks) check(given);
    x = data.reshape({one.outer, one.length, one.inner}), one.x = operand_of(x);
    if (initial) one.has_initial = 1, one.initial = initial->toDouble();
    if (one.segments == 0) return;
    bounds = given.to(data.device(), at::kLong).reshape({one.outer, given.size(axis)});
    if (by_lengths) {
      ends = at::cumsum(bounds, 1);
      one.ends = operand_of(ends), one.lengths = operand_of(bounds);
    } else {
      one.begins = one.ends = operand_of(bounds);
      one.ends.data = static_cast<char*>(one.ends.data) + one.ends.strides[0];
    }
  }

  // A result's or an element's tensor, with what is around the axis as one dimension each.
  [[nodiscard]] Tensor around(const Tensor& tensor, std::int64_t count) const {
    return tensor.reshape({one.outer, count, one.inner});
  }

 private:
  void check(const Tensor& given) const {
    const Tensor all = given.to(c10::kCPU, at::kLong).contiguous();
    const auto* length = all.const_data_ptr<std::int64_t>();
    for (std::int64_t row = 0; row < one.outer; ++row) {
      std::int64_t sum = 0;
      for (std::int64_t each = 0; each < one.segments; ++each, ++length) {
        if (*length < 0 || *length > one.length) throw NotServed();
        sum += *length;
      }
      if (sum != one.length) throw NotServed();
    }
  }
};

Tensor reduce_segments(const Tensor& data, c10::string_view reduce, const OptionalBounds& lengths,
                       const OptionalBounds& indices, const OptionalBounds& offsets, std::int64_t axis,
                       bool unsafe, const std::optional<c10::Scalar>& initial) {
  if (indices) throw NotServed();
  Segments call(data, reduce, lengths, offsets, axis, initial, !unsafe);
  const Tensor y = made(call.sizes, {}, data.options());
  if (y.numel() == 0) return y;
  const Tensor result = call.around(y, call.one.segments);
  call.one.y = operand_of(result);
  const KernelCall on(data.device());
  serve(wavesmith_kernels_segments(&call.one, on.stream()), "segment_reduce");
  return y;
}

Tensor segments_backward(const Tensor& upstream, const Tensor& y, const Tensor& data, c10::string_view reduce,
                         const OptionalBounds& lengths, const OptionalBounds& offsets, std::int64_t axis,
                         const std::optional<c10::Scalar>& initial) {
  const Segments call(data, reduce, lengths, offsets, axis, initial, false);
  for (const Tensor& each : {upstream, y})
    if (each.sizes() != call.sizes || each.scalar_type() != data.scalar_type()) throw NotServed();
  const Tensor gradient = made(data.sizes(), {}, data.options()).zero_();
  if (y.numel() == 0) return gradient;
  const Tensor given = call.around(upstream, call.one.segments), result = call.around(y, call.one.segments);
  wavesmith_segments_gradient_description back{};
  back.forward = call.one, back.forward.y = operand_of(result);
  back.upstream = operand_of(given), back.gradient = operand_of(call.around(gradient, call.one.length));
  const KernelCall on(data.device());
  serve(wavesmith_kernels_segments_gradient(&back, on.stream()), "_segment_reduce_backward");
  return gradient;
}

}  // namespace

WAVESMITH_OPERATORS(aten, m) {
  plain<&reduce_segments, at::_ops::segment_reduce>(m);
  plain<&segments_backward, at::_ops::_segment_reduce_backward>(m);
}

}  // namespace wavesmith::device
