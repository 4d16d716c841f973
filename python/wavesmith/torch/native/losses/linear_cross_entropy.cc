// Cross entropy of a linear layer's results, of some rows at once, so that not all logits are in memory:
// operators that PyTorch composes in Python of thirty others for each part of the rows. In F32; others are
// left to that.
#include <algorithm>
#include <string>
#include <vector>

#include <ATen/core/Tensor.h>
#include <ATen/core/dispatch/Dispatcher.h>

#include <ATen/ops/cat.h>
#include <ATen/ops/dot.h>
#include <ATen/ops/ones.h>

#include "losses/cross_entropy.h"
#include "operators/multiply.h"
#include "operators/served.h"

namespace wavesmith::device {
namespace {

using at::Tensor;
using c10::IValue;

constexpr const char* kLinear = "linear_cross_entropy";

// How many logits there may be at once, whatever is asked for.
constexpr std::int64_t kLogitsAtOnce = 1 << 22;

struct Layer {
  Tensor input, weight, target, bias;
  Tensor class_weights;  // may be undefined, as the bias
  std::int64_t ignored, rows_at_once;

  [[nodiscard]] std::int64_t rows() const { return input.size(0); }
};

bool is_there(const Tensor& tensor, std::int64_t dimensions, c10::ScalarType type, const Tensor& like) {
  return on_device(tensor) && tensor.device() == like.device() && tensor.dim() == dimensions &&
         tensor.scalar_type() == type;
}

bool is_served(const Layer& layer) {
  const auto& [input, weight, target, bias, class_weights, ignored, rows_at_once] = layer;
  if (!is_there(input, 2, at::kFloat, input) || !is_there(weight, 2, at::kFloat, input) ||
      !is_there(target, 1, at::kLong, input))
    return false;
  const auto classes = weight.size(0);
  const auto is_of_classes = [&](const Tensor& tensor) {
    return !tensor.defined() || (is_there(tensor, 1, at::kFloat, input) && tensor.size(0) == classes);
  };
  return is_of_classes(bias) && is_of_classes(class_weights) && input.size(0) == target.size(0) &&
         input.size(1) == weight.size(1) && input.size(1) > 0 && classes > 0 && classes <= kMostClasses &&
         layer.rows() > 0 && layer.rows() <= kMostRows && rows_at_once > 0;
}

// An optional tensor of a boxed call.
Tensor tensor_of(const IValue& value) { return value.isNone() ? Tensor() : value.toTensor(); }

void multiply_or_leave(const Product& product) {
  if (!multiply(product, kLinear)) throw NotServed();
}

// A weight for each row, 0 where the target is ignored; undefined where all others are 1.
Tensor weights_of_rows(const Layer& layer) {
  if (!layer.class_weights.defined()) return {};
  const Tensor ignored = layer.target.eq(layer.ignored);
  return layer.class_weights.index_select(0, layer.target.masked_fill(ignored, 0)).masked_fill_(ignored, 0);
}

// Calls with the rows' number and size, the logits, their targets, and what the kernel says of them.
template <class Visit>
void each_part(const Layer& layer, Visit visit) {
  const auto classes = layer.weight.size(0);
  const auto most = std::max(layer.rows_at_once, kLogitsAtOnce / classes);
  const Tensor bias = layer.bias.defined() ? layer.bias.contiguous() : layer.bias;
  for (std::int64_t begin = 0; begin < layer.rows(); begin += most) {
    const auto count = std::min(most, layer.rows() - begin);
    const auto part = [&](const Tensor& all) {
      return count == layer.rows() ? all : all.narrow(0, begin, count);
    };
    const Tensor input = part(layer.input), target = part(layer.target);
    const Tensor logits = made({count, classes}, {}, input.options());
    multiply_or_leave({.a = input, .b = layer.weight.t(), .d = logits, .bias = bias});
    const auto [losses, logs] = losses_of(logits, target, layer.ignored, 0);
    visit(part, input, target, logits, losses, logs);
  }
}

Tensor joined(const std::vector<Tensor>& parts) { return parts.size() == 1 ? parts[0] : at::cat(parts); }

struct Wanted {
  bool input, weight, bias;
};
struct Results {
  Tensor loss, input, weight, bias;
};

// The sum or the mean of the losses, and its gradients.
Results reduced(const Layer& layer, bool is_mean, Wanted wanted) {
  const auto options = layer.input.options();
  const Tensor of_rows = weights_of_rows(layer);
  const Tensor total = !is_mean            ? Tensor()
                       : of_rows.defined() ? of_rows.sum()
                                           : layer.target.ne(layer.ignored).sum(at::kFloat);
  const bool any = wanted.input || wanted.weight || wanted.bias;
  const Tensor upstream = !any                 ? Tensor()
                          : !of_rows.defined() ? (is_mean ? total.reciprocal() : at::ones({}, options))
                          : is_mean            ? of_rows.div(total)
                                               : of_rows;
  const auto empty = [&](const Tensor& like, bool is_wanted) {
    return is_wanted ? made(like.sizes(), {}, options)
                     : made(std::vector<std::int64_t>(static_cast<std::size_t>(like.dim())), {}, options);
  };
  Results made_of{{},
                  empty(layer.input, wanted.input),
                  empty(layer.weight, wanted.weight),
                  wanted.bias ? Tensor() : made({0}, {}, options)};
  std::vector<Tensor> all_losses;
  each_part(layer, [&](const auto& part, const Tensor& input, const Tensor& target, const Tensor& logits,
                       const Tensor& losses, const Tensor& logs) {
    const bool is_first = all_losses.empty();
    all_losses.push_back(losses);
    if (!any) return;
    const Tensor slopes =
        gradient_of(upstream.dim() == 0 ? upstream : part(upstream), logits, target, logs, layer.ignored, 0);
    if (wanted.input) multiply_or_leave({.a = slopes, .b = layer.weight, .d = part(made_of.input)});
    if (wanted.weight) {
      Product product{.a = slopes.t(), .b = input, .d = made_of.weight};
      if (!is_first) product.c = made_of.weight, product.beta = 1;
      multiply_or_leave(product);
    }
    if (!wanted.bias) return;
    if (is_first)
      made_of.bias = slopes.sum(0);
    else
      made_of.bias.add_(slopes.sum(0));
  });
  const Tensor losses = joined(all_losses);
  const Tensor sum = of_rows.defined() ? at::dot(losses, of_rows) : losses.sum();
  made_of.loss = is_mean ? sum.div_(total) : sum;
  return made_of;
}

Tensor of_each_row(const Layer& layer) {
  std::vector<Tensor> all_losses;
  each_part(layer, [&](const auto&, const Tensor&, const Tensor&, const Tensor&, const Tensor& losses,
                       const Tensor&) { all_losses.push_back(losses); });
  const Tensor losses = joined(all_losses), of_rows = weights_of_rows(layer);
  return of_rows.defined() ? losses.mul(of_rows) : losses;
}

// Calls are boxed, whose arguments another PyTorch may have changed: then they are left to it.
using Stack = torch::jit::Stack;

template <std::size_t kArguments, class Call>
void served(const c10::OperatorHandle& op, Stack* stack, Call call) {
  if (op.schema().arguments().size() == kArguments) {
    try {
      if (call(torch::jit::last(*stack, kArguments))) return;
    } catch (const NotServed&) {
    }
  }
  op.redispatchBoxed(kFallback, stack);
}

Layer layer_of(c10::ArrayRef<IValue> given, const IValue& ignored, const IValue& rows_at_once) {
  return {given[0].toTensor(), given[1].toTensor(), given[2].toTensor(), tensor_of(given[3]),
          tensor_of(given[4]), ignored.toInt(),     rows_at_once.toInt()};
}

bool is_float(const IValue& type) { return type.toScalarType() == at::kFloat; }

void with_gradients(const c10::OperatorHandle& op, c10::DispatchKeySet, Stack* stack) {
  served<15>(op, stack, [&](c10::ArrayRef<IValue> given) {
    const Layer layer = layer_of(given, given[6], given[8]);
    const Wanted wanted{given[12].toBool(), given[13].toBool(), given[14].toBool()};
    const std::string reduction = given[5].toStringRef();
    const auto is_left_out = [](const Tensor& tensor, bool is_wanted) {
      return at::GradMode::is_enabled() && tensor.defined() && tensor.requires_grad() && !is_wanted;
    };
    if (!is_served(layer) || given[7].toDouble() != 0 || !is_float(given[10]) ||
        (reduction != "mean" && reduction != "sum") || is_left_out(layer.input, wanted.input) ||
        is_left_out(layer.weight, wanted.weight) || is_left_out(layer.bias, wanted.bias))
      return false;
    const OnDevice on(layer.input.device().index());
    auto results = reduced(layer, reduction == "mean", wanted);
    torch::jit::drop(*stack, 15);
    torch::jit::push(*stack, std::move(results.loss), std::move(results.input), std::move(results.weight),
                     std::move(results.bias));
    return true;
  });
}

void without_reduction(const c10::OperatorHandle& op, c10::DispatchKeySet, Stack* stack) {
  served<9>(op, stack, [&](c10::ArrayRef<IValue> given) {
    const Layer layer = layer_of(given, given[5], given[6]);
    if (!is_served(layer) || !is_float(given[8])) return false;
    const OnDevice on(layer.input.device().index());
    Tensor losses = of_each_row(layer);
    torch::jit::drop(*stack, 9);
    torch::jit::push(*stack, std::move(losses));
    return true;
  });
}

}  // namespace

WAVESMITH_OPERATORS(torch_nn, m) {
  m.impl("_linear_cross_entropy_batch_chunked", torch::CppFunction::makeFromBoxedFunction<&with_gradients>());
  m.impl("_linear_cross_entropy_batch_chunked_no_reduction",
         torch::CppFunction::makeFromBoxedFunction<&without_reduction>());
}

}  // namespace wavesmith::device
