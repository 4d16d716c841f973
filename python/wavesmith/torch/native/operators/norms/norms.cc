// LayerNorm and RMSNorm over the last dimensions, and their gradients.

#include <ATen/core/Tensor.h>

#include <ATen/ops/empty.h>
#include <ATen/ops/native_layer_norm_backward_ops.h>
#include <ATen/ops/native_layer_norm_ops.h>
#include <ATen/ops/var_mean.h>

#include <wavesmith_gradients.h>

#include "device/device_type.h"
#include "operators/fallback.h"
#include "operators/norms/statistics.h"
#include "operators/rows.h"
#include "operators/same_device.h"

namespace wavesmith::device {
namespace {

using at::Tensor;
using OptionalTensor = std::optional<Tensor>;

constexpr std::int64_t kLast = 1;  // the dimension of a matrix along which statistics are

// A vector for a kernel: its elements, if there are any, and their type.
const void* data_of(const Tensor& vector) { return vector.defined() ? vector.const_data_ptr() : nullptr; }
wavesmith_kernels_type type_of(const Tensor& vector) {
  return vector.defined() ? *kernel_type(vector.scalar_type()) : WAVESMITH_KERNELS_F32;
}

// An input as a matrix whose rows are normalised, and the sizes that statistics of each row have.
struct Rows {
  Rows(const Tensor& input, at::IntArrayRef normalized) : sizes(input.sizes().vec()) {
    columns = c10::multiply_integers(normalized);
    rows = columns > 0 ? input.numel() / columns : 0;
    for (std::size_t each = input.dim() - normalized.size(); each < sizes.size(); ++each) sizes[each] = 1;
  }
  Tensor matrix(const Tensor& tensor) const { return tensor.contiguous().view({rows, columns}); }

  std::int64_t rows, columns;
  std::vector<std::int64_t> sizes;
};

void check_shapes(const Tensor& input, at::IntArrayRef normalized, const Tensor& weight, const Tensor& bias) {
  TORCH_CHECK(
      !normalized.empty(),
      "Expected normalized_shape to be at least 1-dimensional, i.e., containing at least one element, but "
      "got normalized_shape = ",
      normalized);
  for (const auto& [name, tensor] : {std::pair{"weight", &weight}, std::pair{"bias", &bias}}) {
    TORCH_CHECK(!tensor->defined() || tensor->sizes() == normalized, "Expected ", name,
                " to be of same shape as normalized_shape, but got ", name, " of shape ", tensor->sizes(),
                " and normalized_shape = ", normalized);
  }
  const auto dimensions = input.dim();
  const auto own = static_cast<std::int64_t>(normalized.size());
  if (dimensions < own || input.sizes().slice(dimensions - own) != normalized) {
    std::stringstream text;
    text << "Given normalized_shape=" << normalized << ", expected input with shape [*";
    for (const auto size : normalized) text << ", " << size;
    TORCH_CHECK(false, text.str(), "], but got input of size", input.sizes());
  }
}

bool normalise(const Rows& rows, const Tensor& x, const Tensor& weight, const Tensor& bias, double epsilon,
               bool centred, const Tensor& y) {
  if (!is_kernel_float(x.scalar_type()) || !(epsilon >= 0)) return false;
  for (const Tensor* vector : {&weight, &bias}) {
    if (vector->defined() && !is_kernel_float(vector->scalar_type())) return false;
  }
  if (x.numel() == 0) return true;
  const KernelCall call(x.device());
  const Tensor matrix = rows.matrix(x);
  const Tensor factors = weight.defined() ? weight.contiguous() : weight;
  const Tensor added = bias.defined() ? bias.contiguous() : bias;
  const wavesmith_kernels_norm_description norm{.rows = rows.rows,
                                                .columns = rows.columns,
                                                .x = rows_of(matrix),
                                                .y = rows_of(y.view({rows.rows, rows.columns})),
                                                .weight = data_of(factors),
                                                .bias = data_of(added),
                                                .weight_type = type_of(factors),
                                                .bias_type = type_of(added),
                                                .weight_offset = 0,
                                                .epsilon = static_cast<float>(epsilon),
                                                .centred = centred};
  return launched(wavesmith_kernels_norm(&norm, call.stream()), centred ? "layer_norm" : "rms_norm");
}

Tensor reciprocal_root(const Tensor& differences, double epsilon) {
  return differences.square().mean(1, true).add_(epsilon).rsqrt_();
}

using Two = std::tuple<Tensor, Tensor>;
using Three = std::tuple<Tensor, Tensor, Tensor>;

Three layer_norm(const Tensor& input, at::IntArrayRef normalized, const OptionalTensor& weight,
                 const OptionalTensor& bias, double epsilon) {
  const Tensor &w = or_none(weight), &b = or_none(bias);
  same_device("native_layer_norm", {{"input", &input}, {"weight", &w}, {"bias", &b}});
  check_shapes(input, normalized, w, b);
  TORCH_CHECK_NOT_IMPLEMENTED(c10::isFloatingType(input.scalar_type()),
                              "\"layer_norm\" not implemented for '", c10::toString(input.scalar_type()),
                              "'");
  const Rows rows(input, normalized);
  const Tensor y = at::empty(input.sizes(), input.options());
  if (!normalise(rows, input, w, b, epsilon, true, y)) {
    return fall_back<at::_ops::native_layer_norm>(input, c10::fromIntArrayRefSlow(normalized), weight, bias,
                                                  epsilon);
  }
  if (input.numel() == 0) {
    const Tensor none = at::empty(rows.sizes, input.options().dtype(at::kFloat));
    return {y, none, at::empty_like(none)};
  }
  const auto [variance, mean] =
      at::var_mean(rows.matrix(input).to(at::kFloat), at::IntArrayRef(kLast), false, true);
  return {y, mean.view(rows.sizes), variance.add_(epsilon).rsqrt_().view(rows.sizes)};
}

// What a norm's gradients are made from; no mean: it is not centred.
struct Backward {
  Tensor grad, input, mean, factor, weight;
};

// The gradients of y = x * weight (+ bias) with x normalised rows, for what the library has no kernel of.
Three backward_by_operators(const Rows& rows, const Backward& of, at::ScalarType type,
                            std::array<bool, 3> wanted) {
  const Tensor grad = rows.matrix(of.grad).to(type), factor = of.factor.reshape({rows.rows, 1});
  const Tensor x = rows.matrix(of.input).to(type);
  const Tensor normal = (of.mean.defined() ? x.sub(of.mean.reshape({rows.rows, 1})) : x).mul(factor);
  Tensor dx, dweight, dbias;
  if (wanted[0]) {
    const Tensor upstream = of.weight.defined() ? grad.mul(of.weight.reshape({1, rows.columns})) : grad;
    Tensor rest = upstream.sub(normal.mul(upstream.mul(normal).mean(1, true)));
    if (of.mean.defined()) rest = rest.sub_(upstream.mean(1, true));
    dx = rest.mul_(factor);
  }
  if (wanted[1]) dweight = grad.mul(normal).sum(0);
  if (wanted[2]) dbias = grad.sum(0);
  return {dx, dweight, dbias};
}

// The same by two kernels, written where the gradients that are defined are; whether there are such kernels.
bool backward_by_kernels(const Rows& rows, const Backward& of, const Three& made) {
  for (const Tensor* tensor : {&of.grad, &of.input, &of.weight}) {
    if (tensor->defined() && !is_kernel_float(tensor->scalar_type())) return false;
  }
  const KernelCall call(of.input.device());
  const auto floats = [&](const Tensor& numbers) {
    return numbers.defined() ? numbers.to(at::kFloat).contiguous() : numbers;
  };
  const Tensor x = rows.matrix(of.input), dy = rows.matrix(of.grad), mean = floats(of.mean),
               factor = floats(of.factor), weight = of.weight.defined() ? of.weight.contiguous() : of.weight;
  const auto& [dx, dweight, dbias] = made;
  wavesmith_kernels_norm_backward_description backward{};
  backward.rows = rows.rows, backward.columns = rows.columns;
  backward.x = rows_of(x), backward.dy = rows_of(dy);
  if (dx.defined()) backward.dx = rows_of(dx.view({rows.rows, rows.columns}));
  backward.weight = data_of(weight), backward.weight_type = type_of(weight);
  backward.dweight = const_cast<void*>(data_of(dweight)), backward.dweight_type = type_of(dweight);
  backward.dbias = const_cast<void*>(data_of(dbias)), backward.dbias_type = type_of(dbias);
  backward.means = static_cast<const float*>(data_of(mean));
  backward.factors = static_cast<const float*>(data_of(factor));
  backward.centred = mean.defined();
  const auto status = wavesmith_kernels_norm_backward_workspace(&backward, &backward.workspace_bytes);
  if (!launched(status, "norm_backward")) return false;
  const auto memory = workspace(backward.workspace_bytes);
  backward.workspace = memory.get();
  return launched(wavesmith_kernels_norm_backward(&backward, call.stream()), "norm_backward");
}

Three backward(const Rows& rows, const Backward& of, at::IntArrayRef normalized, at::ScalarType wide,
               at::ScalarType bias_type, std::array<bool, 3> wanted) {
  const auto empty = [&](bool is_wanted, at::IntArrayRef sizes, at::ScalarType type) {
    return is_wanted ? at::empty(sizes, of.input.options().dtype(type)) : Tensor();
  };
  const auto weight_type = of.weight.defined() ? of.weight.scalar_type() : at::kFloat;
  const Three made = {empty(wanted[0], of.input.sizes(), of.input.scalar_type()),
                      empty(wanted[1], normalized, weight_type), empty(wanted[2], normalized, bias_type)};
  if (rows.columns > 0 && backward_by_kernels(rows, of, made)) return made;
  const auto [dx, dweight, dbias] = backward_by_operators(rows, of, wide, wanted);
  const auto keep = [](const Tensor& value, const Tensor& place) {
    if (place.defined()) place.copy_(value.view(place.sizes()));
  };
  keep(dx, std::get<0>(made)), keep(dweight, std::get<1>(made)), keep(dbias, std::get<2>(made));
  return made;
}

Three layer_norm_backward(const Tensor& grad, const Tensor& input, at::IntArrayRef normalized,
                          const Tensor& mean, const Tensor& rstd, const OptionalTensor& weight,
                          const OptionalTensor& bias, std::array<bool, 3> wanted) {
  const Tensor &w = or_none(weight), &b = or_none(bias);
  same_device("native_layer_norm_backward", {{"grad_out", &grad}, {"input", &input}, {"weight", &w}});
  if (!is_kernel_float(input.scalar_type())) {
    return fall_back<at::_ops::native_layer_norm_backward>(grad, input, c10::fromIntArrayRefSlow(normalized),
                                                           mean, rstd, weight, bias, wanted);
  }
  wanted[1] = wanted[1] && w.defined();
  wanted[2] = wanted[2] && b.defined();
  return backward(Rows(input, normalized), {grad, input, mean, rstd, w}, normalized, at::kFloat,
                  b.defined() ? b.scalar_type() : at::kFloat, wanted);
}

double default_epsilon(at::ScalarType type) {
  return type == at::kDouble ? std::numeric_limits<double>::epsilon() : std::numeric_limits<float>::epsilon();
}

Two rms_norm(const Tensor& input, at::IntArrayRef normalized, const OptionalTensor& weight,
             std::optional<double> epsilon) {
  const Tensor& w = or_none(weight);
  same_device("_fused_rms_norm", {{"input", &input}, {"weight", &w}});
  check_shapes(input, normalized, w, kNone);
  const Rows rows(input, normalized);
  const double least = epsilon.value_or(default_epsilon(input.scalar_type()));
  const bool narrow = is_kernel_float(input.scalar_type());
  const Tensor wide = rows.matrix(input).to(narrow ? at::kFloat : input.scalar_type());
  const Tensor factor = reciprocal_root(wide, least);
  Tensor y = at::empty(input.sizes(), input.options());
  if (!normalise(rows, input, w, kNone, least, false, y)) {
    y = wide.mul(factor).view(input.sizes()).to(input.scalar_type());
    if (w.defined()) y = y.mul(w);
  }
  return {y, factor.view(rows.sizes)};
}

Two rms_norm_backward(const Tensor& grad, const Tensor& input, at::IntArrayRef normalized, const Tensor& rstd,
                      const OptionalTensor& weight, std::array<bool, 2> wanted) {
  const Tensor& w = or_none(weight);
  same_device("_fused_rms_norm_backward", {{"grad_out", &grad}, {"input", &input}, {"weight", &w}});
  const auto wide = is_kernel_float(input.scalar_type()) ? at::kFloat : input.scalar_type();
  const auto [dx, dweight, none] =
      backward(Rows(input, normalized), {grad, input, Tensor(), rstd, w}, normalized, wide, at::kFloat,
               {wanted[0], wanted[1] && w.defined(), false});
  return {dx, dweight};
}

}  // namespace

WAVESMITH_OPERATORS(aten, m) {
  m.impl("native_layer_norm", &layer_norm);
  m.impl("native_layer_norm_backward", &layer_norm_backward);
  m.impl("_fused_rms_norm", &rms_norm);
  m.impl("_fused_rms_norm_backward", &rms_norm_backward);
}

}  // namespace wavesmith::device
