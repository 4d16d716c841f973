// Batch norm and its gradients, composed of sums and functions of elements.
#include <ATen/core/Tensor.h>

#include <ATen/ops/_batch_norm_no_update_ops.h>
#include <ATen/ops/_batch_norm_with_update_ops.h>
#include <ATen/ops/_native_batch_norm_legit_no_training_ops.h>
#include <ATen/ops/_native_batch_norm_legit_ops.h>
#include <ATen/ops/addcmul.h>
#include <ATen/ops/batch_norm_backward_ops.h>
#include <ATen/ops/native_batch_norm_backward_ops.h>
#include <ATen/ops/native_batch_norm_ops.h>
#include <ATen/ops/var_mean.h>

#include "operators/norms/statistics.h"
#include "operators/served.h"

namespace wavesmith::device {
namespace {

using at::Tensor;
using OptionalTensor = std::optional<Tensor>;
using Three = std::tuple<Tensor, Tensor, Tensor>;

// All dimensions but that of the channels.
std::vector<std::int64_t> reduced(const Tensor& x) {
  if (x.dim() < 2 || !x.is_floating_point()) throw NotServed();
  std::vector<std::int64_t> dims{0};
  for (std::int64_t each = 2; each < x.dim(); ++each) dims.push_back(each);
  return dims;
}

// A vector with an element for each channel, beside x.
Tensor beside(const Tensor& vector, const Tensor& x) {
  std::vector<std::int64_t> sizes(x.dim() - 1, 1);
  sizes[0] = vector.numel();
  return vector.reshape(sizes);
}

// Brings a running statistic up to date.
void follow(const Tensor& running, const Tensor& now, double momentum) {
  if (!running.defined()) return;
  if (running.scalar_type() == now.scalar_type())
    running.lerp_(now, momentum);
  else
    running.copy_(running.to(now.scalar_type()).lerp_(now, momentum));
}

Three normalise(const Tensor& input, const Tensor& weight, const Tensor& bias, const Tensor& running_mean,
                const Tensor& running_var, bool training, double momentum, double eps) {
  const auto type = wide(input);
  const auto dims = reduced(input);
  const Tensor x = input.to(type);
  Tensor mean, factor;
  if (training) {
    const auto [variance, middle] = at::var_mean(x, at::OptionalIntArrayRef(dims), at::Scalar(0), false);
    mean = middle;
    follow(running_mean, mean, momentum);
    if (running_var.defined()) {
      const auto n = static_cast<double>(input.numel()) / static_cast<double>(input.size(1));
      follow(running_var, variance.mul(n / (n - 1)), momentum);
    }
    factor = variance.add(eps).rsqrt_();
  } else {
    if (!running_mean.defined() || !running_var.defined()) throw NotServed();
    mean = running_mean.to(type, false, true);
    factor = running_var.to(type).add(eps).rsqrt_();
  }
  const Tensor scale = weight.defined() ? factor.mul(weight.flatten()) : factor;
  const Tensor centred = x.sub(beside(mean, x));
  const Tensor y = bias.defined()
                       ? at::addcmul(beside(bias.to(scale.scalar_type()), x), centred, beside(scale, x))
                       : centred.mul_(beside(scale, x));
  return {y.to(input.scalar_type()), mean, factor};
}

Three batch_norm(const Tensor& input, const OptionalTensor& weight, const OptionalTensor& bias,
                 const OptionalTensor& running_mean, const OptionalTensor& running_var, bool training,
                 double momentum, double eps) {
  return normalise(input, or_none(weight), or_none(bias), or_none(running_mean), or_none(running_var),
                   training, momentum, eps);
}

Three with_statistics(const Tensor& input, const OptionalTensor& weight, const OptionalTensor& bias,
                      Tensor& running_mean, Tensor& running_var, bool training, double momentum, double eps) {
  return normalise(input, or_none(weight), or_none(bias), running_mean, running_var, training, momentum, eps);
}

Three without_statistics(const Tensor& input, const OptionalTensor& weight, const OptionalTensor& bias,
                         bool training, double momentum, double eps) {
  return normalise(input, or_none(weight), or_none(bias), kNone, kNone, training, momentum, eps);
}

Three at_inference(const Tensor& input, const OptionalTensor& weight, const OptionalTensor& bias,
                   const Tensor& running_mean, const Tensor& running_var, double momentum, double eps) {
  return normalise(input, or_none(weight), or_none(bias), running_mean, running_var, false, momentum, eps);
}

using Four = std::tuple<Tensor, Tensor, Tensor, Tensor>;

// With what cuDNN would keep for the gradient, which is nothing.
Four and_nothing(Three made_so_far, const Tensor& input) {
  auto& [y, mean, factor] = made_so_far;
  return {y, mean, factor, made({0}, {}, input.options().dtype(at::kByte))};
}

Four with_update(const Tensor& input, const OptionalTensor& weight, const OptionalTensor& bias,
                 Tensor& running_mean, Tensor& running_var, double momentum, double eps) {
  return and_nothing(with_statistics(input, weight, bias, running_mean, running_var, true, momentum, eps),
                     input);
}

Four without_update(const Tensor& input, const OptionalTensor& weight, const OptionalTensor& bias,
                    const OptionalTensor& running_mean, const OptionalTensor& running_var, double momentum,
                    double eps) {
  return and_nothing(batch_norm(input, weight, bias, running_mean, running_var, false, momentum, eps), input);
}

Three batch_norm_backward(const Tensor& given, const Tensor& input, const OptionalTensor& given_weight,
                          const OptionalTensor& running_mean, const OptionalTensor& running_var,
                          const OptionalTensor& save_mean, const OptionalTensor& save_factor, bool training,
                          double eps, std::array<bool, 3> wanted) {
  const auto type = wide(input);
  const auto dims = reduced(input);
  const Tensor grad = given.to(type), x = input.to(type);
  const Tensor &weight = or_none(given_weight), &of_mean = or_none(training ? save_mean : running_mean),
               &spread = or_none(training ? save_factor : running_var);
  if (!of_mean.defined() || !spread.defined()) throw NotServed();
  const Tensor factor = training ? spread.to(type) : spread.to(type).add(eps).rsqrt_();
  const Tensor centred = x.sub(beside(of_mean.to(type), x));
  const Tensor dot = grad.mul(centred).sum(dims), sum = grad.sum(dims);
  Tensor dx, dweight, dbias;
  if (wanted[0]) {
    const Tensor scale = weight.defined() ? factor.mul(weight.flatten()) : factor;
    if (training) {
      const double share = static_cast<double>(x.size(1)) / static_cast<double>(x.numel());
      const Tensor along = dot.mul(factor).mul_(factor);
      dx = at::addcmul(grad, centred, beside(along, x), -share).sub_(beside(sum, x), share);
      dx.mul_(beside(scale, x));
    } else {
      dx = grad.mul(beside(scale, x));
    }
    dx = dx.to(input.scalar_type());
  }
  const auto of_weight = weight.defined() ? weight.scalar_type() : input.scalar_type();
  if (wanted[1]) dweight = dot.mul(factor).to(of_weight);
  if (wanted[2]) dbias = sum.to(of_weight);
  return {dx, dweight, dbias};
}

Three backward_with_nothing(const Tensor& grad, const Tensor& input, const Tensor& weight,
                            const OptionalTensor& running_mean, const OptionalTensor& running_var,
                            const OptionalTensor& save_mean, const OptionalTensor& save_factor, bool update,
                            double eps, std::array<bool, 3> wanted, const Tensor&) {
  return batch_norm_backward(grad, input, weight, running_mean, running_var, save_mean, save_factor, update,
                             eps, wanted);
}

}  // namespace

WAVESMITH_OPERATORS(aten, m) {
  plain<&batch_norm, at::_ops::native_batch_norm>(m);
  plain<&with_statistics, at::_ops::_native_batch_norm_legit>(m);
  plain<&without_statistics, at::_ops::_native_batch_norm_legit_no_stats>(m);
  plain<&at_inference, at::_ops::_native_batch_norm_legit_no_training>(m);
  plain<&with_update, at::_ops::_batch_norm_with_update>(m);
  plain<&without_update, at::_ops::_batch_norm_no_update>(m);
  plain<&batch_norm_backward, at::_ops::native_batch_norm_backward>(m);
  plain<&backward_with_nothing, at::_ops::batch_norm_backward>(m);
}

}  // namespace wavesmith::device
