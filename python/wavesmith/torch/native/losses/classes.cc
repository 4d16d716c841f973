// Losses of classes, by gathering and scattering.
#include <ATen/core/Reduction.h>

#include <ATen/ops/nll_loss_backward_meta.h>
#include <ATen/ops/nll_loss_backward_ops.h>
#include <ATen/ops/nll_loss_forward_meta.h>
#include <ATen/ops/nll_loss_forward_ops.h>

#include "operators/served.h"

namespace wavesmith::device {
namespace {

// The classes that count, as a column, and their weights: those that are ignored have the class 0 and the
// weight 0.
struct Targets {
  at::Tensor classes, weights, ignored;

  Targets(const at::Tensor& self, const at::Tensor& target, const at::Tensor& weight, std::int64_t ignore)
      : ignored(target.eq(ignore)) {
    const auto counted = target.masked_fill(ignored, 0).to(c10::ScalarType::Long);  // may be bytes
    classes = counted.unsqueeze(-1);
    weights = weight.defined()
                  ? weight.index_select(0, counted.view({-1})).view(counted.sizes()).masked_fill(ignored, 0)
                  : ignored.logical_not().to(self.scalar_type());
  }
};

bool serves(const at::Tensor& self) { return c10::isFloatingType(self.scalar_type()); }

// A row of classes alone is a matrix with one.
at::Tensor as_rows(const at::Tensor& self) { return self.dim() == 1 ? self.unsqueeze(0) : self; }

std::tuple<at::Tensor&, at::Tensor&> nll_loss_out(const at::Tensor& self, const at::Tensor& target,
                                                  const std::optional<at::Tensor>& weight,
                                                  std::int64_t reduction, c10::SymInt ignored,
                                                  at::Tensor& output, at::Tensor& total) {
  const auto ignore = ignored.expect_int();
  Implemented<at::meta::structured_nll_loss_forward> one(false, output, total);
  one.meta(self, target, detail::borrowed(weight), reduction, ignore);
  if (!serves(self)) throw NotServed();
  const auto rows = as_rows(self);
  const Targets targets(rows, target.reshape({-1}), weight.value_or(at::Tensor()), ignore);
  const auto losses = rows.gather(-1, targets.classes).squeeze(-1).neg().mul(targets.weights);
  const auto counted = losses.masked_fill(targets.ignored, 0);
  if (reduction == at::Reduction::None) {
    output.copy_(counted.view(output.sizes()));
    total.zero_();
    return {output, total};
  }
  total.copy_(targets.weights.sum());
  output.copy_(counted.sum());
  if (reduction == at::Reduction::Mean) output.div_(total);
  return {output, total};
}

at::Tensor& nll_loss_backward_out(const at::Tensor& gradient, const at::Tensor& self,
                                  const at::Tensor& target, const std::optional<at::Tensor>& weight,
                                  std::int64_t reduction, c10::SymInt ignored, const at::Tensor& total,
                                  at::Tensor& output) {
  const auto ignore = ignored.expect_int();
  Implemented<at::meta::structured_nll_loss_backward> one(false, output);
  one.meta(gradient, self, target, detail::borrowed(weight), reduction, ignore, total);
  if (!serves(self)) throw NotServed();
  const Targets targets(self, target.reshape({-1}), weight.value_or(at::Tensor()), ignore);
  auto slopes = targets.weights.mul(gradient).neg();
  if (reduction == at::Reduction::Mean) slopes = slopes.div(total);
  output.zero_();
  as_rows(output).scatter_(-1, targets.classes, slopes.masked_fill(targets.ignored, 0).unsqueeze(-1));
  return output;
}

}  // namespace

WAVESMITH_OPERATORS(aten, m) {
  plain<&nll_loss_out, at::_ops::nll_loss_forward_output>(m);
  plain<&nll_loss_backward_out, at::_ops::nll_loss_backward_grad_input>(m);
}

}  // namespace wavesmith::device
