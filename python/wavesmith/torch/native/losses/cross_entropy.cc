// Cross entropy of rows of logits by one kernel forward and one back (kernels/loss): their softmax is never
// in memory. PyTorch's operator is composed of others; what this does not take is left to that.
//
// The gradient reads the logits again, where PyTorch's reads a softmax that was kept: who writes into the
// logits between the loss and its backward pass gets PyTorch's error about it.
#include <tuple>

#include <ATen/TensorSubclassLikeUtils.h>
#include <ATen/autocast_mode.h>
#include <ATen/core/Reduction.h>
#include <ATen/core/dispatch/Dispatcher.h>
#include <ATen/ops/cross_entropy_loss_native.h>
#include <ATen/ops/full_like.h>
#include <torch/csrc/autograd/custom_function.h>
#include <wavesmith_loss.h>

#include "losses/cross_entropy.h"
#include "operators/rows.h"

namespace wavesmith::device {
namespace {

using at::Tensor;
using OptionalTensor = std::optional<Tensor>;
using Two = std::tuple<Tensor, Tensor>;

constexpr const char* kName = "cross_entropy_loss";

// What of an operator's arguments a row's loss depends on.
struct Options {
  std::int64_t ignored;
  double smoothing;
};

// ---- operators of rows: operators for the sake of what watches these, as profiles do

// Rows as the kernels take them: elements side by side, and no row on another.
Tensor apart(const Tensor& logits) {
  return logits.stride(1) == 1 && logits.stride(0) >= logits.size(1) ? logits : logits.contiguous();
}

wavesmith_cross_entropy_description described(const Tensor& logits, const Tensor& target, const Tensor& logs,
                                              const Options& options) {
  return {.rows = logits.size(0),
          .classes = logits.size(1),
          .logits = rows_of(logits),
          .targets = target.const_data_ptr<std::int64_t>(),
          .ignored = options.ignored,
          .smoothing = options.smoothing,
          .losses = nullptr,
          .logs = const_cast<float*>(logs.const_data_ptr<float>())};
}

}  // namespace

Two losses_of(const Tensor& logits, const Tensor& target, std::int64_t ignored, double smoothing) {
  const KernelCall call(logits.device());
  const Tensor rows = apart(logits), classes = target.contiguous();
  const Tensor losses = at::empty({rows.size(0)}, rows.options().dtype(at::kFloat));
  const Tensor logs = at::empty_like(losses);
  auto description = described(rows, classes, logs, {ignored, smoothing});
  description.losses = losses.mutable_data_ptr<float>();
  check_kernel(wavesmith_kernels_cross_entropy(&description, call.stream()), kName);
  return {losses, logs};
}

Tensor gradient_of(const Tensor& upstream, const Tensor& logits, const Tensor& target, const Tensor& logs,
                   std::int64_t ignored, double smoothing) {
  const KernelCall call(logits.device());
  const Tensor rows = apart(logits), classes = target.contiguous();
  const Tensor along = upstream.to(at::kFloat).contiguous();
  const Tensor gradient = at::empty(rows.sizes(), rows.options());
  const wavesmith_cross_entropy_gradient_description description{
      .forward = described(rows, classes, logs, {ignored, smoothing}),
      .upstream = along.const_data_ptr<float>(),
      .upstream_stride = along.dim() == 0 ? 0 : 1,
      .factor = 1,
      .gradient = rows_of(gradient)};
  check_kernel(wavesmith_kernels_cross_entropy_gradient(&description, call.stream()), kName);
  return gradient;
}

namespace {

// Their results without data.
Two losses_like(const Tensor& logits, const Tensor&, std::int64_t, double) {
  const auto options = logits.options().dtype(at::kFloat);
  return {at::empty_symint({logits.sym_size(0)}, options), at::empty_symint({logits.sym_size(0)}, options)};
}

Tensor gradient_like(const Tensor&, const Tensor& logits, const Tensor&, const Tensor&, std::int64_t,
                     double) {
  return at::empty_symint(logits.sym_sizes(), logits.options());
}

template <class Function>
auto operator_named(const char* name) {
  return c10::Dispatcher::singleton().findSchemaOrThrow(name, "").typed<Function>();
}

Two call_losses(const Tensor& logits, const Tensor& target, const Options& options) {
  static const auto op = operator_named<decltype(losses_of)>("wavesmith::_cross_entropy");
  return op.call(logits, target, options.ignored, options.smoothing);
}

Tensor call_gradient(const Tensor& upstream, const Tensor& logits, const Tensor& target, const Tensor& logs,
                     const Options& options) {
  static const auto op = operator_named<decltype(gradient_of)>("wavesmith::_cross_entropy_backward");
  return op.call(upstream, logits, target, logs, options.ignored, options.smoothing);
}

// ---- the loss and its gradient

struct Reduced {
  Tensor loss;
  Tensor counted;  // how many targets are not ignored: of the mean alone
};

Reduced reduced(const Tensor& losses, const Tensor& target, std::int64_t reduction, std::int64_t ignored,
                c10::ScalarType type) {
  if (reduction == at::Reduction::None) return {.loss = losses.to(type)};
  if (reduction == at::Reduction::Sum) return {.loss = losses.sum().to(type)};
  const Tensor counted = target.ne(ignored).sum(at::kFloat);
  return {.loss = losses.sum().div(counted).to(type), .counted = counted};
}

// The gradient composed of operators that have one themselves.
Tensor composed_gradient(const Tensor& upstream, const Tensor& logits, const Tensor& target,
                         const Options& options) {
  const double spread = options.smoothing / static_cast<double>(logits.size(1));
  const Tensor wide = logits.to(at::kFloat), ignored = target.eq(options.ignored).unsqueeze(1);
  const Tensor expected =
      at::full_like(wide.detach(), spread)
          .scatter(1, target.unsqueeze(1).masked_fill(ignored, 0), 1 - options.smoothing + spread);
  const Tensor slopes = wide.softmax(1).sub(expected).mul(upstream.to(at::kFloat).unsqueeze(-1));
  return slopes.masked_fill(ignored, 0).to(logits.scalar_type());
}

// Whether a tensor has its elements in the device's memory, unlike those that stand for others.
bool is_plain(const Tensor& tensor) {
  return on_device(tensor) && (tensor.key_set() & at::kTensorSubclassLike).empty();
}

class CrossEntropy : public torch::autograd::Function<CrossEntropy> {
 public:
  using Context = torch::autograd::AutogradContext;
  using Tensors = torch::autograd::variable_list;

  static Tensor forward(Context* context, const Tensor& logits, const Tensor& target, std::int64_t reduction,
                        const Options& options, c10::ScalarType type) {
    const at::AutoDispatchBelowADInplaceOrView below;
    const auto [losses, logs] = call_losses(logits, target, options);
    auto [loss, counted] = reduced(losses, target, reduction, options.ignored, type);
    context->save_for_backward({logits, target, logs, counted});
    context->saved_data["ignored"] = options.ignored;
    context->saved_data["smoothing"] = options.smoothing;
    return loss;
  }

  static Tensors backward(Context* context, const Tensors& gradients) {
    const auto saved = context->get_saved_variables();
    const Tensor &logits = saved[0], &target = saved[1], &logs = saved[2], &counted = saved[3];
    const Options options{.ignored = context->saved_data["ignored"].toInt(),
                          .smoothing = context->saved_data["smoothing"].toDouble()};
    const Tensor upstream = counted.defined() ? gradients[0].div(counted) : gradients[0];
    const bool by_kernel = !at::GradMode::is_enabled() && is_plain(upstream);
    return {by_kernel ? call_gradient(upstream, logits, target, logs, options)
                      : composed_gradient(upstream, logits, target, options),
            Tensor(), Tensor(), Tensor(), Tensor()};
  }
};

bool has_classes_of(const Tensor& self, const Tensor& target) {
  if (self.dim() == 0 || target.dim() != self.dim() - 1) return false;
  auto sizes = self.sizes().vec();
  const auto classes = sizes.begin() + (self.dim() == 1 ? 0 : 1);
  if (*classes == 0 || *classes > kMostClasses) return false;
  sizes.erase(classes);
  return target.sizes() == sizes && target.numel() <= kMostRows;
}

// Whether a transform of torch.func is under way. What says so directly is in a header that takes five
// seconds to compile.
bool transforms() {
  const auto included = c10::impl::tls_local_dispatch_key_set().included_;
  return included.has_any(c10::DispatchKeySet({c10::DispatchKey::FuncTorchDynamicLayerFrontMode,
                                               c10::DispatchKey::FuncTorchDynamicLayerBackMode,
                                               c10::DispatchKey::FuncTorchVmapMode}));
}

bool takes(const Tensor& self, const Tensor& target, const OptionalTensor& weight, std::int64_t reduction,
           double smoothing) {
  if (weight.has_value() && weight->defined()) return false;
  if (!is_plain(self) || !is_plain(target) || self.device() != target.device()) return false;
  if (!is_kernel_float(self.scalar_type()) || target.scalar_type() != at::kLong) return false;
  if (reduction < at::Reduction::None || reduction > at::Reduction::Sum) return false;
  if (!(smoothing >= 0 && smoothing <= 1) || !has_classes_of(self, target)) return false;
  return !self._fw_grad(0).defined() && !transforms();
}

template <bool kDifferentiable>
Tensor cross_entropy_loss(const Tensor& self, const Tensor& target, const OptionalTensor& weight,
                          std::int64_t reduction, c10::SymInt ignored, double smoothing) {
  if (!takes(self, target, weight, reduction, smoothing))
    return at::native::cross_entropy_loss_symint(self, target, weight, reduction, std::move(ignored),
                                                 smoothing);
  const Tensor logits = self.dim() == 2   ? self
                        : self.dim() == 1 ? self.unsqueeze(0)
                                          : self.movedim(1, -1).flatten(0, -2);
  const Tensor classes = target.reshape({-1});
  const Options options{.ignored = ignored.expect_int(), .smoothing = smoothing};
  // As the logarithm of a softmax is under autocast, which what this is composed of would be.
  const auto type = at::autocast::is_autocast_enabled(kDevice) ? at::kFloat : self.scalar_type();
  Tensor loss;
  if (kDifferentiable && self.requires_grad() && at::GradMode::is_enabled()) {
    loss = CrossEntropy::apply(logits, classes, reduction, options, type);
  } else {
    const Tensor losses = std::get<0>(call_losses(logits, classes, options));
    loss = reduced(losses, classes, reduction, options.ignored, type).loss;
  }
  return reduction == at::Reduction::None && self.dim() != 2 ? loss.reshape(target.sizes()) : loss;
}

}  // namespace

TORCH_LIBRARY_FRAGMENT(wavesmith, m) {
  m.def("_cross_entropy(Tensor logits, Tensor target, int ignored, float smoothing) -> (Tensor, Tensor)");
  m.def(
      "_cross_entropy_backward(Tensor upstream, Tensor logits, Tensor target, Tensor logs, int ignored, "
      "float smoothing) -> Tensor");
}

WAVESMITH_OPERATORS(wavesmith, m) {
  m.impl("_cross_entropy", &losses_of);
  m.impl("_cross_entropy_backward", &gradient_of);
}

TORCH_LIBRARY_IMPL(wavesmith, Meta, m) {
  m.impl("_cross_entropy", &losses_like);
  m.impl("_cross_entropy_backward", &gradient_like);
}

WAVESMITH_OPERATORS(aten, m) { m.impl("cross_entropy_loss", &cross_entropy_loss<false>); }

WAVESMITH_OPERATORS_FOR(kAutogradKey, aten, m) { m.impl("cross_entropy_loss", &cross_entropy_loss<true>); }

}  // namespace wavesmith::device
