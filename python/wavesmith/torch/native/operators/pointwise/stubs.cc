// Where PyTorch's own code for pointwise operators ends on this device: each stub launches a kernel of the
// library.
#include <limits>

#include <ATen/native/Activation.h>
#include <ATen/native/BinaryOps.h>
#include <ATen/native/Fill.h>
#include <ATen/native/Lerp.h>
#include <ATen/native/PointwiseOps.h>
#include <ATen/native/Pow.h>
#include <ATen/native/RangeFactories.h>
#include <ATen/native/TensorCompare.h>
#include <ATen/native/UnaryOps.h>

#include "operators/pointwise.h"
#include "operators/stubs.h"

namespace wavesmith::device {
namespace {

using at::TensorIterator;
using at::TensorIteratorBase;
using c10::Scalar;

// Of operators that PyTorch has for numbers, but not for truth values.
template <wavesmith_pointwise_operation kOperation>
void of_numbers(TensorIteratorBase& iterator) {
  if (iterator.common_dtype() == c10::ScalarType::Bool) throw NotServed();
  launch(kOperation, iterator);
}
template <wavesmith_pointwise_operation kOperation>
void with_one(TensorIteratorBase& iterator, const Scalar& p) {
  launch(kOperation, iterator, {p});
}
template <wavesmith_pointwise_operation kOperation>
void with_two(TensorIteratorBase& iterator, const Scalar& p, const Scalar& q) {
  launch(kOperation, iterator, {p, q});
}

void subtract(TensorIteratorBase& iterator, const Scalar& alpha) {
  launch(WAVESMITH_POINTWISE_ADD, iterator, {-alpha});
}
// Of truth values it is the other one.
void bitwise_not(TensorIteratorBase& iterator) {
  const bool truth = iterator.common_dtype() == c10::ScalarType::Bool;
  launch(truth ? WAVESMITH_POINTWISE_LOGICAL_NOT : WAVESMITH_POINTWISE_BITWISE_NOT, iterator);
}

void add_product(TensorIteratorBase& iterator, const Scalar& factor) {
  if (iterator.common_dtype() == c10::ScalarType::Bool) throw NotServed();
  launch(WAVESMITH_POINTWISE_ADD_PRODUCT, iterator, {factor});
}

bool is_integer(const TensorIteratorBase& iterator) {
  return c10::isIntegralType(iterator.common_dtype(), /*includeBool=*/true);
}
Scalar highest(const TensorIteratorBase& iterator) {
  if (is_integer(iterator)) return std::numeric_limits<std::int64_t>::max();
  return std::numeric_limits<double>::infinity();
}
Scalar lowest(const TensorIteratorBase& iterator) {
  if (is_integer(iterator)) return std::numeric_limits<std::int64_t>::min();
  return -std::numeric_limits<double>::infinity();
}
void clamp_min(TensorIteratorBase& iterator, Scalar least) {
  launch(WAVESMITH_POINTWISE_CLAMP, iterator, {least, highest(iterator)});
}
void clamp_max(TensorIteratorBase& iterator, Scalar most) {
  launch(WAVESMITH_POINTWISE_CLAMP, iterator, {lowest(iterator), most});
}

void elu(TensorIteratorBase& iterator, const Scalar& alpha, const Scalar& scale, const Scalar& input_scale) {
  launch(WAVESMITH_POINTWISE_ELU, iterator, {alpha.toDouble() * scale.toDouble(), scale, input_scale});
}
void hardtanh_backward(TensorIterator& iterator, const Scalar& least, const Scalar& most) {
  launch(WAVESMITH_POINTWISE_CLAMP_BACKWARD, iterator, {least, most});
}

void power_of(TensorIteratorBase& iterator, const Scalar& exponent) {
  const double power = exponent.isComplex() ? 0 : exponent.toDouble();
  if (power == 2) return launch_on_itself(WAVESMITH_POINTWISE_MULTIPLY, iterator);
  if (is_integer(iterator) || c10::isComplexType(iterator.common_dtype())) throw NotServed();
  if (power == 0.5) return launch(WAVESMITH_POINTWISE_SQRT, iterator);
  if (power == -0.5) return launch(WAVESMITH_POINTWISE_RECIPROCAL_ROOT, iterator);
  if (power == -1) return launch(WAVESMITH_POINTWISE_RECIPROCAL, iterator);
  launch_with_number(WAVESMITH_POINTWISE_POWER, iterator, exponent);
}

void fill(TensorIterator& iterator, const Scalar& value) {
  launch(WAVESMITH_POINTWISE_FILL, iterator, iterator.dtype(), {value});
}
void where(TensorIterator& iterator) { launch(WAVESMITH_POINTWISE_WHERE, iterator, iterator.dtype(2)); }

// Ranges of floats are computed in double precision, as on the CPU.
c10::ScalarType range_type(const TensorIterator& iterator) {
  const auto type = iterator.dtype();
  return c10::isFloatingType(type) ? c10::ScalarType::Double : type;
}
void arange(TensorIterator& iterator, const Scalar& start, const Scalar& /*steps*/, const Scalar& step) {
  launch(WAVESMITH_POINTWISE_RANGE, iterator, range_type(iterator), {start, step});
}
void linspace(TensorIterator& iterator, const Scalar& start, const Scalar& end, std::int64_t steps) {
  if (c10::isComplexType(iterator.dtype())) throw NotServed();
  const double step = (end.toDouble() - start.toDouble()) / static_cast<double>(steps - 1);
  launch(WAVESMITH_POINTWISE_SPACED, iterator, c10::ScalarType::Double, {start, step, end});
}

void nan_to_number(TensorIteratorBase& iterator, std::optional<double> nan, std::optional<double> above,
                   std::optional<double> below) {
  double largest = 0;
  switch (iterator.dtype()) {
    case c10::ScalarType::Half:
      largest = std::numeric_limits<c10::Half>::max();
      break;
    case c10::ScalarType::BFloat16:
      largest = std::numeric_limits<c10::BFloat16>::max();
      break;
    case c10::ScalarType::Float:
      largest = std::numeric_limits<float>::max();
      break;
    default:
      largest = std::numeric_limits<double>::max();
  }
  launch(WAVESMITH_POINTWISE_NAN_TO_NUMBER, iterator,
         {nan.value_or(0), above.value_or(largest), below.value_or(-largest)});
}

template <int kSign>
void is_infinity(TensorIteratorBase& iterator) {
  launch_with_number(WAVESMITH_POINTWISE_EQUAL, iterator, kSign * std::numeric_limits<double>::infinity());
}

#define OF_INPUTS(name, operation) WAVESMITH_STUB(name##_stub, &of_inputs<WAVESMITH_POINTWISE_##operation>)
#define OF_NUMBERS(name, operation) WAVESMITH_STUB(name##_stub, &of_numbers<WAVESMITH_POINTWISE_##operation>)
#define OF_TWO(name, operation) \
  WAVESMITH_STUB(name##_stub, &of_inputs<WAVESMITH_POINTWISE_##operation, TensorIterator>)

OF_INPUTS(abs, ABSOLUTE);
OF_INPUTS(acos, ACOS);
OF_INPUTS(acosh, ACOSH);
OF_INPUTS(asinh, ASINH);
OF_INPUTS(atanh, ATANH);
OF_INPUTS(asin, ASIN);
OF_INPUTS(atan, ATAN);
OF_INPUTS(ceil, CEIL);
OF_INPUTS(cos, COS);
OF_INPUTS(cosh, COSH);
OF_INPUTS(erf, ERF);
OF_INPUTS(erfc, ERFC);
OF_INPUTS(exp, EXP);
OF_INPUTS(exp2, EXP2);
OF_INPUTS(expm1, EXPM1);
OF_INPUTS(floor, FLOOR);
OF_INPUTS(frac, FRACTION);
OF_INPUTS(log, LOG);
OF_INPUTS(log10, LOG10);
OF_INPUTS(log1p, LOG1P);
OF_INPUTS(log2, LOG2);
OF_INPUTS(neg, NEGATE);
OF_INPUTS(reciprocal, RECIPROCAL);
OF_INPUTS(round, ROUND);
OF_INPUTS(rsqrt, RECIPROCAL_ROOT);
OF_INPUTS(sigmoid, SIGMOID);
OF_INPUTS(sign, SIGN);
OF_INPUTS(sgn, SIGN);
OF_INPUTS(signbit, SIGN_BIT);
OF_INPUTS(sin, SIN);
OF_INPUTS(sinh, SINH);
OF_INPUTS(sqrt, SQRT);
OF_INPUTS(tan, TAN);
OF_INPUTS(tanh, TANH);
OF_INPUTS(trunc, TRUNCATE);
OF_INPUTS(logical_not, LOGICAL_NOT);
OF_INPUTS(silu, SILU);
OF_INPUTS(silu_backward, SILU_BACKWARD);

OF_INPUTS(mul, MULTIPLY);
OF_INPUTS(div_true, DIVIDE);
OF_NUMBERS(div_floor, DIVIDE_FLOOR);
OF_NUMBERS(div_trunc, DIVIDE_TRUNCATE);
OF_INPUTS(atan2, ATAN2);
OF_NUMBERS(remainder, REMAINDER);
OF_NUMBERS(fmod, FMOD);
OF_NUMBERS(lshift, SHIFT_LEFT);
OF_NUMBERS(rshift, SHIFT_RIGHT);
OF_INPUTS(bitwise_and, BITWISE_AND);
OF_INPUTS(bitwise_or, BITWISE_OR);
OF_INPUTS(bitwise_xor, BITWISE_XOR);
OF_TWO(logical_and, LOGICAL_AND);
OF_TWO(logical_or, LOGICAL_OR);
OF_TWO(logical_xor, LOGICAL_XOR);
OF_INPUTS(lt, LESS);
OF_INPUTS(le, LESS_EQUAL);
OF_INPUTS(gt, GREATER);
OF_INPUTS(ge, GREATER_EQUAL);
OF_INPUTS(eq, EQUAL);
OF_INPUTS(ne, NOT_EQUAL);
OF_INPUTS(maximum, MAXIMUM);
OF_INPUTS(minimum, MINIMUM);
OF_INPUTS(fmax, FMAX);
OF_INPUTS(fmin, FMIN);
OF_INPUTS(sigmoid_backward, SIGMOID_BACKWARD);
OF_INPUTS(tanh_backward, TANH_BACKWARD);
OF_INPUTS(mse, SQUARED_DIFFERENCE);
OF_INPUTS(logaddexp, LOG_ADD_EXP);
OF_INPUTS(hypot, HYPOT);
OF_INPUTS(copysign, COPY_SIGN);
OF_INPUTS(xlogy, X_LOG_Z);
OF_INPUTS(xlog1py, X_LOG1P_Z);
OF_NUMBERS(clamp, CLAMP_BETWEEN);
OF_INPUTS(pow_tensor_tensor, POWER);

WAVESMITH_STUB(bitwise_not_stub, &bitwise_not);
WAVESMITH_STUB(add_stub, &with_one<WAVESMITH_POINTWISE_ADD>);
WAVESMITH_STUB(sub_stub, &subtract);
WAVESMITH_STUB(addcmul_stub, &add_product);
WAVESMITH_STUB(addcdiv_stub, &with_one<WAVESMITH_POINTWISE_ADD_QUOTIENT>);
WAVESMITH_STUB(lerp_kernel_scalar_weight, &with_one<WAVESMITH_POINTWISE_INTERPOLATE>);
WAVESMITH_STUB(lerp_kernel_tensor_weight, &of_inputs<WAVESMITH_POINTWISE_INTERPOLATE_BETWEEN>);
WAVESMITH_STUB(pow_tensor_scalar_stub, &power_of);
WAVESMITH_STUB(where_kernel, &where);
WAVESMITH_STUB(clamp_scalar_stub, &with_two<WAVESMITH_POINTWISE_CLAMP>);
WAVESMITH_STUB(clamp_min_scalar_stub, &clamp_min);
WAVESMITH_STUB(clamp_max_scalar_stub, &clamp_max);
WAVESMITH_STUB(nan_to_num_stub, &nan_to_number);
WAVESMITH_STUB(isposinf_stub, &is_infinity<1>);
WAVESMITH_STUB(isneginf_stub, &is_infinity<-1>);

WAVESMITH_STUB(threshold_stub, &with_two<WAVESMITH_POINTWISE_THRESHOLD>);
WAVESMITH_STUB(leaky_relu_stub, &with_one<WAVESMITH_POINTWISE_LEAKY_RELU>);
WAVESMITH_STUB(leaky_relu_backward_stub, &with_one<WAVESMITH_POINTWISE_LEAKY_RELU_BACKWARD>);
WAVESMITH_STUB(softplus_stub, &with_two<WAVESMITH_POINTWISE_SOFTPLUS>);
WAVESMITH_STUB(softplus_backward_stub, &with_two<WAVESMITH_POINTWISE_SOFTPLUS_BACKWARD>);
WAVESMITH_STUB(elu_stub, &elu);
WAVESMITH_STUB(hardtanh_backward_stub, &hardtanh_backward);

WAVESMITH_STUB(fill_stub, &fill);
WAVESMITH_STUB(arange_stub, &arange);
WAVESMITH_STUB(linspace_stub, &linspace);

}  // namespace
}  // namespace wavesmith::device
