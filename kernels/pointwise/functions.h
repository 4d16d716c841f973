// The operations on floats and doubles.
#pragma once

#include "kernels/pointwise/large_angles.h"
#include "kernels/pointwise/operations.h"
#include "tile/precise.h"

namespace wavesmith::kernels {

/// Functions that floats have of their own.
TILE_DEVICE float exp_of(float x) { return tile::precise::exp(x); }
TILE_DEVICE double exp_of(double x) { return wide::exp(x); }
TILE_DEVICE float log_of(float x) { return tile::precise::log(x); }
TILE_DEVICE double log_of(double x) { return wide::log(x); }
TILE_DEVICE float tanh_of(float x) { return tile::precise::tanh(x); }
TILE_DEVICE double tanh_of(double x) { return wide::tanh(x); }
TILE_DEVICE float sigmoid_of(float x) { return tile::precise::sigmoid(x); }
TILE_DEVICE double sigmoid_of(double x) { return 1 / (1 + wide::exp(-x)); }
TILE_DEVICE float sqrt_of(float x) { return __builtin_sqrtf(x); }
TILE_DEVICE double sqrt_of(double x) { return __builtin_sqrt(x); }
TILE_DEVICE float reciprocal_root_of(float x) { return tile::precise::reciprocal_root(x); }
TILE_DEVICE double reciprocal_root_of(double x) { return 1 / __builtin_sqrt(x); }

template <class T>
TILE_DEVICE bool is_nan(T x) {
  return x != x;
}
template <class T>
TILE_DEVICE T larger(T x, T z) {
  return is_nan(x) || x > z ? x : z;
}
template <class T>
TILE_DEVICE T smaller(T x, T z) {
  return is_nan(x) || x < z ? x : z;
}
template <class T>
TILE_DEVICE T interpolated(T x, T z, T weight) {
  return __builtin_elementwise_abs(weight) < T(0.5) ? x + weight * (z - x) : z - (z - x) * (1 - weight);
}
template <class T>
TILE_DEVICE T tanh_argument_of_gelu(T x) {
  return T(0.79788456080286535588) * (x + T(0.044715) * x * x * x);
}

/// Floats' rest of the division, exact; with the sign of x.
template <class T>
TILE_DEVICE T rest(T x, T z) {
  const double n = static_cast<double>(x), d = static_cast<double>(z);
  // Where the quotient has more digits than a double, its digits are taken away piece by piece.
  double left = __builtin_fabs(n);
  const double size = __builtin_fabs(d);
  if (!(left < wide::kInfinity) || size == 0 || d != d) return T(__builtin_nan(""));
  if (size == wide::kInfinity) return x;
  while (left >= size) {
    const int exponent = __builtin_amdgcn_frexp_exp(left) - __builtin_amdgcn_frexp_exp(size);
    double part = __builtin_ldexp(size, exponent);
    part = part > left ? __builtin_ldexp(size, exponent - 1) : part;
    left -= part;
  }
  return static_cast<T>(__builtin_copysign(left, n));
}
template <class T>
TILE_DEVICE T remainder_of(T x, T z) {
  const T r = rest(x, z);
  return r != 0 && (r < 0) != (z < 0) ? r + z : r;
}
/// Python's floor division, of which x = z * quotient + remainder holds.
template <class T>
TILE_DEVICE T floor_quotient(T x, T z) {
  if (z == 0) return x / z;
  const T r = rest(x, z);
  T quotient = (x - r) / z;
  if (r != 0 && (z < 0) != (r < 0)) quotient -= 1;
  if (quotient == 0) return __builtin_elementwise_copysign(T(0), x / z);
  const T floor = __builtin_elementwise_floor(quotient);
  return quotient - floor > T(0.5) ? floor + 1 : floor;
}

/// Elements of a thread: the first input becomes the result.
template <class T, int kCount>
struct Group {
  T x[kCount], z[kCount], w[kCount];

  template <class Function>
  TILE_DEVICE void each(Function function) {
    TILE_UNROLL for (int i = 0; i < kCount; ++i) x[i] = static_cast<T>(function(x[i], z[i], w[i]));
  }
};

/// What is long, by one element at a time and in double precision.
template <class T>
TILE_DEVICE void apply_long(Pointwise operation, Group<T, 1>& v, const T (&numbers)[3]) {
  const double x = static_cast<double>(v.x[0]), z = static_cast<double>(v.z[0]);
  const double p = static_cast<double>(numbers[0]), q = static_cast<double>(numbers[1]);
  const auto is = [&](double result) { v.x[0] = static_cast<T>(result); };
  switch (operation) {
    case WAVESMITH_POINTWISE_EXP2: {
      const double whole = __builtin_rint(x);
      const double power = __builtin_ldexp(wide::exp((x - whole) * wide::kLogOf2), static_cast<int>(whole));
      return is(x > 1100 ? wide::kInfinity : x < -1100 ? 0 : power);
    }
    case WAVESMITH_POINTWISE_EXPM1:
      return is(wide::expm1(x));
    case WAVESMITH_POINTWISE_LOG2:
      return is(wide::log(x) * 1.44269504088896340736);
    case WAVESMITH_POINTWISE_LOG10:
      return is(wide::log(x) * 0.434294481903251827651);
    case WAVESMITH_POINTWISE_LOG1P:
      return is(wide::log1p(x));
    case WAVESMITH_POINTWISE_SIN:
      return is(wide::angle_of(x).sine);
    case WAVESMITH_POINTWISE_COS:
      return is(wide::angle_of(x).cosine);
    case WAVESMITH_POINTWISE_TAN: {
      const wide::Angle angle = wide::angle_of(x);
      return is(angle.sine / angle.cosine);
    }
    case WAVESMITH_POINTWISE_ASIN:
      return is(wide::asin(x));
    case WAVESMITH_POINTWISE_ACOS:
      return is(wide::acos(x));
    case WAVESMITH_POINTWISE_ATAN:
      return is(wide::atan(x));
    case WAVESMITH_POINTWISE_SINH:
      return is(wide::sinh(x));
    case WAVESMITH_POINTWISE_COSH:
      return is(wide::cosh(x));
    case WAVESMITH_POINTWISE_ASINH:
      return is(wide::asinh(x));
    case WAVESMITH_POINTWISE_ACOSH:
      return is(wide::acosh(x));
    case WAVESMITH_POINTWISE_ATANH:
      return is(wide::atanh(x));
    case WAVESMITH_POINTWISE_ERF:
      return is(wide::erf(x));
    case WAVESMITH_POINTWISE_ERFC:
      return is(wide::erfc(x));
    case WAVESMITH_POINTWISE_GELU:
      return is(x * 0.5 * wide::erfc(x * -0.70710678118654752440));
    case WAVESMITH_POINTWISE_SOFTPLUS:
      return is(x * p > q ? x : wide::log1p(wide::exp(x * p)) / p);
    case WAVESMITH_POINTWISE_ELU:
      return is(x > 0 ? x * q : wide::expm1(x * static_cast<double>(numbers[2])) * p);
    case WAVESMITH_POINTWISE_LOG_SIGMOID:
      return is(__builtin_fmin(x, 0.0) - wide::log1p(wide::exp(-__builtin_fabs(x))) + (x != x ? x : 0));
    case WAVESMITH_POINTWISE_DIVIDE_FLOOR:
      v.x[0] = floor_quotient(v.x[0], v.z[0]);
      return;
    case WAVESMITH_POINTWISE_DIVIDE_TRUNCATE:
      v.x[0] = __builtin_elementwise_trunc(v.x[0] / v.z[0]);
      return;
    case WAVESMITH_POINTWISE_REMAINDER:
      v.x[0] = remainder_of(v.x[0], v.z[0]);
      return;
    case WAVESMITH_POINTWISE_FMOD:
      v.x[0] = rest(v.x[0], v.z[0]);
      return;
    case WAVESMITH_POINTWISE_GELU_BACKWARD:
      return is(x * (0.5 * wide::erfc(z * -0.70710678118654752440) +
                     z * 0.39894228040143267794 * wide::exp(z * z * -0.5)));
    case WAVESMITH_POINTWISE_SOFTPLUS_BACKWARD:
      return is(z * p > q ? x : x / (1 + wide::exp(-z * p)));
    case WAVESMITH_POINTWISE_POWER:
      return is(wide::power(x, z));
    case WAVESMITH_POINTWISE_ATAN2:
      return is(wide::atan2(x, z));
    case WAVESMITH_POINTWISE_HYPOT: {
      const double larger = __builtin_fmax(__builtin_fabs(x), __builtin_fabs(z));
      const double ratio = __builtin_fmin(__builtin_fabs(x), __builtin_fabs(z)) / larger;
      const bool infinite = larger == wide::kInfinity;
      const double result = larger == 0 || infinite ? larger : larger * __builtin_sqrt(1 + ratio * ratio);
      return is((x != x || z != z) && !infinite ? x + z : result);
    }
    case WAVESMITH_POINTWISE_X_LOG_Z:
      return is(z != z ? z : x == 0 ? 0 : x * wide::log(z));
    case WAVESMITH_POINTWISE_LOG_ADD_EXP: {
      const double most = __builtin_fmax(x, z), difference = __builtin_fabs(x - z);
      const bool alike = x == z && most == __builtin_copysign(wide::kInfinity, most);
      return is(alike ? x : x != x || z != z ? x + z : most + wide::log1p(wide::exp(-difference)));
    }
    default:
      return;
  }
}

template <class T, int kCount>
TILE_DEVICE void apply_to_one(Pointwise operation, Group<T, kCount>& v, const T (&numbers)[3]) {
  const T p = numbers[0], q = numbers[1], r = numbers[2];
  switch (operation) {
    case WAVESMITH_POINTWISE_FILL:
      return v.each([=](T, T, T) { return p; });
    case WAVESMITH_POINTWISE_NEGATE:
      return v.each([](T x, T, T) { return -x; });
    case WAVESMITH_POINTWISE_ABSOLUTE:
      return v.each([](T x, T, T) { return __builtin_elementwise_abs(x); });
    case WAVESMITH_POINTWISE_SIGN:
      return v.each([](T x, T, T) { return x > 0 ? T(1) : x < 0 ? T(-1) : T(0); });
    case WAVESMITH_POINTWISE_LOGICAL_NOT:
      return v.each([](T x, T, T) { return x == 0 ? T(1) : T(0); });
    case WAVESMITH_POINTWISE_CLAMP:
      return v.each([=](T x, T, T) { return is_nan(x) ? x : smaller(larger(x, p), q); });
    case WAVESMITH_POINTWISE_SIGN_BIT:
      return v.each([](T x, T, T) { return __builtin_elementwise_copysign(T(1), x) < 0 ? T(1) : T(0); });
    case WAVESMITH_POINTWISE_RECIPROCAL:
      return v.each([](T x, T, T) { return 1 / x; });
    case WAVESMITH_POINTWISE_SQRT:
      return v.each([](T x, T, T) { return sqrt_of(x); });
    case WAVESMITH_POINTWISE_RECIPROCAL_ROOT:
      return v.each([](T x, T, T) { return reciprocal_root_of(x); });
    case WAVESMITH_POINTWISE_FLOOR:
      return v.each([](T x, T, T) { return __builtin_elementwise_floor(x); });
    case WAVESMITH_POINTWISE_CEIL:
      return v.each([](T x, T, T) { return __builtin_elementwise_ceil(x); });
    case WAVESMITH_POINTWISE_TRUNCATE:
      return v.each([](T x, T, T) { return __builtin_elementwise_trunc(x); });
    case WAVESMITH_POINTWISE_ROUND:
      return v.each([](T x, T, T) { return __builtin_elementwise_rint(x); });
    case WAVESMITH_POINTWISE_FRACTION:
      return v.each([](T x, T, T) { return x - __builtin_elementwise_trunc(x); });
    case WAVESMITH_POINTWISE_LEAKY_RELU:
      return v.each([=](T x, T, T) { return x > 0 ? x : x * p; });
    case WAVESMITH_POINTWISE_NAN_TO_NUMBER:
      return v.each([=](T x, T, T) {
        const T infinity = static_cast<T>(wide::kInfinity);
        return is_nan(x) ? p : x == infinity ? q : x == -infinity ? r : x;
      });
    default:
      return;
  }
}

/// What has exponentials; in kernels of several doubles per thread there are none.
template <class T, int kCount>
TILE_DEVICE void apply_exponential(Pointwise operation, Group<T, kCount>& v) {
  switch (operation) {
    case WAVESMITH_POINTWISE_EXP:
      return v.each([](T x, T, T) { return exp_of(x); });
    case WAVESMITH_POINTWISE_LOG:
      return v.each([](T x, T, T) { return log_of(x); });
    case WAVESMITH_POINTWISE_SIGMOID:
      return v.each([](T x, T, T) { return sigmoid_of(x); });
    case WAVESMITH_POINTWISE_TANH:
      return v.each([](T x, T, T) { return tanh_of(x); });
    case WAVESMITH_POINTWISE_SILU:
      return v.each([](T x, T, T) { return x * sigmoid_of(x); });
    case WAVESMITH_POINTWISE_GELU_TANH:
      return v.each([](T x, T, T) { return x * sigmoid_of(2 * tanh_argument_of_gelu(x)); });
    case WAVESMITH_POINTWISE_SILU_BACKWARD:
      return v.each([](T x, T z, T) {
        const T s = sigmoid_of(z);
        return x * s * (1 + z * (1 - s));
      });
    case WAVESMITH_POINTWISE_GELU_TANH_BACKWARD:
      return v.each([](T x, T z, T) {
        const T s = sigmoid_of(2 * tanh_argument_of_gelu(z));
        const T slope = T(1.59576912160573071176) * (1 + T(3 * 0.044715) * z * z);
        return x * s * (1 + z * slope * (1 - s));
      });
    default:
      return;
  }
}

template <class T, int kCount>
TILE_DEVICE void apply_to_several(Pointwise operation, Group<T, kCount>& v, const T (&numbers)[3]) {
  const T p = numbers[0], q = numbers[1];
  switch (operation) {
    case WAVESMITH_POINTWISE_ADD:
      return v.each([=](T x, T z, T) { return x + p * z; });
    case WAVESMITH_POINTWISE_MULTIPLY:
      return v.each([](T x, T z, T) { return x * z; });
    case WAVESMITH_POINTWISE_MAXIMUM:
      return v.each([](T x, T z, T) { return larger(x, z); });
    case WAVESMITH_POINTWISE_MINIMUM:
      return v.each([](T x, T z, T) { return smaller(x, z); });
    case WAVESMITH_POINTWISE_EQUAL:
      return v.each([](T x, T z, T) { return x == z ? T(1) : T(0); });
    case WAVESMITH_POINTWISE_NOT_EQUAL:
      return v.each([](T x, T z, T) { return x != z ? T(1) : T(0); });
    case WAVESMITH_POINTWISE_LESS:
      return v.each([](T x, T z, T) { return x < z ? T(1) : T(0); });
    case WAVESMITH_POINTWISE_LESS_EQUAL:
      return v.each([](T x, T z, T) { return x <= z ? T(1) : T(0); });
    case WAVESMITH_POINTWISE_GREATER:
      return v.each([](T x, T z, T) { return x > z ? T(1) : T(0); });
    case WAVESMITH_POINTWISE_GREATER_EQUAL:
      return v.each([](T x, T z, T) { return x >= z ? T(1) : T(0); });
    case WAVESMITH_POINTWISE_LOGICAL_AND:
      return v.each([](T x, T z, T) { return x != 0 && z != 0 ? T(1) : T(0); });
    case WAVESMITH_POINTWISE_LOGICAL_OR:
      return v.each([](T x, T z, T) { return x != 0 || z != 0 ? T(1) : T(0); });
    case WAVESMITH_POINTWISE_LOGICAL_XOR:
      return v.each([](T x, T z, T) { return (x != 0) != (z != 0) ? T(1) : T(0); });
    case WAVESMITH_POINTWISE_MASKED_FILL:
      return v.each([=](T x, T z, T) { return z != 0 ? p : x; });
    case WAVESMITH_POINTWISE_DIVIDE:
      return v.each([](T x, T z, T) { return x / z; });
    case WAVESMITH_POINTWISE_FMAX:
      return v.each([](T x, T z, T) { return is_nan(z) || x > z ? x : z; });
    case WAVESMITH_POINTWISE_FMIN:
      return v.each([](T x, T z, T) { return is_nan(z) || x < z ? x : z; });
    case WAVESMITH_POINTWISE_COPY_SIGN:
      return v.each([](T x, T z, T) { return __builtin_elementwise_copysign(x, z); });
    case WAVESMITH_POINTWISE_SQUARED_DIFFERENCE:
      return v.each([](T x, T z, T) { return (x - z) * (x - z); });
    case WAVESMITH_POINTWISE_THRESHOLD:
      return v.each([=](T x, T z, T) { return x <= p ? q : z; });
    case WAVESMITH_POINTWISE_INTERPOLATE:
      return v.each([=](T x, T z, T) { return interpolated(x, z, p); });
    case WAVESMITH_POINTWISE_SIGMOID_BACKWARD:
      return v.each([](T x, T z, T) { return x * (1 - z) * z; });
    case WAVESMITH_POINTWISE_TANH_BACKWARD:
      return v.each([](T x, T z, T) { return x * (1 - z * z); });
    case WAVESMITH_POINTWISE_LEAKY_RELU_BACKWARD:
      return v.each([=](T x, T z, T) { return x > 0 ? z : z * p; });
    case WAVESMITH_POINTWISE_CLAMP_BACKWARD:
      return v.each([=](T x, T z, T) { return z <= p || z >= q ? T(0) : x; });
    case WAVESMITH_POINTWISE_WHERE:
      return v.each([](T x, T z, T w) { return x != 0 ? z : w; });
    case WAVESMITH_POINTWISE_CLAMP_BETWEEN:
      return v.each([](T x, T z, T w) { return is_nan(x) ? x : smaller(larger(x, z), w); });
    case WAVESMITH_POINTWISE_ADD_PRODUCT:
      return v.each([=](T x, T z, T w) { return x + p * z * w; });
    case WAVESMITH_POINTWISE_ADD_QUOTIENT:
      return v.each([=](T x, T z, T w) { return x + p * (z / w); });
    case WAVESMITH_POINTWISE_INTERPOLATE_BETWEEN:
      return v.each([](T x, T z, T w) { return interpolated(x, z, w); });
    default:
      return;
  }
}

template <class T, int kCount>
TILE_DEVICE void apply(Pointwise operation, Group<T, kCount>& v, const T (&numbers)[3]) {
  if (operation == WAVESMITH_POINTWISE_COPY) return;
  if (inputs_of(operation) < 2)
    apply_to_one(operation, v, numbers);
  else
    apply_to_several(operation, v, numbers);
  if constexpr (kCount == 1 || sizeof(T) == 4) apply_exponential(operation, v);
  if constexpr (kCount == 1) apply_long(operation, v, numbers);
}

}  // namespace wavesmith::kernels
