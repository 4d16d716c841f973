// Convolutions of any number of dimensions as products: what a kernel sees is laid out as columns first.
//
// The gradient of a convolution's input, and a transposed convolution, is the convolution of what lies apart
// by the stride with the weight turned around.

#include <algorithm>

#include <ATen/core/Tensor.h>

#include <ATen/ops/bmm.h>
#include <ATen/ops/constant_pad_nd.h>
#include <ATen/ops/empty.h>
#include <ATen/ops/zeros.h>

#include "amd/miopen.h"
#include "device/device_type.h"
#include "operators/multiply.h"
#include "operators/same_device.h"

namespace wavesmith::device {
namespace {

using at::IntArrayRef;
using at::Tensor;
using Sizes = std::vector<std::int64_t>;
using OptionalTensor = std::optional<Tensor>;

// How a kernel moves over its input. Of each dimension.
struct Moves {
  Sizes stride, dilation, before, behind;  // the last two: zeros around the input, below 0 what is left out
  std::int64_t groups;
};

std::int64_t product(IntArrayRef sizes) { return c10::multiply_integers(sizes); }

// The weight's sizes in space.
IntArrayRef window(const Tensor& weight) { return weight.sizes().slice(2); }

// What lies `stride` apart, with zeros between and around it; none of them is below 0.
Tensor laid_apart(const Tensor& input, IntArrayRef stride, IntArrayRef before, IntArrayRef behind) {
  Sizes sizes{input.size(0), input.size(1)};
  bool any = false, is_spread = false;
  for (std::size_t each = 0; each < stride.size(); ++each) {
    const auto size = input.size(each + 2);
    sizes.push_back((size > 0 ? (size - 1) * stride[each] + 1 : 0) + before[each] + behind[each]);
    is_spread = is_spread || (stride[each] > 1 && size > 1);
    any = any || before[each] != 0 || behind[each] != 0;
  }
  if (!any && !is_spread) return input;
  const auto format = is_spread ? at::MemoryFormat::Contiguous : input.suggest_memory_format();
  const Tensor result = at::zeros(sizes, input.options().memory_format(format));
  Sizes strides{result.stride(0), result.stride(1)};
  std::int64_t first = 0;
  for (std::size_t each = 0; each < stride.size(); ++each) {
    strides.push_back(result.stride(each + 2) * stride[each]);
    first += result.stride(each + 2) * before[each];
  }
  if (input.numel() > 0) result.as_strided(input.sizes(), strides, first).copy_(input);
  return result;
}

bool is_below_0(const Sizes& numbers) {
  return std::any_of(numbers.begin(), numbers.end(), [](auto number) { return number < 0; });
}

Tensor padded(const Tensor& input, const Moves& moves) {
  if (!is_below_0(moves.before) && !is_below_0(moves.behind))
    return laid_apart(input, Sizes(moves.before.size(), 1), moves.before, moves.behind);
  Sizes around;
  for (auto each = moves.before.size(); each-- > 0;) {
    around.push_back(moves.before[each]);
    around.push_back(moves.behind[each]);
  }
  return at::constant_pad_nd(input, around);
}

Sizes places(const Tensor& input, IntArrayRef kernel, const Moves& moves) {
  Sizes all;
  for (std::size_t each = 0; each < kernel.size(); ++each) {
    all.push_back(
        (input.size(each + 2) - moves.dilation[each] * (kernel[each] - 1) - 1) / moves.stride[each] + 1);
  }
  return all;
}

// A view of a padded input: images, channels, the kernel's elements, its places.
Tensor unfolded(const Tensor& input, IntArrayRef kernel, const Moves& moves, IntArrayRef out) {
  Sizes sizes{input.size(0), input.size(1)}, strides{input.stride(0), input.stride(1)};
  for (std::size_t each = 0; each < kernel.size(); ++each) {
    sizes.push_back(kernel[each]);
    strides.push_back(input.stride(each + 2) * moves.dilation[each]);
  }
  for (std::size_t each = 0; each < kernel.size(); ++each) {
    sizes.push_back(out[each]);
    strides.push_back(input.stride(each + 2) * moves.stride[each]);
  }
  return input.as_strided(sizes, strides);
}

// That view as columns of each group: groups, channels of a group times elements, images times places.
Tensor columns(const Tensor& view, std::int64_t groups) {
  const auto dimensions = (view.dim() - 2) / 2;
  Sizes order{1};
  for (std::int64_t each = 0; each < dimensions; ++each) order.push_back(2 + each);
  order.push_back(0);
  for (std::int64_t each = 0; each < dimensions; ++each) order.push_back(2 + dimensions + each);
  const Tensor ordered = view.permute(order);
  const auto length = product(ordered.sizes().slice(0, 1 + dimensions));
  const auto count = product(ordered.sizes().slice(1 + dimensions));
  return ordered.reshape({groups, length / groups, count});
}

Tensor multiplied(const Tensor& a, const Tensor& b) {
  if (is_kernel_float(a.scalar_type())) {
    const Tensor result = at::empty({a.size(0), a.size(1), b.size(2)}, a.options());
    if (multiply({.a = a, .b = b, .d = result}, "convolution")) return result;
  }
  return at::bmm(a, b);
}

bool channels_last(const Tensor& input, const Tensor& weight) {
  const auto format = input.dim() == 5 ? at::MemoryFormat::ChannelsLast3d : at::MemoryFormat::ChannelsLast;
  return (input.dim() == 4 || input.dim() == 5) &&
         (input.suggest_memory_format() == format || weight.suggest_memory_format() == format);
}

Tensor with_channels_last(const Tensor& tensor) {
  return tensor.contiguous(tensor.dim() == 5 ? at::MemoryFormat::ChannelsLast3d
                                             : at::MemoryFormat::ChannelsLast);
}

// The order of dimensions by which channels, the second dimension, become the last, and back.
Sizes channels_behind(std::int64_t dimensions) {
  Sizes order{0};
  for (std::int64_t each = 2; each < dimensions; ++each) order.push_back(each);
  order.push_back(1);
  return order;
}
Sizes channels_second(std::int64_t dimensions) {
  Sizes order{0, dimensions - 1};
  for (std::int64_t each = 1; each < dimensions - 1; ++each) order.push_back(each);
  return order;
}

// One group, channels last: each place of the kernel is a row.
Tensor convolve_rows(const Tensor& view, const Tensor& weight, const Tensor& bias, IntArrayRef out) {
  const auto dimensions = static_cast<std::int64_t>(out.size());
  Sizes order{0};  // images, places, elements, channels
  for (std::int64_t each = 0; each < dimensions; ++each) order.push_back(2 + dimensions + each);
  for (std::int64_t each = 0; each < dimensions; ++each) order.push_back(2 + each);
  order.push_back(1);
  const auto length = weight.size(1) * product(window(weight));
  const Tensor rows = view.permute(order).reshape({view.size(0) * product(out), length});
  const Tensor factors = weight.permute(channels_behind(weight.dim())).reshape({weight.size(0), length}).t();
  const Tensor result = bias.defined() ? bias.addmm(rows, factors) : rows.mm(factors);
  Sizes sizes{view.size(0)};
  sizes.insert(sizes.end(), out.begin(), out.end());
  sizes.push_back(weight.size(0));
  return result.view(sizes).permute(channels_second(weight.dim()));
}

Tensor convolve(const Tensor& unpadded, const Tensor& weight, const Tensor& bias, const Moves& moves) {
  const Tensor input = padded(unpadded, moves);
  const IntArrayRef kernel = window(weight);
  const Sizes out = places(input, kernel, moves);
  const Tensor view = unfolded(input, kernel, moves, out);
  const bool last = channels_last(unpadded, weight);
  if (last && moves.groups == 1) return convolve_rows(view, weight, bias, out);
  const auto images = view.size(0), made = weight.size(0), groups = moves.groups;
  const auto length = weight.size(1) * product(kernel);
  Sizes sizes{images, made};
  sizes.insert(sizes.end(), out.begin(), out.end());
  if (groups == 1) {  // the images are a batch, of which each has the same weight
    const Tensor factors = weight.reshape({1, made, length}).expand({images, made, length});
    const Tensor seen = view.reshape({images, length, product(out)});
    if (!bias.defined()) return multiplied(factors, seen).view(sizes);
    return bias.view({1, made, 1}).expand({images, made, product(out)}).baddbmm(factors, seen).view(sizes);
  }
  const Tensor factors = weight.reshape({groups, made / groups, length});
  const Tensor seen = columns(view, groups);
  const Tensor each = bias.defined() ? bias.view({groups, made / groups, 1})
                                           .expand({groups, made / groups, seen.size(2)})
                                           .baddbmm(factors, seen)
                                     : multiplied(factors, seen);
  const Tensor result = each.view({made, images, product(out)}).transpose(0, 1).reshape(sizes);
  return last ? with_channels_last(result) : result;
}

// The weight with input and output exchanged in each group, and its elements in the opposite order.
Tensor turned(const Tensor& weight, std::int64_t groups) {
  const auto elements = product(window(weight));
  const Tensor exchanged =
      weight.reshape({groups, weight.size(0) / groups, weight.size(1), elements}).transpose(1, 2);
  const Tensor result = elements > 1 ? exchanged.flip(3) : exchanged;
  Sizes sizes{groups * weight.size(1), weight.size(0) / groups};
  sizes.insert(sizes.end(), window(weight).begin(), window(weight).end());
  return result.reshape(sizes);
}

// The gradient of the input, of those sizes in space, of the convolution whose result has this gradient.
Tensor convolve_back(const Tensor& grad, const Tensor& weight, const Tensor& bias, const Moves& moves,
                     IntArrayRef sizes) {
  const Sizes none(sizes.size(), 0);
  Moves back{Sizes(sizes.size(), 1), moves.dilation, {}, {}, moves.groups};
  for (std::size_t each = 0; each < sizes.size(); ++each) {
    const auto size = grad.size(each + 2), reach = moves.dilation[each] * (weight.size(each + 2) - 1);
    const auto apart = size > 0 ? (size - 1) * moves.stride[each] + 1 : 0;
    back.before.push_back(reach - moves.before[each]);
    back.behind.push_back(sizes[each] + reach - back.before[each] - apart);
  }
  if (is_below_0(back.before) || is_below_0(back.behind))
    return convolve(laid_apart(grad, moves.stride, none, none), turned(weight, moves.groups), bias, back);
  const Tensor whole = laid_apart(grad, moves.stride, back.before, back.behind);
  back.before = back.behind = none;
  return convolve(whole, turned(weight, moves.groups), bias, back);
}

// The gradient of the weight of that size.
Tensor weight_gradient(const Tensor& grad, const Tensor& unpadded, const Tensor& weight, const Moves& moves) {
  const Tensor input = padded(unpadded, moves);
  const IntArrayRef kernel = window(weight);
  const Tensor view = unfolded(input, kernel, moves, grad.sizes().slice(2));
  const Tensor seen = columns(view, moves.groups);
  const Tensor upstream =
      grad.transpose(0, 1).reshape({moves.groups, grad.size(1) / moves.groups, seen.size(2)});
  return multiplied(upstream, seen.mT()).view(weight.sizes());
}

// The first elements in space: output padding of a stride and more makes room for another kernel.
Tensor begin(Tensor result, IntArrayRef sizes) {
  for (std::size_t each = 0; each < sizes.size(); ++each) result = result.narrow(each + 2, 0, sizes[each]);
  return result;
}

Sizes of_each(IntArrayRef given, std::size_t dimensions) {
  return given.size() == 1 ? Sizes(dimensions, given[0]) : given.vec();
}

Moves moves_of(const Tensor& weight, IntArrayRef stride, IntArrayRef padding, IntArrayRef dilation,
               std::int64_t groups) {
  const std::size_t dimensions = weight.dim() - 2;
  const Sizes around = of_each(padding, dimensions);
  return {of_each(stride, dimensions), of_each(dilation, dimensions), around, around, groups};
}

amd::Window window_of(const Moves& moves) {
  return {moves.stride, moves.before, moves.dilation, moves.groups};
}

// The convolution by MIOpen, where it is preferred and takes it; else undefined.
Tensor by_miopen(const Tensor& input, const Tensor& weight, const Tensor& bias, const Moves& moves,
                 bool transposed, IntArrayRef sizes) {
  const amd::Window window = window_of(moves);
  const char* const what = transposed ? "transposed convolution" : "convolution";
  Tensor result;
  if (transposed) {
    Sizes all{input.size(0), weight.size(1) * moves.groups};
    all.insert(all.end(), sizes.begin(), sizes.end());
    result = amd::input_gradient(input, weight, all, window, what);
  } else {
    result = amd::convolve(input, weight, window, what);
  }
  if (!result.defined()) return result;
  if (bias.defined()) {
    Sizes along(result.dim(), 1);
    along[1] = bias.numel();
    result.add_(bias.view(along));
  }
  return channels_last(input, weight) ? with_channels_last(result) : result;
}

Tensor either_convolution(const Tensor& input, const Tensor& weight, const OptionalTensor& bias,
                          IntArrayRef stride, IntArrayRef padding, IntArrayRef dilation, bool transposed,
                          IntArrayRef output_padding, std::int64_t groups) {
  const Tensor added = bias.value_or(Tensor());
  same_device("convolution", {{"input", &input}, {"weight", &weight}, {"bias", &added}});
  TORCH_CHECK(input.dtype() == weight.dtype() && (!added.defined() || added.dtype() == input.dtype()),
              "expected input, weight and bias of one dtype, but got ", input.dtype(), " and ",
              weight.dtype());
  const Moves moves = moves_of(weight, stride, padding, dilation, groups);
  const Sizes more = of_each(output_padding, window(weight).size());
  Sizes sizes;
  for (std::size_t each = 0; transposed && each < more.size(); ++each) {
    sizes.push_back((input.size(each + 2) - 1) * moves.stride[each] - 2 * moves.before[each] +
                    moves.dilation[each] * (weight.size(each + 2) - 1) + more[each] + 1);
  }
  if (const Tensor result = by_miopen(input, weight, added, moves, transposed, sizes); result.defined())
    return result;
  return transposed ? convolve_back(input, weight, added, moves, sizes)
                    : convolve(input, weight, added, moves);
}

constexpr const char* kBackward = "convolution's gradient";

Tensor input_gradient(const Tensor& grad, const Tensor& input, const Tensor& weight, const Moves& moves,
                      bool transposed) {
  const IntArrayRef sizes = input.sizes().slice(2);
  // The gradient of a transposed convolution is a convolution, of which output padding may make more.
  const Tensor result = transposed
                            ? amd::convolve(grad, weight, window_of(moves), kBackward)
                            : amd::input_gradient(grad, weight, input.sizes(), window_of(moves), kBackward);
  if (result.defined()) {
    const Tensor whole = transposed ? begin(result, sizes) : result;
    return channels_last(input, weight) ? with_channels_last(whole) : whole;
  }
  return transposed ? begin(convolve(grad, weight, Tensor(), moves), sizes)
                    : convolve_back(grad, weight, Tensor(), moves, sizes);
}

using ConvolutionGradients = std::tuple<Tensor, Tensor, Tensor>;

ConvolutionGradients convolution_backward(const Tensor& grad, const Tensor& input, const Tensor& weight,
                                          IntArrayRef stride, IntArrayRef padding, IntArrayRef dilation,
                                          bool transposed, IntArrayRef, std::int64_t groups,
                                          std::array<bool, 3> wanted) {
  same_device("convolution_backward", {{"grad_output", &grad}, {"input", &input}, {"weight", &weight}});
  const Moves moves = moves_of(weight, stride, padding, dilation, groups);
  Tensor grad_input, grad_weight, grad_bias;
  if (wanted[0]) grad_input = input_gradient(grad, input, weight, moves, transposed);
  if (wanted[1]) {
    // A transposed convolution is another one's gradient: its input and its result are the other way round.
    const Tensor &upstream = transposed ? input : grad, &seen = transposed ? grad : input;
    grad_weight = amd::weight_gradient(upstream, seen, weight.sizes(), window_of(moves), kBackward);
    if (!grad_weight.defined()) grad_weight = weight_gradient(upstream, seen, weight, moves);
  }
  if (wanted[2]) {
    Sizes others{0};
    for (std::int64_t each = 2; each < grad.dim(); ++each) others.push_back(each);
    grad_bias = grad.sum(others);
  }
  return {grad_input, grad_weight, grad_bias};
}

// As CUDA's tensors, which PyTorch has kernels of its own for, come here: unchecked.
Tensor checked_convolution(const Tensor& input, const Tensor& weight, const OptionalTensor& bias,
                           IntArrayRef stride, IntArrayRef padding, IntArrayRef dilation, bool transposed,
                           IntArrayRef output_padding, std::int64_t groups) {
  TORCH_CHECK(input.dim() == weight.dim() && input.dim() > 2, "Expected ", weight.dim(), "D input, but got ",
              input.dim(), "D");
  const auto expected = transposed ? weight.size(0) : weight.size(1) * groups;
  TORCH_CHECK(input.size(1) == expected, "Given groups=", groups, ", weight of size ", weight.sizes(),
              ", expected input", input.sizes(), " to have ", expected, " channels, but got ", input.size(1),
              " channels instead");
  return either_convolution(input, weight, bias, stride, padding, dilation, transposed, output_padding,
                            groups);
}

ConvolutionGradients checked_backward(const Tensor& grad, const Tensor& input, const Tensor& weight,
                                      at::OptionalIntArrayRef, IntArrayRef stride, IntArrayRef padding,
                                      IntArrayRef dilation, bool transposed, IntArrayRef output_padding,
                                      std::int64_t groups, std::array<bool, 3> wanted) {
  return convolution_backward(grad, input, weight, stride, padding, dilation, transposed, output_padding,
                              groups, wanted);
}

}  // namespace

WAVESMITH_OPERATORS(aten, m) {
  if (kIsCuda) {
    m.impl("convolution", &checked_convolution);
    m.impl("convolution_backward", &checked_backward);
  }
  m.impl("convolution_overrideable", &either_convolution);
  m.impl("convolution_backward_overrideable", &convolution_backward);
}

}  // namespace wavesmith::device
