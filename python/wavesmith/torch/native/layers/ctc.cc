// The loss of connectionist temporal classification and its gradient (kernels/loss).
#include <algorithm>
#include <numeric>
#include <optional>
#include <tuple>
#include <vector>

#include <ATen/ops/_ctc_loss_backward_ops.h>
#include <ATen/ops/_ctc_loss_ops.h>
#include <wavesmith_ctc.h>

#include "operators/served.h"
#include "order/order.h"

namespace wavesmith::device {
namespace {

using at::Tensor;
using Two = std::tuple<Tensor, Tensor>;

constexpr const char *kCtc = "_ctc_loss", *kCtcBackward = "_ctc_loss_backward";

// A call's arguments as the kernels take them.
struct CtcCall {
  Tensor labels;  // those of all sequences
  std::vector<std::int64_t> begins;
  wavesmith_ctc_description description{};

  CtcCall(const Tensor& log_probs, const Tensor& targets, at::IntArrayRef steps, at::IntArrayRef lengths,
          std::int64_t blank) {
    check(log_probs, targets, steps, lengths, blank);
    const auto count = log_probs.size(1);
    labels = targets.to(log_probs.device()).contiguous();
    begins.resize(lengths.size());
    std::int64_t most = 0;
    if (targets.dim() == 2) {
      most = targets.size(1);
      for (std::int64_t i = 0; i < count; ++i) begins[i] = i * most;
    } else {
      most = *std::max_element(lengths.begin(), lengths.end());
      std::exclusive_scan(lengths.begin(), lengths.end(), begins.begin(), std::int64_t{});
    }
    auto& one = description;
    one.times = log_probs.size(0), one.sequences = count, one.classes = log_probs.size(2);
    one.states = 2 * most + 1, one.blank = blank;
    one.log_probs = operand_of(log_probs);
    one.targets.data = labels.numel() == 0 ? nullptr : labels.data_ptr();
    one.targets.type = *number_type(labels.scalar_type());
    one.targets.strides[0] = static_cast<std::int64_t>(labels.itemsize());
    one.steps = steps.data(), one.labels = lengths.data(), one.begins = begins.data();
  }

  [[nodiscard]] std::vector<std::int64_t> alphas() const {
    return {description.sequences, description.times, description.states};
  }

 private:
  // The host has PyTorch's words for what is wrong.
  static void check(const Tensor& log_probs, const Tensor& targets, at::IntArrayRef steps,
                    at::IntArrayRef lengths, std::int64_t blank) {
    const auto serve_if = [](bool condition) {
      if (!condition) throw NotServed();
    };
    const auto type = log_probs.scalar_type(), labels = targets.scalar_type();
    serve_if(log_probs.dim() == 3 && (type == at::kFloat || type == at::kDouble) && log_probs.numel() > 0);
    serve_if((labels == at::kInt || labels == at::kLong) && (targets.dim() == 1 || targets.dim() == 2));
    serve_if(blank >= 0 && blank < log_probs.size(2));
    const auto count = static_cast<std::size_t>(log_probs.size(1));
    serve_if(steps.size() == count && lengths.size() == count);
    for (const auto one : steps) serve_if(one >= 0 && one <= log_probs.size(0));
    const auto most = targets.dim() == 2 ? targets.size(1) : targets.numel();
    for (const auto one : lengths) serve_if(one >= 0 && one <= most);
    serve_if(targets.dim() == 2 ? targets.size(0) == log_probs.size(1)
                                : std::accumulate(lengths.begin(), lengths.end(), std::int64_t{}) == most);
  }
};

Two ctc_losses(const Tensor& log_probs, const Tensor& targets, at::IntArrayRef steps, at::IntArrayRef lengths,
               std::int64_t blank) {
  const KernelCall on(log_probs.device());
  CtcCall call(log_probs, targets, steps, lengths, blank);
  const Tensor losses = made({log_probs.size(1)}, {}, log_probs.options());
  const Tensor alphas = made(call.alphas(), {}, log_probs.options());
  call.description.losses = losses.data_ptr(), call.description.alphas = alphas.data_ptr();
  serve(wavesmith_kernels_ctc(&call.description, on.stream()), kCtc);
  return {losses, alphas};
}

// What a gradient is made of beside the sequences.
struct CtcGiven {
  const Tensor &upstream, &losses, &alphas;
  bool zero_infinity;
};

Tensor ctc_gradient(const CtcGiven& given, const Tensor& log_probs, const Tensor& targets,
                    at::IntArrayRef steps, at::IntArrayRef lengths, std::int64_t blank) {
  const KernelCall on(log_probs.device());
  CtcCall call(log_probs, targets, steps, lengths, blank);
  const Tensor losses = given.losses.contiguous(), alphas = given.alphas.contiguous();
  const std::int64_t count[] = {log_probs.size(1)};
  for (const Tensor& one : {given.upstream, losses, alphas})
    if (one.scalar_type() != log_probs.scalar_type() || one.device() != log_probs.device()) throw NotServed();
  if (given.upstream.sizes() != count || losses.sizes() != count || alphas.sizes() != call.alphas())
    throw NotServed();
  const Tensor gradient = made(log_probs.sizes(), {}, log_probs.options());
  call.description.losses = losses.data_ptr(), call.description.alphas = alphas.data_ptr();
  const auto betas = workspace(alphas.nbytes());
  const wavesmith_ctc_gradient_description back{.forward = call.description,
                                                .upstream = operand_of(given.upstream),
                                                .gradient = operand_of(gradient),
                                                .zero_infinity = given.zero_infinity,
                                                .betas = betas.get()};
  serve(wavesmith_kernels_ctc_gradient(&back, on.stream()), kCtcBackward);
  return gradient;
}

// Lengths on the host.
Tensor ctc_lengths(const Tensor& lengths) { return lengths.to(c10::kCPU, at::kLong).contiguous(); }
at::IntArrayRef ctc_numbers(const Tensor& lengths) {
  return {lengths.const_data_ptr<std::int64_t>(), static_cast<std::size_t>(lengths.numel())};
}

Two ctc_loss(const Tensor& log_probs, const Tensor& targets, at::IntArrayRef steps, at::IntArrayRef lengths,
             std::int64_t blank, bool zero_infinity) {
  try {
    return ctc_losses(log_probs, targets, steps, lengths, blank);
  } catch (const NotServed&) {
    return fall_back<at::_ops::_ctc_loss>(log_probs, targets, steps, lengths, blank, zero_infinity);
  }
}

Two ctc_loss_of_tensors(const Tensor& log_probs, const Tensor& targets, const Tensor& steps,
                        const Tensor& lengths, std::int64_t blank, bool zero_infinity) {
  try {
    const Tensor of_steps = ctc_lengths(steps), of_labels = ctc_lengths(lengths);
    return ctc_losses(log_probs, targets, ctc_numbers(of_steps), ctc_numbers(of_labels), blank);
  } catch (const NotServed&) {
    return fall_back<at::_ops::_ctc_loss_Tensor>(log_probs, targets, steps, lengths, blank, zero_infinity);
  }
}

Tensor ctc_loss_backward(const Tensor& upstream, const Tensor& log_probs, const Tensor& targets,
                         at::IntArrayRef steps, at::IntArrayRef lengths, const Tensor& losses,
                         const Tensor& alphas, std::int64_t blank, bool zero_infinity) {
  try {
    const CtcGiven given{upstream, losses, alphas, zero_infinity};
    return ctc_gradient(given, log_probs, targets, steps, lengths, blank);
  } catch (const NotServed&) {
    return fall_back<at::_ops::_ctc_loss_backward>(upstream, log_probs, targets, steps, lengths, losses,
                                                   alphas, blank, zero_infinity);
  }
}

Tensor ctc_loss_backward_of_tensors(const Tensor& upstream, const Tensor& log_probs, const Tensor& targets,
                                    const Tensor& steps, const Tensor& lengths, const Tensor& losses,
                                    const Tensor& alphas, std::int64_t blank, bool zero_infinity) {
  try {
    const Tensor of_steps = ctc_lengths(steps), of_labels = ctc_lengths(lengths);
    const CtcGiven given{upstream, losses, alphas, zero_infinity};
    return ctc_gradient(given, log_probs, targets, ctc_numbers(of_steps), ctc_numbers(of_labels), blank);
  } catch (const NotServed&) {
    return fall_back<at::_ops::_ctc_loss_backward_Tensor>(upstream, log_probs, targets, steps, lengths,
                                                          losses, alphas, blank, zero_infinity);
  }
}

// Asked where the device is called "cuda".
bool uses_a_library(const Tensor&, const Tensor&, at::IntArrayRef, at::IntArrayRef, std::int64_t) {
  return false;
}
bool uses_a_library_of_tensors(const Tensor&, const Tensor&, const Tensor&, const Tensor&, std::int64_t) {
  return false;
}

}  // namespace

WAVESMITH_OPERATORS(aten, m) {
  m.impl("_ctc_loss", &ctc_loss);
  m.impl("_ctc_loss.Tensor", &ctc_loss_of_tensors);
  m.impl("_ctc_loss_backward", &ctc_loss_backward);
  m.impl("_ctc_loss_backward.Tensor", &ctc_loss_backward_of_tensors);
  m.impl("_use_cudnn_ctc_loss", &uses_a_library);
  m.impl("_use_cudnn_ctc_loss.Tensor", &uses_a_library_of_tensors);
  m.impl("_use_miopen_ctc_loss", &uses_a_library);
  m.impl("_use_miopen_ctc_loss.Tensor", &uses_a_library_of_tensors);
}

}  // namespace wavesmith::device
