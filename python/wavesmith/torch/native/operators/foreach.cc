// Functions of lists of tensors (`torch._foreach_*`): one launch for dozens of them. What these do not serve,
// PyTorch's own code computes tensor by tensor.
#include <array>
#include <optional>
#include <vector>

#include <ATen/native/ForeachUtils.h>
#include <ATen/ops/_foreach_abs_ops.h>
#include <ATen/ops/_foreach_add_ops.h>
#include <ATen/ops/_foreach_addcdiv_ops.h>
#include <ATen/ops/_foreach_addcmul_ops.h>
#include <ATen/ops/_foreach_ceil_ops.h>
#include <ATen/ops/_foreach_clamp_max_ops.h>
#include <ATen/ops/_foreach_clamp_min_ops.h>
#include <ATen/ops/_foreach_copy_ops.h>
#include <ATen/ops/_foreach_div_ops.h>
#include <ATen/ops/_foreach_floor_ops.h>
#include <ATen/ops/_foreach_frac_ops.h>
#include <ATen/ops/_foreach_lerp_ops.h>
#include <ATen/ops/_foreach_maximum_ops.h>
#include <ATen/ops/_foreach_minimum_ops.h>
#include <ATen/ops/_foreach_mul_ops.h>
#include <ATen/ops/_foreach_neg_ops.h>
#include <ATen/ops/_foreach_norm_ops.h>
#include <ATen/ops/_foreach_reciprocal_ops.h>
#include <ATen/ops/_foreach_round_ops.h>
#include <ATen/ops/_foreach_rsqrt_ops.h>
#include <ATen/ops/_foreach_sign_ops.h>
#include <ATen/ops/_foreach_sqrt_ops.h>
#include <ATen/ops/_foreach_sub_ops.h>
#include <ATen/ops/_foreach_trunc_ops.h>
#include <ATen/ops/_foreach_zero_ops.h>
#include <ATen/ops/empty.h>
#include <ATen/ops/empty_like.h>

#include "operators/lists.h"
#include "operators/served.h"

namespace wavesmith::device {
namespace {

using at::Scalar;
using at::Tensor;
using at::TensorList;
using Scalars = at::ArrayRef<Scalar>;
using Operation = wavesmith_pointwise_operation;

// A call of one of these operators. There is one of `numbers` or `factors`, or one for each tensor, or none.
struct ListCall {
  Operation operation;
  std::vector<TensorList> inputs;
  Scalars numbers = {};            // instead of the second input
  Scalars factors = {};            // p
  double sign = 1;                 // of p
  const Tensor* single = nullptr;  // one element, as the second input
  bool each_has_its_own = false;   // of the numbers or factors
  bool any_types = false;          // lists may have different ones
};

// In PyTorch's table of kernels this backend, which nobody has, has PyTorch's own code for any device.
constexpr c10::DispatchKeySet kTensorByTensor(c10::DispatchKey::PrivateUse2);

double number_at(Scalars scalars, std::size_t i, double none) {
  return scalars.empty() ? none : scalars[scalars.size() == 1 ? 0 : i].toDouble();
}

bool is_served(const ListCall& call) {
  const std::size_t count = call.inputs[0].size();
  for (const TensorList& list : call.inputs)
    if (list.size() != count) return false;
  for (const Scalars& scalars : {call.numbers, call.factors}) {
    if (!scalars.empty() && scalars.size() != (call.each_has_its_own ? count : 1)) return false;
    for (const Scalar& scalar : scalars)
      if (scalar.isComplex()) return false;
  }
  if (!of_kernel_floats(call.inputs)) return false;
  if (call.single) {
    const Tensor& one = *call.single;
    if (one.dim() != 0 || one.device() != call.inputs[0][0].device() ||
        one.scalar_type() != call.inputs[0][0].scalar_type())
      return false;
  }
  return at::native::check_fast_path_restrictions(call.inputs, {}, false, call.any_types);
}

void compute(const ListCall& call, TensorList results) {
  const TensorList first = call.inputs[0];
  wavesmith_list_description one{};
  one.operation = call.operation;
  one.type_y = *kernel_type(results[0].scalar_type());
  for (std::size_t k = 0; k < call.inputs.size(); ++k)
    one.types[k] = *kernel_type(call.inputs[k][0].scalar_type());
  if (call.single) one.single[1] = 1, one.types[1] = *kernel_type(call.single->scalar_type());
  std::vector<wavesmith_list_array> arrays(first.size());
  for (std::size_t i = 0; i < arrays.size(); ++i) {
    auto& array = arrays[i];
    array.elements = first[i].numel();
    array.y = results[i].data_ptr();
    for (std::size_t k = 0; k < call.inputs.size(); ++k) array.inputs[k] = call.inputs[k][i].const_data_ptr();
    if (call.single) array.inputs[1] = call.single->const_data_ptr();
    array.number = number_at(call.numbers, i, 0);
    array.p = call.sign * number_at(call.factors, i, 1);
  }
  one.count = static_cast<std::int64_t>(arrays.size());
  one.arrays = arrays.data();
  const KernelCall on(first[0].device());
  check_kernel(wavesmith_kernels_list(&one, on.stream()), "foreach");
}

// Calls of each of the operators' forms.

template <Operation kOperation>
ListCall of_one(TensorList self) {
  return {kOperation, {self}};
}
ListCall zeros(TensorList self) {
  static const Scalar kZero = 0;
  return {WAVESMITH_POINTWISE_FILL, {self}, {}, kZero};
}
ListCall copied(TensorList /*self*/, TensorList source, bool /*non_blocking*/) {
  return {WAVESMITH_POINTWISE_COPY, {source}};
}
template <Operation kOperation, int kSign = 1>
ListCall with_number(TensorList self, const Scalar& number) {
  return {kOperation, {self}, number, {}, kSign};
}
template <Operation kOperation, int kSign = 1>
ListCall with_numbers(TensorList self, Scalars numbers) {
  return {kOperation, {self}, numbers, {}, kSign, nullptr, true};
}
template <Operation kOperation>
ListCall with_list(TensorList self, TensorList other) {
  return {kOperation, {self, other}};
}
template <int kSign>
ListCall sum_of(TensorList self, TensorList other, const Scalar& alpha) {
  return {WAVESMITH_POINTWISE_ADD, {self, other}, {}, alpha, kSign};
}
template <Operation kOperation>
ListCall with_single(TensorList self, const Tensor& other) {
  return {kOperation, {self}, {}, {}, 1, &other};
}
ListCall sum_of_single(TensorList self, const Tensor& other, const Scalar& alpha) {
  return {WAVESMITH_POINTWISE_ADD, {self}, {}, alpha, 1, &other};
}
ListCall between_by_list(TensorList self, TensorList other, TensorList weights) {
  return {WAVESMITH_POINTWISE_INTERPOLATE_BETWEEN, {self, other, weights}};
}
ListCall between(TensorList self, TensorList other, const Scalar& weight) {
  return {WAVESMITH_POINTWISE_INTERPOLATE, {self, other}, {}, weight};
}
ListCall between_by_numbers(TensorList self, TensorList other, Scalars weights) {
  return {WAVESMITH_POINTWISE_INTERPOLATE, {self, other}, {}, weights, 1, nullptr, true};
}
template <Operation kOperation>
ListCall with_two(TensorList self, TensorList first, TensorList second, const Scalar& value) {
  return {kOperation, {self, first, second}, {}, value};
}
template <Operation kOperation>
ListCall with_two_and_numbers(TensorList self, TensorList first, TensorList second, Scalars values) {
  return {kOperation, {self, first, second}, {}, values, 1, nullptr, true};
}

template <auto kCall, class Op, class Schema>
struct OfLists;

template <auto kCall, class Op, class... Others>
struct OfLists<kCall, Op, void(TensorList, Others...)> {
  static void call(TensorList self, Others... others) {
    const ListCall one = kCall(self, others...);
    if (!is_served(one)) return Op::redispatch(kTensorByTensor, self, others...);
    compute(one, self);
  }
};

template <auto kCall, class Op, class... Others>
struct OfLists<kCall, Op, std::vector<Tensor>(TensorList, Others...)> {
  static std::vector<Tensor> call(TensorList self, Others... others) {
    const ListCall one = kCall(self, others...);
    if (!is_served(one)) return Op::redispatch(kTensorByTensor, self, others...);
    std::vector<Tensor> results;
    results.reserve(self.size());
    for (const Tensor& tensor : self) results.push_back(at::empty_like(tensor));
    compute(one, results);
    return results;
  }
};

// Registers a form of an operator, with and without `_` behind its name.
template <auto kCall, class... Ops>
void of_lists(torch::Library& m) {
  (m.impl(detail::full_name<Ops>().c_str(), &OfLists<kCall, Ops, typename Ops::schema>::call), ...);
}

// Into lists, whose tensors may have another type.
void copy_list(TensorList self, TensorList source, bool non_blocking) {
  ListCall one = copied(self, source, non_blocking);
  one.inputs.push_back(self);  // which has the same sizes, and is not read
  one.any_types = true;
  if (self.size() != source.size() || !is_served(one))
    return at::_ops::_foreach_copy_::redispatch(kTensorByTensor, self, source, non_blocking);
  one.inputs.pop_back();
  compute(one, self);
}

std::optional<wavesmith_norm_order> order_of(const Scalar& order) {
  if (order.isComplex() || order.isBoolean()) return std::nullopt;
  const double p = order.toDouble();
  if (p == 1) return WAVESMITH_NORM_SUM;
  if (p == 2) return WAVESMITH_NORM_ROOT;
  if (p == std::numeric_limits<double>::infinity()) return WAVESMITH_NORM_LARGEST;
  return std::nullopt;
}

std::vector<Tensor> norms(TensorList self, const Scalar& order, std::optional<at::ScalarType> dtype) {
  const auto by = order_of(order);
  const bool has_empty = std::ranges::any_of(self, [](const Tensor& one) { return one.numel() == 0; });
  if (!by || has_empty || !of_kernel_floats({self}) || (dtype && !is_kernel_float(*dtype)) ||
      !at::native::check_fast_path_restrictions({self}))
    return at::_ops::_foreach_norm_Scalar::redispatch(kTensorByTensor, self, order, dtype);
  const auto type = dtype.value_or(self[0].scalar_type());
  const Tensor results = at::empty({static_cast<std::int64_t>(self.size())}, self[0].options().dtype(type));
  std::vector<wavesmith_norm_array> arrays(self.size());
  for (std::size_t i = 0; i < arrays.size(); ++i)
    arrays[i] = {self[i].numel(), self[i].const_data_ptr(),
                 static_cast<char*>(results.data_ptr()) + i * results.itemsize()};
  wavesmith_norms_description one{};
  one.order = *by;
  one.count = results.numel(), one.arrays = arrays.data();
  one.type = *kernel_type(self[0].scalar_type()), one.type_norm = *kernel_type(type);
  one.workspace_bytes = wavesmith_kernels_norms_workspace(&one);
  const auto memory = workspace(one.workspace_bytes);
  one.workspace = memory.get();
  const KernelCall on(results.device());
  check_kernel(wavesmith_kernels_norms(&one, on.stream()), "_foreach_norm");
  return results.unbind();
}

}  // namespace

#define WAVESMITH_FORMS(name, form) at::_ops::_foreach_##name##_##form, at::_ops::_foreach_##name##__##form
#define WAVESMITH_PLAIN(name) at::_ops::_foreach_##name, at::_ops::_foreach_##name##_

WAVESMITH_OPERATORS(aten, m) {
  of_lists<&of_one<WAVESMITH_POINTWISE_ABSOLUTE>, WAVESMITH_PLAIN(abs)>(m);
  of_lists<&of_one<WAVESMITH_POINTWISE_CEIL>, WAVESMITH_PLAIN(ceil)>(m);
  of_lists<&of_one<WAVESMITH_POINTWISE_FLOOR>, WAVESMITH_PLAIN(floor)>(m);
  of_lists<&of_one<WAVESMITH_POINTWISE_FRACTION>, WAVESMITH_PLAIN(frac)>(m);
  of_lists<&of_one<WAVESMITH_POINTWISE_NEGATE>, WAVESMITH_PLAIN(neg)>(m);
  of_lists<&of_one<WAVESMITH_POINTWISE_RECIPROCAL>, WAVESMITH_PLAIN(reciprocal)>(m);
  of_lists<&of_one<WAVESMITH_POINTWISE_RECIPROCAL_ROOT>, WAVESMITH_PLAIN(rsqrt)>(m);
  of_lists<&of_one<WAVESMITH_POINTWISE_ROUND>, WAVESMITH_PLAIN(round)>(m);
  of_lists<&of_one<WAVESMITH_POINTWISE_SIGN>, WAVESMITH_PLAIN(sign)>(m);
  of_lists<&of_one<WAVESMITH_POINTWISE_SQRT>, WAVESMITH_PLAIN(sqrt)>(m);
  of_lists<&of_one<WAVESMITH_POINTWISE_TRUNCATE>, WAVESMITH_PLAIN(trunc)>(m);
  of_lists<&zeros, at::_ops::_foreach_zero_>(m);
  m.impl("_foreach_copy_", &copy_list);
  m.impl("_foreach_norm.Scalar", &norms);

  of_lists<&with_number<WAVESMITH_POINTWISE_ADD>, WAVESMITH_FORMS(add, Scalar)>(m);
  of_lists<&with_number<WAVESMITH_POINTWISE_ADD, -1>, WAVESMITH_FORMS(sub, Scalar)>(m);
  of_lists<&with_number<WAVESMITH_POINTWISE_MULTIPLY>, WAVESMITH_FORMS(mul, Scalar)>(m);
  of_lists<&with_number<WAVESMITH_POINTWISE_DIVIDE>, WAVESMITH_FORMS(div, Scalar)>(m);
  of_lists<&with_number<WAVESMITH_POINTWISE_MAXIMUM>, WAVESMITH_FORMS(maximum, Scalar),
           WAVESMITH_FORMS(clamp_min, Scalar)>(m);
  of_lists<&with_number<WAVESMITH_POINTWISE_MINIMUM>, WAVESMITH_FORMS(minimum, Scalar),
           WAVESMITH_FORMS(clamp_max, Scalar)>(m);

  of_lists<&with_numbers<WAVESMITH_POINTWISE_ADD>, WAVESMITH_FORMS(add, ScalarList)>(m);
  of_lists<&with_numbers<WAVESMITH_POINTWISE_ADD, -1>, WAVESMITH_FORMS(sub, ScalarList)>(m);
  of_lists<&with_numbers<WAVESMITH_POINTWISE_MULTIPLY>, WAVESMITH_FORMS(mul, ScalarList)>(m);
  of_lists<&with_numbers<WAVESMITH_POINTWISE_DIVIDE>, WAVESMITH_FORMS(div, ScalarList)>(m);
  of_lists<&with_numbers<WAVESMITH_POINTWISE_MAXIMUM>, WAVESMITH_FORMS(maximum, ScalarList),
           WAVESMITH_FORMS(clamp_min, ScalarList)>(m);
  of_lists<&with_numbers<WAVESMITH_POINTWISE_MINIMUM>, WAVESMITH_FORMS(minimum, ScalarList),
           WAVESMITH_FORMS(clamp_max, ScalarList)>(m);

  of_lists<&sum_of<1>, WAVESMITH_FORMS(add, List)>(m);
  of_lists<&sum_of<-1>, WAVESMITH_FORMS(sub, List)>(m);
  of_lists<&with_list<WAVESMITH_POINTWISE_MULTIPLY>, WAVESMITH_FORMS(mul, List)>(m);
  of_lists<&with_list<WAVESMITH_POINTWISE_DIVIDE>, WAVESMITH_FORMS(div, List)>(m);
  of_lists<&with_list<WAVESMITH_POINTWISE_MAXIMUM>, WAVESMITH_FORMS(maximum, List),
           WAVESMITH_FORMS(clamp_min, List)>(m);
  of_lists<&with_list<WAVESMITH_POINTWISE_MINIMUM>, WAVESMITH_FORMS(minimum, List),
           WAVESMITH_FORMS(clamp_max, List)>(m);

  of_lists<&sum_of_single, WAVESMITH_FORMS(add, Tensor)>(m);
  of_lists<&with_single<WAVESMITH_POINTWISE_MULTIPLY>, WAVESMITH_FORMS(mul, Tensor)>(m);
  of_lists<&with_single<WAVESMITH_POINTWISE_DIVIDE>, WAVESMITH_FORMS(div, Tensor)>(m);

  of_lists<&between_by_list, WAVESMITH_FORMS(lerp, List)>(m);
  of_lists<&between, WAVESMITH_FORMS(lerp, Scalar)>(m);
  of_lists<&between_by_numbers, WAVESMITH_FORMS(lerp, ScalarList)>(m);
  of_lists<&with_two<WAVESMITH_POINTWISE_ADD_PRODUCT>, WAVESMITH_FORMS(addcmul, Scalar)>(m);
  of_lists<&with_two_and_numbers<WAVESMITH_POINTWISE_ADD_PRODUCT>, WAVESMITH_FORMS(addcmul, ScalarList)>(m);
  of_lists<&with_two<WAVESMITH_POINTWISE_ADD_QUOTIENT>, WAVESMITH_FORMS(addcdiv, Scalar)>(m);
  of_lists<&with_two_and_numbers<WAVESMITH_POINTWISE_ADD_QUOTIENT>, WAVESMITH_FORMS(addcdiv, ScalarList)>(m);
}

}  // namespace wavesmith::device
