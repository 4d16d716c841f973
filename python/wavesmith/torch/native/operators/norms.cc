// LayerNorm and RMSNorm over the last dimensions; their gradients by operators.

#include <ATen/core/Tensor.h>

#include <ATen/ops/empty.h>
#include <ATen/ops/native_layer_norm_backward_ops.h>
#include <ATen/ops/native_layer_norm_ops.h>

#include "device/device_type.h"
#include "operators/fallback.h"
#include "operators/rows.h"
#include "operators/same_device.h"

namespace wavesmith::device {
namespace {

using at::Tensor;
using OptionalTensor = std::optional<Tensor>;

const Tensor kNone;

const Tensor& or_none(const OptionalTensor& tensor) { return tensor.has_value() ? *tensor : kNone; }

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
  const auto data = [](const Tensor& tensor) { return tensor.defined() ? tensor.const_data_ptr() : nullptr; };
  const auto type = [](const Tensor& tensor) {
    return tensor.defined() ? *kernel_type(tensor.scalar_type()) : WAVESMITH_KERNELS_F32;
  };
  const wavesmith_kernels_norm_description norm{.rows = rows.rows,
                                                .columns = rows.columns,
                                                .x = rows_of(matrix),
                                                .y = rows_of(y.view({rows.rows, rows.columns})),
                                                .weight = data(factors),
                                                .bias = data(added),
                                                .weight_type = type(factors),
                                                .bias_type = type(added),
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
  const Tensor wide = rows.matrix(input).to(at::kFloat), mean = wide.mean(1, true);
  return {y, mean.view(rows.sizes), reciprocal_root(wide.sub(mean), epsilon).view(rows.sizes)};
}

// The gradients of y = x * weight (+ bias) with x normalised rows, centred or not.
Three backward(const Rows& rows, const Tensor& grad, const Tensor& normal, const Tensor& factor,
               const Tensor& weight, bool centred, std::array<bool, 3> wanted) {
  Tensor grad_input, grad_weight, grad_bias;
  if (wanted[0]) {
    const Tensor upstream = weight.defined() ? grad.mul(weight.reshape({1, rows.columns})) : grad;
    const Tensor along = normal.mul(upstream.mul(normal).mean(1, true));
    Tensor rest = upstream.sub(along);
    if (centred) rest = rest.sub_(upstream.mean(1, true));
    grad_input = rest.mul_(factor);
  }
  if (wanted[1]) grad_weight = grad.mul(normal).sum(0);
  if (wanted[2]) grad_bias = grad.sum(0);
  return {grad_input, grad_weight, grad_bias};
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
  const Rows rows(input, normalized);
  const Tensor factor = rstd.reshape({rows.rows, 1});
  const Tensor normal = rows.matrix(input).to(at::kFloat).sub(mean.reshape({rows.rows, 1})).mul_(factor);
  auto [dx, dw, db] = backward(rows, rows.matrix(grad).to(at::kFloat), normal, factor, w, true, wanted);
  if (dx.defined()) dx = dx.view(input.sizes()).to(input.scalar_type());
  if (dw.defined()) dw = dw.view(normalized).to(w.scalar_type());
  if (db.defined()) db = db.view(normalized).to(b.scalar_type());
  return {dx, dw, db};
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
  const Rows rows(input, normalized);
  const auto type = is_kernel_float(input.scalar_type()) ? at::kFloat : input.scalar_type();
  const Tensor factor = rstd.reshape({rows.rows, 1});
  const Tensor normal = rows.matrix(input).to(type).mul(factor);
  auto [dx, dw, db] = backward(rows, rows.matrix(grad).to(type), normal, factor, w, false,
                               {wanted[0], wanted[1] && w.defined(), false});
  if (dx.defined()) dx = dx.view(input.sizes()).to(input.scalar_type());
  if (dw.defined()) dw = dw.view(normalized).to(w.scalar_type());
  return {dx, dw};
}

}  // namespace

WAVESMITH_OPERATORS(aten, m) {
  m.impl("native_layer_norm", &layer_norm);
  m.impl("native_layer_norm_backward", &layer_norm_backward);
  m.impl("_fused_rms_norm", &rms_norm);
  m.impl("_fused_rms_norm_backward", &rms_norm_backward);
}

}  // namespace wavesmith::device
