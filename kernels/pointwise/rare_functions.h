// Operations that models rarely have: activations that few have, losses, roundings, and parts of numbers.
#pragma once

#include "kernels/pointwise/complex.h"
#include "kernels/pointwise/gamma_functions.h"
#include "kernels/pointwise/integers.h"
#include "kernels/pointwise/large_angles.h"

namespace wavesmith::kernels {

/// The next number from x on to z.
template <class Bits, class T>
TILE_DEVICE T next_after_of(T x, T z) {
  if (is_nan(x) || is_nan(z)) return x + z;
  if (x == z) return z;
  if (x == 0) return __builtin_elementwise_copysign(tile::bits_as<T>(Bits(1)), z);
  const Bits bits = tile::bits_as<Bits>(x);
  return tile::bits_as<T>((x < z) == (x > 0) ? bits + 1 : bits - 1);
}
TILE_DEVICE float next_after(float x, float z) { return next_after_of<tile::u32>(x, z); }
TILE_DEVICE double next_after(double x, double z) { return next_after_of<tile::u64>(x, z); }

/// Each step is rounded, as where tensors of its results are kept between.
template <class T>
TILE_DEVICE bool is_close(T x, T z, const T (&numbers)[3]) {
#pragma clang fp contract(off)
  if (x == z || (numbers[2] != 0 && is_nan(x) && is_nan(z))) return true;
  const T apart = __builtin_elementwise_abs(x - z), share = numbers[1] * z;
  const T allowed = numbers[0] + __builtin_elementwise_abs(share);
  return apart <= allowed && apart < static_cast<T>(__builtin_inf());
}

template <class T>
TILE_DEVICE T hard_sigmoid(T x) {
  return smaller(larger(x + 3, T(0)), T(6)) / 6;
}

/// tanh(log(1 + e^x)) by e^x, and 1 minus it.
struct TanhOfSoftplus {
  double value, rest;
  TILE_DEVICE explicit TanhOfSoftplus(double x) {
    const double power = wide::exp(__builtin_fmin(x, 40)), terms = power * (power + 2);
    value = x != x ? x : terms / (terms + 2);
    rest = x != x ? x : 2 / (terms + 2);
  }
};

TILE_DEVICE double logit(double x, double least) {
  const double y = least < 0 || x != x ? x : __builtin_fmin(__builtin_fmax(x, least), 1 - least);
  return wide::log(y / (1 - y));
}

/// No logarithm of a probability is less.
TILE_DEVICE double bounded_log(double log) { return log < -100 ? -100 : log; }

/// In double precision.
template <class T>
TILE_DEVICE void apply_rare_long(Pointwise operation, Group<T, 1>& v, const T (&numbers)[3]) {
  const double x = static_cast<double>(v.x[0]), z = static_cast<double>(v.z[0]);
  const double p = static_cast<double>(numbers[0]);
  const auto is = [&](double result) { v.x[0] = static_cast<T>(result); };
  switch (operation) {
    case WAVESMITH_POINTWISE_SINC:
      return is(x == 0 ? 1 : wide::HalfTurns(x).sine / (wide::kPi * x));
    case WAVESMITH_POINTWISE_LOGIT:
      return is(logit(x, p));
    case WAVESMITH_POINTWISE_LOGIT_BACKWARD: {
      const double least = p < 0 ? 0 : p;
      const bool outside = z < least || z > 1 - least;
      return is(!outside ? x / (z * (1 - z)) : p < 0 ? __builtin_nan("") : 0);
    }
    case WAVESMITH_POINTWISE_MISH:
      return is(x * TanhOfSoftplus(x).value);
    case WAVESMITH_POINTWISE_MISH_BACKWARD: {
      const TanhOfSoftplus t(z);
      return is(x * (t.value + z * t.rest * (1 + t.value) / (1 + wide::exp(-z))));
    }
    case WAVESMITH_POINTWISE_LOG_SIGMOID_BACKWARD:
      return is(x / (1 + wide::exp(z)));
    case WAVESMITH_POINTWISE_GLU:
      return is(x / (1 + wide::exp(-z)));
    case WAVESMITH_POINTWISE_ANGLE:
      return is(x != x ? x : x < 0 ? wide::kPi : 0);
    case WAVESMITH_POINTWISE_X_LOG1P_Z:
      return is(z != z ? z : x == 0 ? 0 : x * wide::log1p(z));
    case WAVESMITH_POINTWISE_BINARY_CROSS_ENTROPY:
      return is((z - 1) * bounded_log(wide::log1p(-x)) - z * bounded_log(wide::log(x)));
    default:
      return;
  }
}

/// Losses of d = x - z, and what the gradient w is multiplied by.
template <class T>
TILE_DEVICE void apply_loss(Pointwise operation, Group<T, 1>& v, const T (&numbers)[3]) {
  const T d = v.x[0] - v.z[0], size = __builtin_elementwise_abs(d), p = numbers[0], q = numbers[1];
  const auto is = [&](T result) { v.x[0] = result; };
  switch (operation) {
    case WAVESMITH_POINTWISE_SMOOTH_L1:
      return is(size < p ? T(0.5) * size * size / p : size - T(0.5) * p);
    case WAVESMITH_POINTWISE_HUBER:
      return is(size <= p ? T(0.5) * size * size : p * (size - T(0.5) * p));
    case WAVESMITH_POINTWISE_SMOOTH_L1_BACKWARD:
      return is(p * v.w[0] * (d <= -q ? T(-1) : d >= q ? T(1) : d / q));
    case WAVESMITH_POINTWISE_HUBER_BACKWARD:
      return is(p * v.w[0] * (d <= -q ? -q : d >= q ? q : d));
    case WAVESMITH_POINTWISE_SQUARED_DIFFERENCE_BACKWARD:
      return is(p * d * v.w[0]);
    default: {
      const T spread = (1 - v.x[0]) * v.x[0];
      return is(p * v.w[0] * d / (spread < T(1e-12) ? T(1e-12) : spread));
    }
  }
}

template <class T>
TILE_DEVICE void apply_rare(Pointwise operation, Group<T, 1>& v, const T (&numbers)[3]) {
  if (operation >= WAVESMITH_POINTWISE_SMOOTH_L1 && operation != WAVESMITH_POINTWISE_BINARY_CROSS_ENTROPY)
    return apply_loss(operation, v, numbers);
  const T x = v.x[0], z = v.z[0], w = v.w[0], p = numbers[0];
  const auto is = [&](T result) { v.x[0] = result; };
  switch (operation) {
    case WAVESMITH_POINTWISE_HARD_SIGMOID:
      return is(hard_sigmoid(x));
    case WAVESMITH_POINTWISE_HARD_SWISH:
      return is(x * hard_sigmoid(x));
    case WAVESMITH_POINTWISE_HARD_SHRINK:
      return is(x >= -p && x <= p ? T(0) : x);
    case WAVESMITH_POINTWISE_SOFT_SHRINK:
      return is(x > p ? x - p : x < -p ? x + p : is_nan(x) ? x : T(0));
    case WAVESMITH_POINTWISE_ROUND_MULTIPLE:
      return is(numbers[1] != 0 ? __builtin_elementwise_rint(x / p) * p
                                : __builtin_elementwise_rint(x * p) / p);
    case WAVESMITH_POINTWISE_MANTISSA:
      return is(static_cast<T>(__builtin_amdgcn_frexp_mant(static_cast<double>(x))));
    case WAVESMITH_POINTWISE_EXPONENT:
      return is(static_cast<T>(__builtin_amdgcn_frexp_exp(static_cast<double>(x))));
    case WAVESMITH_POINTWISE_HEAVISIDE:
      return is(x == 0 ? z : x > 0 ? T(1) : T(0));
    case WAVESMITH_POINTWISE_NEXT_AFTER:
      return is(next_after(x, z));
    case WAVESMITH_POINTWISE_PRELU:
      return is(x > 0 ? x : x * z);
    case WAVESMITH_POINTWISE_HARD_SIGMOID_BACKWARD:
      return is(z > -3 && z < 3 ? x / 6 : T(0));
    case WAVESMITH_POINTWISE_HARD_SWISH_BACKWARD:
      return is(z <= -3 ? T(0) : z < 3 ? x * (z / 3 + T(0.5)) : x);
    case WAVESMITH_POINTWISE_SHRINK_BACKWARD:
      return is(z >= -p && z <= p ? T(0) : x);
    case WAVESMITH_POINTWISE_PRELU_WEIGHT_BACKWARD:
      return is(z > 0 ? T(0) : x * z);
    case WAVESMITH_POINTWISE_PRELU_BACKWARD:
      return is(z > 0 ? x : x * w);
    case WAVESMITH_POINTWISE_GLU_BACKWARD:
      return is((1 - x) * x * z * w);
    case WAVESMITH_POINTWISE_IS_CLOSE:
      return is(is_close(x, z, numbers) ? T(1) : T(0));
    default:
      return apply_rare_long(operation, v, numbers);
  }
}

/// By Euclid; of the most negative number 2^63 is cut.
TILE_DEVICE tile::u64 greatest_divisor(tile::i64 x, tile::i64 z) {
  const auto size = [](tile::i64 a) {
    return a < 0 ? -static_cast<tile::u64>(a) : static_cast<tile::u64>(a);
  };
  tile::u64 a = size(x), b = size(z);
  TILE_KEEP_LOOP while (b != 0) {
    const tile::u64 rest = a % b;
    a = b;
    b = rest;
  }
  return a;
}
TILE_DEVICE void apply_rare(Pointwise operation, Group<tile::i64, 1>& v, const tile::i64 (&)[3]) {
  const tile::i64 x = v.x[0], z = v.z[0];
  if (operation == WAVESMITH_POINTWISE_HEAVISIDE) {
    v.x[0] = x == 0 ? z : x > 0 ? 1 : 0;
    return;
  }
  const auto divisor = static_cast<tile::i64>(greatest_divisor(x, z));
  const tile::i64 multiple = divisor == 0 ? 0 : product(quotient(x, divisor), z);
  v.x[0] = operation == WAVESMITH_POINTWISE_GCD ? divisor : multiple < 0 ? product(multiple, -1) : multiple;
}

using WideComplex = Complex<double>;

TILE_DEVICE WideComplex complex_sigmoid(WideComplex x) {
  const wide::Angle angle = wide::angle_of(-x.im);
  const double power = wide::exp(-x.re);
  return quotient(WideComplex{1, 0}, WideComplex{1 + power * angle.cosine, power * angle.sine});
}
TILE_DEVICE void apply_rare(Pointwise operation, Group<WideComplex, 1>& v, const WideComplex (&)[3]) {
  const WideComplex x = v.x[0], z = v.z[0];
  switch (operation) {
    case WAVESMITH_POINTWISE_SIGN: {
      const double size = size_of(x);
      v.x[0] = size == 0 ? WideComplex{0, 0} : WideComplex{x.re / size, x.im / size};
      return;
    }
    case WAVESMITH_POINTWISE_SILU:
      v.x[0] = product(x, complex_sigmoid(x));
      return;
    case WAVESMITH_POINTWISE_SILU_BACKWARD: {
      const WideComplex s = complex_sigmoid(z), rest = product(z, {1 - s.re, -s.im});
      const WideComplex slope = product(s, {1 + rest.re, rest.im});
      v.x[0] = product(x, {slope.re, -slope.im});
      return;
    }
    case WAVESMITH_POINTWISE_ANGLE:
      v.x[0] = {wide::atan2(x.im, x.re), 0};
      return;
    case WAVESMITH_POINTWISE_CONJUGATE:
      v.x[0] = {x.re, -x.im};
      return;
    case WAVESMITH_POINTWISE_COMPLEX:
      v.x[0] = {x.re, z.re};
      return;
    case WAVESMITH_POINTWISE_POLAR: {
      const wide::Angle angle = wide::angle_of(z.re);
      v.x[0] = {x.re * angle.cosine, x.re * angle.sine};
      return;
    }
    default:
      return;
  }
}

}  // namespace wavesmith::kernels
