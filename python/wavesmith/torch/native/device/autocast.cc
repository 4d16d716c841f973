// torch.autocast for the device, by PyTorch's own lists of operators: which compute in the lower precision
// that was chosen, which in f32. One kernel for each rule takes any operator's arguments as they are on the
// stack. As "cuda" the device has PyTorch's own rules for it.
#include <algorithm>

#include <ATen/autocast_mode.h>
#include <torch/library.h>

#include "device/device_type.h"

namespace wavesmith::device {
namespace {

using at::autocast::cached_cast;
using c10::OperatorHandle;
using torch::jit::Stack;

bool is_eligible(const at::Tensor& tensor) {
  return tensor.defined() && at::autocast::is_eligible(tensor, kDevice);
}

template <typename Visitor>
void each_tensor(const OperatorHandle& op, Stack& stack, Visitor visit) {
  const auto count = op.schema().arguments().size();
  for (auto value = stack.end() - static_cast<std::ptrdiff_t>(count); value != stack.end(); ++value) {
    if (value->isTensor()) {
      *value = visit(value->toTensor());
    } else if (value->isTensorList()) {
      auto list = value->toTensorList().copy();
      for (std::size_t i = 0; i < list.size(); ++i) list[i] = visit(list.get(i));
      *value = list;
    } else if (value->isOptionalTensorList()) {
      auto list = value->toOptionalTensorList().copy();
      for (std::size_t i = 0; i < list.size(); ++i)
        if (auto tensor = list.get(i)) list[i] = visit(*tensor);
      *value = list;
    }
  }
}

void call(const OperatorHandle& op, Stack& stack, std::optional<c10::ScalarType> type) {
  const c10::impl::ExcludeDispatchKeyGuard off(c10::DispatchKey::AutocastPrivateUse1);
  if (type.has_value()) {
    each_tensor(op, stack, [&](const at::Tensor& tensor) { return cached_cast(*type, tensor, kDevice); });
  }
  op.callBoxed(stack);
}

void lower(const OperatorHandle& op, c10::DispatchKeySet, Stack* stack) {
  call(op, *stack, at::autocast::get_lower_precision_fp_from_device_type(kDevice));
}

void in_f32(const OperatorHandle& op, c10::DispatchKeySet, Stack* stack) { call(op, *stack, at::kFloat); }

// Operators with a dtype to compute in: f32 where the caller chose none.
void with_dtype(const OperatorHandle& op, c10::DispatchKeySet, Stack* stack) {
  const auto& arguments = op.schema().arguments();
  auto* first = &*(stack->end() - static_cast<std::ptrdiff_t>(arguments.size()));
  if (first->isTensor() && is_eligible(first->toTensor())) {
    for (std::size_t i = 0; i < arguments.size(); ++i)
      if (arguments[i].name() == "dtype" && first[i].isNone())
        first[i] = static_cast<std::int64_t>(at::kFloat);
  }
  call(op, *stack, {});
}

// Operators of several tensors that must be of one type: the widest among them.
void promote(const OperatorHandle& op, c10::DispatchKeySet, Stack* stack) {
  auto type = at::autocast::get_lower_precision_fp_from_device_type(kDevice);
  each_tensor(op, *stack, [&](const at::Tensor& tensor) {
    if (tensor.defined()) type = at::autocast::prioritize(type, tensor, kDevice);
    return tensor;
  });
  call(op, *stack, type);
}

void refuse(const OperatorHandle& op, c10::DispatchKeySet, Stack*) {
  TORCH_CHECK(false, op.operator_name().name,
              " cannot be computed safely in the lower precision of torch.autocast: call "
              "binary_cross_entropy_with_logits on what comes before the sigmoid, or compute it in f32 under "
              "torch.autocast(..., enabled=False)");
}

template <c10::KernelFunction::BoxedKernelFunction_withDispatchKeys* rule>
torch::CppFunction by() {
  return torch::CppFunction::makeFromBoxedFunction<rule>();
}

// "mm", or "pow.Tensor_Scalar".
std::string name_of(const char* name, const char* overload = "") {
  return *overload == 0 ? name : std::string(name) + "." + overload;
}

}  // namespace

TORCH_LIBRARY_IMPL(_, AutocastPrivateUse1, m) { m.fallback(torch::CppFunction::makeFallthrough()); }

TORCH_LIBRARY_IMPL(aten, AutocastPrivateUse1, m) {
#define NAME(...) WAVESMITH_PICK(__VA_ARGS__, NAME_OVERLOAD, NAME_ALONE)(__VA_ARGS__)
#define WAVESMITH_PICK(a, b, chosen, ...) chosen
#define NAME_ALONE(name) name_of(#name).c_str()
#define NAME_OVERLOAD(name, overload) name_of(#name, #overload).c_str()
#define LOWER(...) m.impl(NAME(__VA_ARGS__), by<&lower>());
#define IN_F32(...) m.impl(NAME(__VA_ARGS__), by<&in_f32>());
#define WITH_DTYPE(...) m.impl(NAME(__VA_ARGS__), by<&with_dtype>());
#define PROMOTE(...) m.impl(NAME(__VA_ARGS__), by<&promote>());
  AT_FORALL_LOWER_PRECISION_FP(LOWER)
  AT_FORALL_FP32(IN_F32)
  AT_FORALL_FP32_SET_OPT_DTYPE(WITH_DTYPE)
  AT_FORALL_PROMOTE(PROMOTE)
  m.impl("stack", by<&promote>());
  m.impl("cat", by<&promote>());
  m.impl("norm.Scalar", by<&in_f32>());
  m.impl("norm.ScalarOpt_dim", by<&in_f32>());
  m.impl("binary_cross_entropy", by<&refuse>());
}

}  // namespace wavesmith::device
