// Losses with margins between classes, and their gradients (`wavesmith_loss.h`).
#include <ATen/core/Reduction.h>

#include <ATen/ops/multi_margin_loss_backward_ops.h>
#include <ATen/ops/multi_margin_loss_ops.h>
#include <ATen/ops/multilabel_margin_loss_backward_ops.h>
#include <ATen/ops/multilabel_margin_loss_forward_ops.h>
#include <ATen/ops/sum.h>
#include <wavesmith_loss.h>

#include "operators/kernels.h"
#include "operators/pointwise.h"
#include "operators/served.h"

namespace wavesmith::device {
namespace {

using at::Tensor;
using OptionalTensor = std::optional<Tensor>;

// A row of numbers alone is a matrix with one. What does not go together the host has PyTorch's words for.
class Margins {
 public:
  Margins(const Tensor& x, const Tensor& target, std::int64_t reduction)
      : x_(x.contiguous()), targets_(target.contiguous()), reduction_(reduction) {
    classes_ = x.dim() == 0 ? 1 : x.size(-1), rows_ = x.dim() == 2 ? x.size(0) : 1;
    const bool has_types =
        c10::isFloatingType(x.scalar_type()) && target.scalar_type() == c10::ScalarType::Long;
    if (x.dim() > 2 || classes_ == 0 || !has_types || target.device() != x.device()) throw NotServed();
    const bool averages = reduction == at::Reduction::Mean && rows_ > 0;
    one_.rows = rows_, one_.classes = classes_, one_.type = *number_type(x.scalar_type());
    one_.x = x_.const_data_ptr(), one_.targets = targets_.const_data_ptr<std::int64_t>();
    one_.power = 1, one_.margin = 1;
    one_.factor = 1 / static_cast<double>(averages ? rows_ * classes_ : classes_);
  }

  void of_one(const c10::Scalar& power, const c10::Scalar& margin, const OptionalTensor& weight) {
    const double p = power.toDouble();
    if (targets_.dim() > 1 || targets_.numel() != rows_ || (p != 1 && p != 2)) throw NotServed();
    one_.power = static_cast<int>(p), one_.margin = margin.toDouble();
    if (!weight.has_value() || !weight->defined()) return;
    if (weight->scalar_type() != x_.scalar_type() || weight->device() != x_.device() || weight->dim() != 1 ||
        weight->size(0) != classes_)
      throw NotServed();
    weights_ = weight->contiguous();
    one_.weights = weights_.const_data_ptr();
  }
  void of_several(const Tensor& is_target) {
    if (targets_.sizes() != x_.sizes()) throw NotServed();
    one_.several = 1;
    one_.is_target = is_target.data_ptr();
  }

  // The rows' losses, with these sizes, or their sum.
  Tensor loss(c10::IntArrayRef sizes) {
    const auto type =
        x_.scalar_type() == c10::ScalarType::Double ? c10::ScalarType::Double : c10::ScalarType::Float;
    const Tensor losses = made({rows_, classes_}, {}, x_.options().dtype(type));
    one_.losses = losses.data_ptr();
    serve(wavesmith_kernels_margin(&one_, stream()), "margins");
    const Tensor sum = reduction_ == at::Reduction::None ? losses.sum(1).view(sizes) : losses.sum();
    return sum.to(x_.scalar_type());
  }
  Tensor gradient(const Tensor& upstream) {
    const bool each = reduction_ == at::Reduction::None;
    if (upstream.scalar_type() != x_.scalar_type() || upstream.device() != x_.device() ||
        upstream.numel() != (each ? rows_ : 1))
      throw NotServed();
    const Tensor given = upstream.contiguous(), result = made(x_.sizes(), {}, x_.options());
    wavesmith_margin_gradient_description back{};
    back.forward = one_, back.gradient = result.data_ptr();
    back.upstream = given.const_data_ptr(), back.upstream_stride = each;
    serve(wavesmith_kernels_margin_gradient(&back, stream()), "gradients of margins");
    return result;
  }

 private:
  [[nodiscard]] void* stream() const { return native(current_stream(x_.device().index())); }

  Tensor x_, targets_, weights_;
  std::int64_t reduction_, rows_, classes_;
  wavesmith_margin_description one_{};
};

Tensor multi_margin(const Tensor& x, const Tensor& target, const c10::Scalar& p, const c10::Scalar& margin,
                    const OptionalTensor& weight, std::int64_t reduction) {
  Margins margins(x, target, reduction);
  margins.of_one(p, margin, weight);
  return margins.loss(target.sizes());
}
Tensor multi_margin_slope(const Tensor& grad, const Tensor& x, const Tensor& target, const c10::Scalar& p,
                          const c10::Scalar& margin, const OptionalTensor& weight, std::int64_t reduction) {
  Margins margins(x, target, reduction);
  margins.of_one(p, margin, weight);
  return margins.gradient(grad);
}

std::tuple<Tensor, Tensor> multilabel_margin(const Tensor& x, const Tensor& target, std::int64_t reduction) {
  Margins margins(x, target, reduction);
  const Tensor is_target = made(target.sizes(), {}, x.options());
  margins.of_several(is_target);
  return {margins.loss(x.dim() == 2 ? x.sizes().slice(0, 1) : c10::IntArrayRef()), is_target};
}
Tensor multilabel_margin_slope(const Tensor& grad, const Tensor& x, const Tensor& target,
                               std::int64_t reduction, const Tensor& given) {
  Margins margins(x, target, reduction);
  if (given.sizes() != x.sizes() || given.scalar_type() != x.scalar_type() || given.device() != x.device())
    throw NotServed();
  const Tensor is_target = given.contiguous();
  margins.of_several(is_target);
  return margins.gradient(grad);
}

}  // namespace

WAVESMITH_OPERATORS(aten, m) {
  plain<&multi_margin, at::_ops::multi_margin_loss>(m);
  plain<&multi_margin_slope, at::_ops::multi_margin_loss_backward>(m);
  plain<&multilabel_margin, at::_ops::multilabel_margin_loss_forward>(m);
  plain<&multilabel_margin_slope, at::_ops::multilabel_margin_loss_backward>(m);
}

}  // namespace wavesmith::device
