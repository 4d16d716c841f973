// The largest elements of windows, at strides, where random numbers place them or as large as the output
// asks, and their gradients (kernels/max_pool).
#include <array>
#include <tuple>

#include <ATen/native/Pool.h>

#include <ATen/ops/adaptive_max_pool2d_backward_meta.h>
#include <ATen/ops/adaptive_max_pool2d_backward_ops.h>
#include <ATen/ops/adaptive_max_pool2d_meta.h>
#include <ATen/ops/adaptive_max_pool2d_ops.h>
#include <ATen/ops/adaptive_max_pool3d_backward_meta.h>
#include <ATen/ops/adaptive_max_pool3d_backward_ops.h>
#include <ATen/ops/adaptive_max_pool3d_meta.h>
#include <ATen/ops/adaptive_max_pool3d_ops.h>
#include <ATen/ops/fractional_max_pool2d_backward_meta.h>
#include <ATen/ops/fractional_max_pool2d_backward_ops.h>
#include <ATen/ops/fractional_max_pool2d_meta.h>
#include <ATen/ops/fractional_max_pool2d_ops.h>
#include <ATen/ops/fractional_max_pool3d_backward_ops.h>
#include <ATen/ops/fractional_max_pool3d_meta.h>
#include <ATen/ops/fractional_max_pool3d_ops.h>
#include <ATen/ops/max_pool2d_with_indices_backward_meta.h>
#include <ATen/ops/max_pool2d_with_indices_backward_ops.h>
#include <ATen/ops/max_pool2d_with_indices_meta.h>
#include <ATen/ops/max_pool2d_with_indices_ops.h>
#include <ATen/ops/max_pool3d_with_indices_backward_ops.h>
#include <ATen/ops/max_pool3d_with_indices_ops.h>
#include <wavesmith_max_pool.h>

#include "operators/served.h"
#include "order/order.h"

namespace wavesmith::device {
namespace {

using at::IntArrayRef;
using at::Tensor;

constexpr const char* kMaxPool = "max_pool";

enum class PoolWindows { strided, random, adaptive };

// How windows move, of each of the last dimensions; PyTorch gives one number for all, or none.
struct PoolMoves {
  IntArrayRef window, stride, padding, dilation;
};

std::int64_t of_each(IntArrayRef given, std::int64_t dimensions, std::int64_t each) {
  return given[given.size() == static_cast<std::size_t>(dimensions) ? each : 0];
}

// A tensor of planes: with channels and batches behind three dimensions.
wavesmith_pointwise_operand planes_of(const Tensor& tensor, std::int64_t dimensions) {
  const auto type = number_type(tensor.scalar_type());
  if (!type) throw NotServed();
  wavesmith_pointwise_operand one{};
  one.data = tensor.data_ptr(), one.type = *type;
  const auto bytes = static_cast<std::int64_t>(tensor.itemsize());
  for (std::int64_t d = 0; d < tensor.dim(); ++d)
    one.strides[d < dimensions ? d : 3 + d - dimensions] = tensor.stride(tensor.dim() - 1 - d) * bytes;
  return one;
}

// x may be the gradient, and y what is upstream.
wavesmith_max_pool_description pool_of(const Tensor& x, const Tensor& y, const Tensor& indices,
                                       std::int64_t dimensions) {
  if (x.scalar_type() == c10::ScalarType::Bool || x.is_complex() || y.scalar_type() != x.scalar_type() ||
      indices.scalar_type() != c10::ScalarType::Long || y.sizes() != indices.sizes() || y.dim() != x.dim())
    throw NotServed();
  wavesmith_max_pool_description one{};
  for (std::int64_t d = 0; d < 3; ++d) {
    const bool is_there = d < dimensions;
    one.sizes[d] = is_there ? x.size(x.dim() - 1 - d) : 1;
    one.places[d] = is_there ? y.size(y.dim() - 1 - d) : 1;
    one.window[d] = one.stride[d] = one.dilation[d] = 1;
  }
  one.channels = x.size(x.dim() - dimensions - 1);
  one.batches = x.dim() > dimensions + 1 ? x.size(0) : 1;
  one.x = planes_of(x, dimensions), one.y = planes_of(y, dimensions),
  one.place = planes_of(indices, dimensions);
  return one;
}

void set_pool_moves(wavesmith_max_pool_description& one, const PoolMoves& moves, std::int64_t dimensions) {
  for (std::int64_t d = 0; d < dimensions; ++d) {
    const auto each = dimensions - 1 - d;
    one.window[d] = of_each(moves.window, dimensions, each);
    one.stride[d] = moves.stride.empty() ? one.window[d] : of_each(moves.stride, dimensions, each);
    one.padding[d] = of_each(moves.padding, dimensions, each);
    one.dilation[d] = of_each(moves.dilation, dimensions, each);
  }
}

void launch_pool(const wavesmith_max_pool_description& one, const Tensor& x) {
  const KernelCall on(x.device());
  serve(wavesmith_kernels_max_pool(&one, on.stream()), kMaxPool);
}

void find_in_windows(const Tensor& x, const PoolMoves& moves, std::int64_t dimensions, const Tensor& values,
                     const Tensor& indices) {
  if (values.numel() == 0) return;
  auto one = pool_of(x, values, indices, dimensions);
  set_pool_moves(one, moves, dimensions);
  launch_pool(one, x);
}

void give_back(const Tensor& upstream, const Tensor& indices, PoolWindows windows, const PoolMoves& moves,
               std::int64_t dimensions, const Tensor& gradient) {
  if (gradient.numel() == 0) return;
  if (upstream.numel() == 0) {
    gradient.zero_();
    return;
  }
  wavesmith_max_pool_gradient_description one{};
  one.forward = pool_of(gradient, upstream, indices, dimensions);
  if (windows != PoolWindows::adaptive) set_pool_moves(one.forward, moves, dimensions);
  one.forward.adaptive = windows == PoolWindows::adaptive, one.random = windows == PoolWindows::random;
  const KernelCall on(gradient.device());
  serve(wavesmith_kernels_max_pool_gradient(&one, on.stream()), kMaxPool);
}

struct MaxPool2d : at::meta::structured_max_pool2d_with_indices {
  void impl(const Tensor& x, IntArrayRef window, IntArrayRef stride, IntArrayRef padding,
            IntArrayRef dilation, bool, const Tensor& values, const Tensor& indices) {
    find_in_windows(x, {window, stride, padding, dilation}, 2, values, indices);
  }
};
struct MaxPool2dBackward : at::meta::structured_max_pool2d_with_indices_backward {
  void impl(const Tensor& upstream, const Tensor&, IntArrayRef window, IntArrayRef stride,
            IntArrayRef padding, IntArrayRef dilation, bool, const Tensor& indices, const Tensor& gradient) {
    give_back(upstream, indices, PoolWindows::strided, {window, stride, padding, dilation}, 2, gradient);
  }
};

// The sizes of three dimensions of windows, checked by PyTorch; what it has other words for the host refuses.
std::array<std::int64_t, 3> places_3d(const Tensor& x, const PoolMoves& moves, bool ceil) {
  for (const auto given : {moves.window, moves.padding, moves.dilation})
    if (given.size() != 1 && given.size() != 3) throw NotServed();
  if (moves.stride.size() > 1 && moves.stride.size() != 3) throw NotServed();
  if (x.dim() != 4 && x.dim() != 5) throw NotServed();
  std::array<std::int64_t, 3> out{}, window{}, stride{}, padding{}, dilation{};
  for (std::size_t d = 0; d < 3; ++d) {
    const auto each = static_cast<std::int64_t>(d);
    window[d] = of_each(moves.window, 3, each);
    stride[d] = moves.stride.empty() ? window[d] : of_each(moves.stride, 3, each);
    padding[d] = of_each(moves.padding, 3, each), dilation[d] = of_each(moves.dilation, 3, each);
    out[d] = at::native::pooling_output_shape<std::int64_t>(x.size(each - 3), window[d], padding[d],
                                                            stride[d], dilation[d], ceil);
  }
  const auto number = [](std::int64_t value) { return at::native::safe_downcast<int, std::int64_t>(value); };
  at::native::pool3d_shape_check(x, x.size(-4), number(window[0]), number(window[1]), number(window[2]),
                                 number(stride[0]), number(stride[1]), number(stride[2]), number(padding[0]),
                                 number(padding[1]), number(padding[2]), number(dilation[0]),
                                 number(dilation[1]), number(dilation[2]), x.size(-3), x.size(-2), x.size(-1),
                                 out[0], out[1], out[2], "max_pool3d_with_indices_out_cpu_template()");
  return out;
}

c10::DimVector sizes_3d(const Tensor& x, const std::array<std::int64_t, 3>& places) {
  c10::DimVector sizes(x.sizes());
  for (std::size_t d = 0; d < 3; ++d) sizes[sizes.size() - 3 + d] = places[d];
  return sizes;
}

std::tuple<Tensor, Tensor> max_pool_3d(const Tensor& x, IntArrayRef window, IntArrayRef stride,
                                       IntArrayRef padding, IntArrayRef dilation, bool ceil) {
  const PoolMoves moves{window, stride, padding, dilation};
  const auto sizes = sizes_3d(x, places_3d(x, moves, ceil));
  const auto options =
      x.options().memory_format(x.dim() == 5 ? x.suggest_memory_format() : at::MemoryFormat::Contiguous);
  const Tensor values = made(sizes, {}, options), indices = made(sizes, {}, options.dtype(at::kLong));
  find_in_windows(x, moves, 3, values, indices);
  return {values, indices};
}

Tensor max_pool_3d_backward(const Tensor& upstream, const Tensor& x, IntArrayRef window, IntArrayRef stride,
                            IntArrayRef padding, IntArrayRef dilation, bool ceil, const Tensor& indices) {
  const PoolMoves moves{window, stride, padding, dilation};
  const auto sizes = sizes_3d(x, places_3d(x, moves, ceil));
  if (upstream.sizes() != sizes || indices.sizes() != sizes) throw NotServed();
  const Tensor gradient = made(x.sizes(), {}, x.options().memory_format(x.suggest_memory_format()));
  give_back(upstream, indices, PoolWindows::strided, moves, 3, gradient);
  return gradient;
}

// With windows where random numbers place them. In two dimensions the first number is the last dimension's.
void find_random(const Tensor& x, IntArrayRef window, const Tensor& samples, std::int64_t dimensions,
                 const Tensor& values, const Tensor& indices) {
  if (!x.is_floating_point()) throw NotServed();
  if (values.numel() == 0) return;
  auto one = pool_of(x, values, indices, dimensions);
  for (std::int64_t d = 0; d < dimensions; ++d)
    one.window[d] = of_each(window, dimensions, dimensions - 1 - d);
  const Tensor numbers = samples.to(x.scalar_type());
  if (numbers.dim() != 3 || numbers.size(0) < one.batches || numbers.size(1) < one.channels ||
      numbers.size(2) != dimensions || numbers.device() != x.device())
    throw NotServed();
  one.samples = operand_of(numbers);
  if (dimensions == 3) {
    auto& stride = one.samples.strides[0];
    one.samples.data = static_cast<char*>(one.samples.data) + 2 * stride;
    stride = -stride;
  }
  launch_pool(one, x);
}

struct RandomPool2d : at::meta::structured_fractional_max_pool2d {
  void impl(const Tensor& x, IntArrayRef window, IntArrayRef, const Tensor& samples, const Tensor& values,
            const Tensor& indices) {
    find_random(x, window, samples, 2, values, indices);
  }
};
struct RandomPool3d : at::meta::structured_fractional_max_pool3d {
  void impl(const Tensor& x, IntArrayRef window, IntArrayRef, const Tensor& samples, const Tensor& values,
            const Tensor& indices) {
    find_random(x, window, samples, 3, values, indices);
  }
};

constexpr std::int64_t kPoolOne[] = {1}, kPoolNone[] = {0};
void give_back_random(const Tensor& upstream, IntArrayRef window, const Tensor& indices,
                      std::int64_t dimensions, const Tensor& gradient) {
  give_back(upstream, indices, PoolWindows::random, {window, kPoolOne, kPoolNone, kPoolOne}, dimensions,
            gradient);
}
struct RandomPool2dBackward : at::meta::structured_fractional_max_pool2d_backward {
  void impl(const Tensor& upstream, const Tensor&, IntArrayRef window, IntArrayRef, const Tensor& indices,
            const Tensor& gradient) {
    give_back_random(upstream, window, indices, 2, gradient);
  }
};
Tensor random_pool_3d_backward(const Tensor& upstream, const Tensor& x, IntArrayRef window, IntArrayRef out,
                               const Tensor& indices) {
  if (x.dim() != 4 && x.dim() != 5) throw NotServed();
  if (window.size() != 3 || out.size() != 3) throw NotServed();
  if (upstream.sizes() != sizes_3d(x, {out[0], out[1], out[2]}) || upstream.sizes() != indices.sizes())
    throw NotServed();
  const Tensor gradient = made(x.sizes(), {}, x.options());
  give_back_random(upstream, window, indices, 3, gradient);
  return gradient;
}

template <class Native, std::int64_t kDimensions>
struct AdaptivePool : Native {
  void impl(const Tensor& x, IntArrayRef, const Tensor& values, const Tensor& indices) {
    if (!x.is_floating_point()) throw NotServed();
    if (values.numel() == 0) return;
    auto one = pool_of(x, values, indices, kDimensions);
    one.adaptive = 1;
    launch_pool(one, x);
  }
};
template <class Native, std::int64_t kDimensions>
struct AdaptivePoolBackward : Native {
  void impl(const Tensor& upstream, const Tensor&, const Tensor& indices, const Tensor& gradient) {
    give_back(upstream, indices, PoolWindows::adaptive, {}, kDimensions, gradient);
  }
};

}  // namespace

WAVESMITH_OPERATORS(aten, m) {
  structured<AdaptivePool<at::meta::structured_adaptive_max_pool2d, 2>, at::_ops::adaptive_max_pool2d,
             at::_ops::adaptive_max_pool2d_out>(m);
  structured<AdaptivePool<at::meta::structured_adaptive_max_pool3d, 3>, at::_ops::adaptive_max_pool3d,
             at::_ops::adaptive_max_pool3d_out>(m);
  structured<AdaptivePoolBackward<at::meta::structured_adaptive_max_pool2d_backward, 2>,
             at::_ops::adaptive_max_pool2d_backward, at::_ops::adaptive_max_pool2d_backward_grad_input>(m);
  structured<AdaptivePoolBackward<at::meta::structured_adaptive_max_pool3d_backward, 3>,
             at::_ops::adaptive_max_pool3d_backward, at::_ops::adaptive_max_pool3d_backward_grad_input>(m);
  structured<MaxPool2d, at::_ops::max_pool2d_with_indices, at::_ops::max_pool2d_with_indices_out>(m);
  structured<MaxPool2dBackward, at::_ops::max_pool2d_with_indices_backward,
             at::_ops::max_pool2d_with_indices_backward_grad_input>(m);
  plain<&max_pool_3d, at::_ops::max_pool3d_with_indices>(m);
  plain<&max_pool_3d_backward, at::_ops::max_pool3d_with_indices_backward>(m);
  structured<RandomPool2d, at::_ops::fractional_max_pool2d, at::_ops::fractional_max_pool2d_output>(m);
  structured<RandomPool2dBackward, at::_ops::fractional_max_pool2d_backward,
             at::_ops::fractional_max_pool2d_backward_grad_input>(m);
  structured<RandomPool3d, at::_ops::fractional_max_pool3d, at::_ops::fractional_max_pool3d_output>(m);
  plain<&random_pool_3d_backward, at::_ops::fractional_max_pool3d_backward>(m);
}

}  // namespace wavesmith::device
