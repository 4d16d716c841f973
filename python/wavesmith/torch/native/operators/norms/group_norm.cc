// GroupNorm, each group of which is a row of a LayerNorm, and its gradients.
#include <ATen/core/Tensor.h>

#include <ATen/ops/native_group_norm_backward_ops.h>
#include <ATen/ops/native_group_norm_ops.h>
#include <ATen/ops/native_layer_norm.h>
#include <ATen/ops/native_layer_norm_backward.h>
#include <ATen/ops/zeros.h>

#include "operators/norms/statistics.h"
#include "operators/served.h"

namespace wavesmith::device {
namespace {

using at::Tensor;
using OptionalTensor = std::optional<Tensor>;
using Three = std::tuple<Tensor, Tensor, Tensor>;

bool has(const OptionalTensor& tensor) { return tensor.has_value() && tensor->defined(); }

Tensor along_channels(const Tensor& vector, c10::ScalarType type) { return vector.to(type).view({-1, 1}); }

Three group_norm(const Tensor& x, const OptionalTensor& weight, const OptionalTensor& bias, c10::SymInt batch,
                 c10::SymInt channels, c10::SymInt inner, std::int64_t groups, double eps) {
  const auto n = batch.expect_int(), c = channels.expect_int(), each = inner.expect_int();
  if (n * c * each == 0) {
    const Tensor none = at::zeros({n, groups}, x.options());
    return {made(x.sizes(), {}, x.options()), none, none.clone()};
  }
  const auto type = wide(x);
  const auto length = c / groups * each;
  auto [y, mean, factor] =
      at::native_layer_norm(x.to(type).contiguous().view({n * groups, length}), {length}, {}, {}, eps);
  y = y.view({n, c, each});
  if (has(weight)) y.mul_(along_channels(*weight, type));
  if (has(bias)) y.add_(along_channels(*bias, type));
  const auto statistics = has(weight) ? weight->scalar_type() : x.scalar_type();
  return {y.view(x.sizes()).to(x.scalar_type()), mean.view({n, groups}).to(statistics),
          factor.view({n, groups}).to(statistics)};
}

Three group_norm_backward(const Tensor& given, const Tensor& input, const Tensor& mean, const Tensor& factor,
                          const OptionalTensor& weight, c10::SymInt batch, c10::SymInt channels,
                          c10::SymInt inner, std::int64_t groups, std::array<bool, 3> wanted) {
  const auto n = batch.expect_int(), c = channels.expect_int(), each = inner.expect_int();
  if (n * c * each == 0 || !c10::isFloatingType(input.scalar_type())) throw NotServed();
  const auto type = wide(input);
  const auto length = c / groups * each;
  const Tensor grad = given.to(type).contiguous().view({n, c, each}),
               x = input.to(type).contiguous().view({n * groups, length}),
               means = mean.to(type).reshape({-1, 1}), factors = factor.to(type).reshape({-1, 1});
  Tensor dx, dweight, dbias;
  if (wanted[0]) {
    const Tensor upstream = has(weight) ? grad.mul(along_channels(*weight, type)) : grad;
    dx = std::get<0>(at::native_layer_norm_backward(upstream.view({n * groups, length}), x, {length}, means,
                                                    factors, {}, {}, {true, false, false}));
    dx = dx.view(input.sizes()).to(input.scalar_type());
  }
  const auto of_weight = has(weight) ? weight->scalar_type() : input.scalar_type();
  constexpr std::array<std::int64_t, 2> kAllButChannels{0, 2};
  if (wanted[1]) {
    const Tensor normal = x.sub(means).mul_(factors).view({n, c, each});
    dweight = normal.mul_(grad).sum(kAllButChannels).to(of_weight);
  }
  if (wanted[2]) dbias = grad.sum(kAllButChannels).to(of_weight);
  return {dx, dweight, dbias};
}

}  // namespace

WAVESMITH_OPERATORS(aten, m) {
  plain<&group_norm, at::_ops::native_group_norm>(m);
  plain<&group_norm_backward, at::_ops::native_group_norm_backward>(m);
}

}  // namespace wavesmith::device
