// Losses of pairs of numbers, and their gradients: PyTorch's own code, but for cross entropy of two classes.
#include <cmath>

#include <ATen/core/Reduction.h>
#include <ATen/native/BinaryOps.h>
#include <ATen/native/PointwiseOps.h>

#include <ATen/ops/aminmax.h>
#include <ATen/ops/binary_cross_entropy_backward_ops.h>
#include <ATen/ops/binary_cross_entropy_ops.h>
#include <ATen/ops/huber_loss_backward_native.h>
#include <ATen/ops/huber_loss_backward_ops.h>
#include <ATen/ops/huber_loss_native.h>
#include <ATen/ops/huber_loss_ops.h>
#include <ATen/ops/mse_loss_backward_native.h>
#include <ATen/ops/mse_loss_backward_ops.h>
#include <ATen/ops/smooth_l1_loss_backward_native.h>
#include <ATen/ops/smooth_l1_loss_backward_ops.h>
#include <ATen/ops/smooth_l1_loss_native.h>
#include <ATen/ops/smooth_l1_loss_ops.h>

#include "operators/pointwise.h"
#include "operators/served.h"
#include "operators/stubs.h"

namespace wavesmith::device {
namespace {

using at::Tensor;
using at::TensorIterator;
using c10::Scalar;
using OptionalTensor = std::optional<Tensor>;

void smooth_l1(at::TensorIteratorBase& iterator, double beta) {
  launch(WAVESMITH_POINTWISE_SMOOTH_L1, iterator, {beta});
}
void huber(TensorIterator& iterator, double delta) { launch(WAVESMITH_POINTWISE_HUBER, iterator, {delta}); }
void smooth_l1_slope(TensorIterator& iterator, const Scalar& factor, double beta) {
  launch(WAVESMITH_POINTWISE_SMOOTH_L1_BACKWARD, iterator, {factor, beta});
}
void huber_slope(TensorIterator& iterator, const Scalar& factor, double delta) {
  launch(WAVESMITH_POINTWISE_HUBER_BACKWARD, iterator, {factor, delta});
}
void mean_square_slope(TensorIterator& iterator, const Scalar& factor) {
  launch(WAVESMITH_POINTWISE_SQUARED_DIFFERENCE_BACKWARD, iterator, {factor});
}

WAVESMITH_STUB(smooth_l1_stub, &smooth_l1);
WAVESMITH_STUB(huber_stub, &huber);
WAVESMITH_STUB(smooth_l1_backward_stub, &smooth_l1_slope);
WAVESMITH_STUB(huber_backward_stub, &huber_slope);
WAVESMITH_STUB(mse_backward_stub, &mean_square_slope);

// PyTorch's own fill the result with zeros first.
template <auto kInto, class... Others>
Tensor slopes(const Tensor& grad, const Tensor& self, const Tensor& target, std::int64_t reduction,
              Others... others) {
  Tensor made_here = made(self.sizes(), {}, self.options());
  return kInto(grad, self, target, reduction, others..., made_here);
}

// What is left to the host, which has PyTorch's words for what does not go together.
void check_pair(const Tensor& x, const Tensor& target, std::initializer_list<const Tensor*> others) {
  if (!c10::isFloatingType(x.scalar_type()) || x.sizes() != target.sizes()) throw NotServed();
  for (const Tensor* other : others) {
    if (other->defined() && (other->scalar_type() != x.scalar_type() || other->device() != x.device()))
      throw NotServed();
  }
}

bool is_outside(const Tensor& x) {
  const auto [least, most] = at::aminmax(x);
  return !(least.item<double>() >= 0 && most.item<double>() <= 1);
}

// The loss of what is no probability is NaN, so that only where there is one such numbers are looked for.
// What is captured is not looked at.
void check_probabilities(const Tensor& x, const Tensor& loss) {
  if (x.numel() == 0 || is_capturing(current_stream(x.device().index()))) return;
  const Tensor sum = loss.dim() == 0 ? loss : loss.sum();
  TORCH_CHECK(!std::isnan(sum.item<double>()) || !is_outside(x),
              "all elements of input should be between 0 and 1");
}

Tensor binary_cross_entropy(const Tensor& x, const Tensor& target, const OptionalTensor& given,
                            std::int64_t reduction) {
  const Tensor weight = given.value_or(Tensor());
  check_pair(x, target, {&target, &weight});
  const bool reduces = reduction != at::Reduction::None;
  const auto type = reduces && c10::isReducedFloatingType(x.scalar_type()) ? at::kFloat : x.scalar_type();
  Tensor loss = made(x.sizes(), {}, x.options().dtype(type));
  auto iterator = at::TensorIteratorConfig()
                      .check_all_same_dtype(false)
                      .resize_outputs(false)
                      .add_output(loss)
                      .add_const_input(x)
                      .add_const_input(target)
                      .build();
  launch(WAVESMITH_POINTWISE_BINARY_CROSS_ENTROPY, iterator, type);
  if (weight.defined()) loss.mul_(weight);
  if (reduces) loss = reduction == at::Reduction::Mean ? loss.mean() : loss.sum();
  check_probabilities(x, loss);
  return type == x.scalar_type() ? loss : loss.to(x.scalar_type());
}

Tensor binary_cross_entropy_slope(const Tensor& grad, const Tensor& x, const Tensor& target,
                                  const OptionalTensor& given, std::int64_t reduction) {
  const Tensor weight = given.value_or(Tensor());
  check_pair(x, target, {&target, &weight, &grad});
  Tensor slope = made(x.sizes(), {}, x.options());
  auto iterator = at::TensorIteratorConfig()
                      .resize_outputs(false)
                      .add_output(slope)
                      .add_const_input(x)
                      .add_const_input(target)
                      .add_const_input(grad)
                      .build();
  const double factor = reduction == at::Reduction::Mean ? 1 / static_cast<double>(x.numel()) : 1;
  launch(WAVESMITH_POINTWISE_BINARY_CROSS_ENTROPY_BACKWARD, iterator, {factor});
  if (weight.defined()) slope.mul_(weight);
  return slope;
}

}  // namespace

WAVESMITH_OPERATORS(aten, m) {
  using namespace at;
  structured<native::structured_smooth_l1_loss_out, _ops::smooth_l1_loss, _ops::smooth_l1_loss_out>(m);
  plain<&native::huber_loss, _ops::huber_loss>(m);
  plain<&native::huber_loss_out, _ops::huber_loss_out>(m);
  plain<&slopes<&native::smooth_l1_loss_backward_out, double>, _ops::smooth_l1_loss_backward>(m);
  plain<&native::smooth_l1_loss_backward_out, _ops::smooth_l1_loss_backward_grad_input>(m);
  plain<&slopes<&native::huber_loss_backward_out, double>, _ops::huber_loss_backward>(m);
  plain<&native::huber_loss_backward_out, _ops::huber_loss_backward_out>(m);
  plain<&slopes<&native::mse_loss_backward_out>, _ops::mse_loss_backward>(m);
  plain<&native::mse_loss_backward_out, _ops::mse_loss_backward_grad_input>(m);
  plain<&binary_cross_entropy, _ops::binary_cross_entropy>(m);
  plain<&binary_cross_entropy_slope, _ops::binary_cross_entropy_backward>(m);
}

}  // namespace wavesmith::device
