// Activations that few models have, and parts of numbers.
#include <cmath>

#include <ATen/native/Activation.h>
#include <ATen/native/BinaryOps.h>
#include <ATen/native/TensorFactories.h>
#include <ATen/native/UnaryOps.h>

#include <ATen/ops/_prelu_kernel_backward_native.h>
#include <ATen/ops/_prelu_kernel_backward_ops.h>
#include <ATen/ops/_prelu_kernel_native.h>
#include <ATen/ops/_prelu_kernel_ops.h>
#include <ATen/ops/angle_native.h>
#include <ATen/ops/angle_ops.h>
#include <ATen/ops/complex_native.h>
#include <ATen/ops/complex_ops.h>
#include <ATen/ops/conj_physical_native.h>
#include <ATen/ops/conj_physical_ops.h>
#include <ATen/ops/frexp_native.h>
#include <ATen/ops/frexp_ops.h>
#include <ATen/ops/gcd_native.h>
#include <ATen/ops/gcd_ops.h>
#include <ATen/ops/glu_backward_native.h>
#include <ATen/ops/glu_backward_ops.h>
#include <ATen/ops/glu_native.h>
#include <ATen/ops/glu_ops.h>
#include <ATen/ops/hardshrink_backward_native.h>
#include <ATen/ops/hardshrink_backward_ops.h>
#include <ATen/ops/hardshrink_native.h>
#include <ATen/ops/hardshrink_ops.h>
#include <ATen/ops/hardsigmoid_backward_native.h>
#include <ATen/ops/hardsigmoid_backward_ops.h>
#include <ATen/ops/hardsigmoid_native.h>
#include <ATen/ops/hardsigmoid_ops.h>
#include <ATen/ops/hardswish_backward_native.h>
#include <ATen/ops/hardswish_backward_ops.h>
#include <ATen/ops/hardswish_native.h>
#include <ATen/ops/hardswish_ops.h>
#include <ATen/ops/heaviside_native.h>
#include <ATen/ops/heaviside_ops.h>
#include <ATen/ops/lcm_native.h>
#include <ATen/ops/lcm_ops.h>
#include <ATen/ops/log_sigmoid_backward_ops.h>
#include <ATen/ops/log_sigmoid_forward_ops.h>
#include <ATen/ops/logit_backward_native.h>
#include <ATen/ops/logit_backward_ops.h>
#include <ATen/ops/logit_native.h>
#include <ATen/ops/logit_ops.h>
#include <ATen/ops/mish_backward_native.h>
#include <ATen/ops/mish_backward_ops.h>
#include <ATen/ops/mish_native.h>
#include <ATen/ops/mish_ops.h>
#include <ATen/ops/nextafter_native.h>
#include <ATen/ops/nextafter_ops.h>
#include <ATen/ops/polar_native.h>
#include <ATen/ops/polar_ops.h>
#include <ATen/ops/round_native.h>
#include <ATen/ops/round_ops.h>
#include <ATen/ops/softshrink_backward_native.h>
#include <ATen/ops/softshrink_backward_ops.h>
#include <ATen/ops/softshrink_native.h>
#include <ATen/ops/softshrink_ops.h>

#include "operators/pointwise.h"
#include "operators/served.h"
#include "operators/stubs.h"

namespace wavesmith::device {
namespace {

using at::Tensor;
using at::TensorIterator;
using at::TensorIteratorBase;
using c10::Scalar;

// Computes one output; an undefined one is made.
TensorIterator launched(wavesmith_pointwise_operation operation, const Tensor& output,
                        std::initializer_list<const Tensor*> inputs) {
  at::TensorIteratorConfig config;
  config.check_all_same_dtype(false).add_output(output);
  for (const Tensor* input : inputs) config.add_const_input(*input);
  auto iterator = config.build();
  launch(operation, iterator, iterator.dtype(1));
  return iterator;
}

// The buffer of the CPU's kernel is empty, as on CUDA.
std::tuple<Tensor, Tensor> log_sigmoid(const Tensor& self) {
  auto iterator = launched(WAVESMITH_POINTWISE_LOG_SIGMOID, {}, {&self});
  return {iterator.output(), made({0}, {}, self.options())};
}
std::tuple<Tensor&, Tensor&> log_sigmoid_out(const Tensor& self, Tensor& output, Tensor& buffer) {
  TORCH_CHECK(output.scalar_type() == self.scalar_type(), "expected scalar type ", self.scalar_type(),
              " but found ", output.scalar_type());
  launched(WAVESMITH_POINTWISE_LOG_SIGMOID, output, {&self});
  return {output, buffer};
}
Tensor log_sigmoid_backward(const Tensor& gradient, const Tensor& self, const Tensor& /*buffer*/) {
  return launched(WAVESMITH_POINTWISE_LOG_SIGMOID_BACKWARD, {}, {&gradient, &self}).output();
}
Tensor& log_sigmoid_backward_out(const Tensor& gradient, const Tensor& self, const Tensor& /*buffer*/,
                                 Tensor& output) {
  launched(WAVESMITH_POINTWISE_LOG_SIGMOID_BACKWARD, output, {&gradient, &self});
  return output;
}

// Of the iterators with two outputs, each output is computed by itself.
void frexp(TensorIteratorBase& iterator) {
  launched(WAVESMITH_POINTWISE_MANTISSA, iterator.tensor(0), {&iterator.tensor(2)});
  launched(WAVESMITH_POINTWISE_EXPONENT, iterator.tensor(1), {&iterator.tensor(2)});
}
void prelu_backward(TensorIterator& iterator) {
  const Tensor &self = iterator.tensor(2), &weight = iterator.tensor(3), &gradient = iterator.tensor(4);
  launched(WAVESMITH_POINTWISE_PRELU_BACKWARD, iterator.tensor(0), {&gradient, &self, &weight});
  launched(WAVESMITH_POINTWISE_PRELU_WEIGHT_BACKWARD, iterator.tensor(1), {&gradient, &self});
}

void round_multiple(TensorIteratorBase& iterator, std::int64_t decimals) {
  const double multiple = std::pow(10.0, static_cast<double>(std::abs(decimals)));
  launch(WAVESMITH_POINTWISE_ROUND_MULTIPLE, iterator, {multiple, decimals < 0});
}
void next_after(TensorIteratorBase& iterator) {
  if (c10::isReducedFloatingType(iterator.common_dtype())) throw NotServed();
  launch(WAVESMITH_POINTWISE_NEXT_AFTER, iterator);
}
void conjugate(TensorIteratorBase& iterator) {
  const bool is_complex = c10::isComplexType(iterator.common_dtype());
  launch(is_complex ? WAVESMITH_POINTWISE_CONJUGATE : WAVESMITH_POINTWISE_COPY, iterator);
}

template <wavesmith_pointwise_operation kOperation>
void with_number(TensorIteratorBase& iterator, const Scalar& p) {
  launch(kOperation, iterator, {p});
}
// Of real parts, as complex numbers.
template <wavesmith_pointwise_operation kOperation>
void of_parts(TensorIterator& iterator) {
  launch(kOperation, iterator, iterator.dtype(0));
}

#define STUB(name, function, operation, ...) \
  WAVESMITH_STUB(name##_stub, (&function<WAVESMITH_POINTWISE_##operation __VA_OPT__(, ) __VA_ARGS__>))

STUB(angle, of_inputs, ANGLE);
STUB(gcd, of_inputs, GCD);
STUB(lcm, of_inputs, LCM);
STUB(heaviside, of_inputs, HEAVISIDE);
STUB(mish, of_inputs, MISH);
STUB(mish_backward, of_inputs, MISH_BACKWARD, TensorIterator);
STUB(glu, of_inputs, GLU);
STUB(glu_backward, of_inputs, GLU_BACKWARD, TensorIterator);
STUB(hardsigmoid, of_inputs, HARD_SIGMOID);
STUB(hardsigmoid_backward, of_inputs, HARD_SIGMOID_BACKWARD);
STUB(hardswish, of_inputs, HARD_SWISH, TensorIterator);
STUB(hardswish_backward, of_inputs, HARD_SWISH_BACKWARD, TensorIterator);
STUB(prelu, of_inputs, PRELU, TensorIterator);
STUB(hardshrink, with_number, HARD_SHRINK);
STUB(softshrink, with_number, SOFT_SHRINK);
STUB(shrink_backward, with_number, SHRINK_BACKWARD);
STUB(logit, with_number, LOGIT);
STUB(logit_backward, with_number, LOGIT_BACKWARD);
STUB(complex, of_parts, COMPLEX);
STUB(polar, of_parts, POLAR);
WAVESMITH_STUB(conj_physical_stub, &conjugate);
WAVESMITH_STUB(frexp_stub, &frexp);
WAVESMITH_STUB(nextafter_stub, &next_after);
WAVESMITH_STUB(prelu_backward_stub, &prelu_backward);
WAVESMITH_STUB(round_decimals_stub, &round_multiple);

}  // namespace

#define TWO_FORMS(name, backward) \
  structured<at::native::structured_##name##_out, at::_ops::name, at::_ops::name##_##backward>(m);
#define IN_ALL_FORMS(name) \
  structured<at::native::structured_##name##_out, at::_ops::name, at::_ops::name##_, at::_ops::name##_out>(m);

WAVESMITH_OPERATORS(aten, m) {
  IN_ALL_FORMS(gcd)
  IN_ALL_FORMS(lcm)
  IN_ALL_FORMS(heaviside)
  IN_ALL_FORMS(nextafter)
  IN_ALL_FORMS(mish)
  IN_ALL_FORMS(hardsigmoid)
  TWO_FORMS(glu, out)
  TWO_FORMS(hardshrink, out)
  TWO_FORMS(softshrink, out)
  TWO_FORMS(hardshrink_backward, grad_input)
  TWO_FORMS(softshrink_backward, grad_input)
  TWO_FORMS(hardsigmoid_backward, grad_input)
  TWO_FORMS(logit_backward, grad_input)
  structured<at::native::structured_round_decimals_out, at::_ops::round_decimals, at::_ops::round__decimals,
             at::_ops::round_decimals_out>(m);
  plain<&at::native::logit, at::_ops::logit>(m);
  plain<&at::native::logit_, at::_ops::logit_>(m);
  plain<&at::native::logit_out, at::_ops::logit_out>(m);
  plain<&at::native::hardswish, at::_ops::hardswish>(m);
  plain<&at::native::hardswish_, at::_ops::hardswish_>(m);
  plain<&at::native::hardswish_out, at::_ops::hardswish_out>(m);
  plain<&at::native::hardswish_backward, at::_ops::hardswish_backward>(m);
  plain<&at::native::mish_backward, at::_ops::mish_backward>(m);
  plain<&at::native::glu_backward_cpu, at::_ops::glu_backward>(m);
  plain<&at::native::glu_backward_cpu_out, at::_ops::glu_backward_grad_input>(m);
  plain<&log_sigmoid, at::_ops::log_sigmoid_forward>(m);
  plain<&log_sigmoid_out, at::_ops::log_sigmoid_forward_output>(m);
  plain<&log_sigmoid_backward, at::_ops::log_sigmoid_backward>(m);
  plain<&log_sigmoid_backward_out, at::_ops::log_sigmoid_backward_grad_input>(m);
  plain<&at::native::_prelu_kernel, at::_ops::_prelu_kernel>(m);
  plain<&at::native::_prelu_kernel_backward, at::_ops::_prelu_kernel_backward>(m);
  plain<&at::native::frexp_out, at::_ops::frexp_Tensor_out>(m);
  plain<&at::native::complex_out, at::_ops::complex_out>(m);
  plain<&at::native::polar_out, at::_ops::polar_out>(m);
  plain<&at::native::conj_physical_out, at::_ops::conj_physical_out>(m);
  plain<&at::native::conj_physical_, at::_ops::conj_physical_>(m);
  plain<&at::native::angle, at::_ops::angle>(m);
  plain<&at::native::angle_out, at::_ops::angle_out>(m);
}

#undef IN_ALL_FORMS

}  // namespace wavesmith::device
