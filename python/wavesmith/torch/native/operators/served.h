// Operators as kernels of the device: PyTorch's own code for any device (checks, types, sizes,
// TensorIterator), whose dispatch stubs end in the library's kernels (pointwise/stubs.cc, reduce.cc).
#pragma once

#include <array>
#include <initializer_list>
#include <string>
#include <tuple>
#include <type_traits>
#include <utility>

#include <ATen/TensorIterator.h>
#include <ATen/core/IListRef.h>
#include <ATen/core/Tensor.h>

#include "device/device_type.h"
#include "device/streams.h"
#include "operators/fallback.h"
#include "operators/not_served.h"

namespace wavesmith::device {

// A new tensor of the device; without strides it is contiguous, or lies as the options' memory format says.
at::Tensor made(c10::IntArrayRef sizes, c10::IntArrayRef strides, const c10::TensorOptions& options);

// The outputs of a call: given ones, which take the size that they need, or new ones.
class Outputs {
 public:
  Outputs() = default;
  Outputs(bool in_place, std::initializer_list<at::Tensor*> given);
  ~Outputs();
  Outputs(const Outputs&) = delete;
  Outputs& operator=(const Outputs&) = delete;

  void set(std::int64_t index, c10::IntArrayRef sizes, c10::IntArrayRef strides,
           const c10::TensorOptions& options);
  const at::Tensor& get(std::int64_t index) const {
    return given_[index] == nullptr ? made_[index] : *given_[index];
  }

 private:
  bool in_place_ = false;
  static constexpr std::size_t kMostOutputs = 4;
  std::array<at::Tensor*, kMostOutputs> given_{};
  std::array<at::Tensor, kMostOutputs> made_;
};

// A structured operator of PyTorch's with its outputs.
template <class Native>
class Implemented final : public Native {
 public:
  Implemented() = default;
  template <class... Given>
  explicit Implemented(bool in_place, Given&... given) : outputs_(in_place, {&given...}) {}

  void set_output_strided(std::int64_t index, c10::IntArrayRef sizes, c10::IntArrayRef strides,
                          c10::TensorOptions options) override {
    set_output_raw_strided(index, sizes, strides, options);
  }
  void set_output_raw_strided(std::int64_t index, c10::IntArrayRef sizes, c10::IntArrayRef strides,
                              c10::TensorOptions options) override {
    outputs_.set(index, sizes, strides, options);
    if constexpr (std::is_base_of_v<at::TensorIteratorBase, Native>)
      Native::set_output_raw_strided(index, sizes, strides, options);
  }
  const at::Tensor& maybe_get_output(std::int64_t index) override { return outputs_.get(index); }

 private:
  Outputs outputs_;
};

namespace detail {

// What structured operators take for an operator's parameter.
template <class Argument>
const Argument& borrowed(const Argument& argument) {
  return argument;
}
inline std::int64_t borrowed(const c10::SymInt& number) { return number.expect_int(); }
inline at::OptionalScalarRef borrowed(const std::optional<c10::Scalar>& scalar) {
  return scalar.has_value() ? at::OptionalScalarRef(*scalar) : at::OptionalScalarRef();
}
inline at::OptionalTensorRef borrowed(const std::optional<at::Tensor>& tensor) {
  return tensor.has_value() && tensor->defined() ? at::OptionalTensorRef(*tensor) : at::OptionalTensorRef();
}

c10::DeviceIndex device_in(const at::Tensor& tensor);
c10::DeviceIndex device_in(const at::ITensorListRef& tensors);
template <class Other>
c10::DeviceIndex device_in(const Other&) {
  return -1;
}
// The device of the first tensor that is on one; -1 where only tensors within lists of others are.
template <class... Arguments>
c10::DeviceIndex device_among(const Arguments&... arguments) {
  c10::DeviceIndex found = -1;
  ((found = found < 0 ? device_in(arguments) : found), ...);
  return found;
}

// Raises PyTorch's error for a tensor on another device; a number may be the CPU's.
void check_device(const at::Tensor& tensor, c10::DeviceIndex device, const char* op);
void check_device(const std::optional<at::Tensor>& tensor, c10::DeviceIndex device, const char* op);
void check_device(const at::ITensorListRef& tensors, c10::DeviceIndex device, const char* op);
template <class Other>
void check_device(const Other&, c10::DeviceIndex, const char*) {}

// The device of an operator's call, on which all of its inputs lie. Where outputs lie is checked as they are
// given sizes.
template <class Op, class First, class... Others>
c10::DeviceIndex device_of_call(First& first, Others&... others) {
  const auto device = device_among(first, others...);
  if (device < 0) return current_device();
  check_device(first, device, Op::name);
  const auto check_input = [&]<class Input>(Input& input) {
    if constexpr (!std::is_same_v<Input, at::Tensor>) check_device(input, device, Op::name);
  };
  (check_input(others), ...);
  return device;
}

template <class Native, class Op, class Schema>
struct StructuredCall;

template <class Native, class Op, class... Arguments>
struct StructuredCall<Native, Op, at::Tensor(Arguments...)> {
  static at::Tensor call(Arguments... arguments) {
    try {
      const OnDevice on(device_of_call<Op>(arguments...));
      Implemented<Native> one;
      one.meta(borrowed(arguments)...);
      one.impl(borrowed(arguments)..., one.maybe_get_output(0));
      return one.maybe_get_output(0);
    } catch (const NotServed&) {
      return fall_back<Op>(arguments...);
    }
  }
};

template <class Native, class Op, class... Arguments>
struct StructuredCall<Native, Op, at::Tensor&(Arguments...)> {
  static at::Tensor& call(Arguments... arguments) {
    constexpr bool kInPlace = std::is_same_v<std::tuple_element_t<0, std::tuple<Arguments...>>, at::Tensor&>;
    constexpr std::size_t kInputs = sizeof...(Arguments) - (kInPlace ? 0 : 1);
    const std::tuple<Arguments...> all(arguments...);
    auto& output = std::get<kInPlace ? 0 : kInputs>(all);
    try {
      const OnDevice on(device_of_call<Op>(arguments...));
      Implemented<Native> one(kInPlace, output);
      [&]<std::size_t... kIndex>(std::index_sequence<kIndex...>) {
        one.meta(borrowed(std::get<kIndex>(all))...);
        one.impl(borrowed(std::get<kIndex>(all))..., output);
      }(std::make_index_sequence<kInputs>());
      return output;
    } catch (const NotServed&) {
      return fall_back<Op>(arguments...);
    }
  }
};

// Of several outputs.
template <class Native, class Op, class... Results, class... Arguments>
struct StructuredCall<Native, Op, std::tuple<Results...>(Arguments...)> {
  static constexpr std::size_t kOutputs = sizeof...(Results);
  static constexpr std::size_t kInputs =
      sizeof...(Arguments) -
      (std::is_reference_v<std::tuple_element_t<0, std::tuple<Results...>>> ? kOutputs : 0);

  static std::tuple<Results...> call(Arguments... arguments) {
    const std::tuple<Arguments...> all(arguments...);
    try {
      const OnDevice on(device_of_call<Op>(arguments...));
      return called(all, std::make_index_sequence<kInputs>(), std::make_index_sequence<kOutputs>());
    } catch (const NotServed&) {
      return fall_back<Op>(arguments...);
    }
  }

 private:
  template <std::size_t... kInput, std::size_t... kOutput>
  static std::tuple<Results...> called(const std::tuple<Arguments...>& all, std::index_sequence<kInput...>,
                                       std::index_sequence<kOutput...>) {
    const auto run = [&](auto& one) {
      one.meta(borrowed(std::get<kInput>(all))...);
      one.impl(borrowed(std::get<kInput>(all))..., one.maybe_get_output(kOutput)...);
    };
    if constexpr (kInputs == sizeof...(Arguments)) {
      Implemented<Native> one;
      run(one);
      return {one.maybe_get_output(kOutput)...};
    } else {
      Implemented<Native> one(false, std::get<kInputs + kOutput>(all)...);
      run(one);
      return {std::get<kInputs + kOutput>(all)...};
    }
  }
};

template <auto kFunction, class Op, class Schema>
struct PlainCall;

template <auto kFunction, class Op, class Result, class... Arguments>
struct PlainCall<kFunction, Op, Result(Arguments...)> {
  static Result call(Arguments... arguments) {
    try {
      const OnDevice on(device_of_call<Op>(arguments...));
      return kFunction(arguments...);
    } catch (const NotServed&) {
      return fall_back<Op>(arguments...);
    }
  }
};

std::string full_name(const char* name, const char* overload);
template <class Op>
std::string full_name() {
  return full_name(Op::name, Op::overload_name);
}

}  // namespace detail

// Registers forms of a structured operator (functional, in place, with `out=`).
template <class Native, class... Ops>
void structured(torch::Library& m) {
  (m.impl(detail::full_name<Ops>().c_str(), &detail::StructuredCall<Native, Ops, typename Ops::schema>::call),
   ...);
}

// Registers a function of PyTorch's or of ours that has the operator's parameters.
template <auto kFunction, class Op>
void plain(torch::Library& m) {
  m.impl(detail::full_name<Op>().c_str(), &detail::PlainCall<kFunction, Op, typename Op::schema>::call);
}

}  // namespace wavesmith::device
