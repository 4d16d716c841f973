// Real and complex numbers with the same names for what linear algebra asks of them.
#pragma once

#include "kernels/pointwise/elements.h"

namespace wavesmith::kernels {

template <class S>
struct RealOf {
  using Type = S;
};
template <class T>
struct RealOf<Complex<T>> {
  using Type = T;
};
template <class S>
using Real = typename RealOf<S>::Type;

/// Half the distance between 1 and the next number.
template <class T>
inline constexpr T kEpsilon = __is_same(T, float) ? T(0x1p-24) : T(0x1p-53);

template <class T>
TILE_DEVICE Complex<T> operator+(Complex<T> x, Complex<T> z) {
  return {x.re + z.re, x.im + z.im};
}
template <class T>
TILE_DEVICE Complex<T> operator-(Complex<T> x, Complex<T> z) {
  return {x.re - z.re, x.im - z.im};
}
template <class T>
TILE_DEVICE Complex<T> operator*(Complex<T> x, Complex<T> z) {
  return {x.re * z.re - x.im * z.im, x.re * z.im + x.im * z.re};
}

/// By the divisor's larger part, so that nothing overflows between (Smith, "Algorithm 116").
template <class T>
TILE_DEVICE Complex<T> reciprocal(Complex<T> x) {
  const bool real = __builtin_elementwise_abs(x.re) >= __builtin_elementwise_abs(x.im);
  const T larger = real ? x.re : x.im, smaller = real ? x.im : x.re;
  const T ratio = smaller / larger, scale = 1 / (larger + smaller * ratio);
  return real ? Complex<T>{scale, -ratio * scale} : Complex<T>{ratio * scale, -scale};
}
TILE_DEVICE float reciprocal(float x) { return 1 / x; }
TILE_DEVICE double reciprocal(double x) { return 1 / x; }

template <class T>
TILE_DEVICE Complex<T> conjugate(Complex<T> x) {
  return {x.re, -x.im};
}
TILE_DEVICE float conjugate(float x) { return x; }
TILE_DEVICE double conjugate(double x) { return x; }

template <class T>
TILE_DEVICE T real_of(Complex<T> x) {
  return x.re;
}
TILE_DEVICE float real_of(float x) { return x; }
TILE_DEVICE double real_of(double x) { return x; }

template <class T>
TILE_DEVICE T imaginary_of(Complex<T> x) {
  return x.im;
}
template <class T>
TILE_DEVICE T imaginary_of(T /*x*/) {
  return T(0);
}

/// A number of the type.
template <class S>
TILE_DEVICE S number(Real<S> re, Real<S> im = 0) {
  if constexpr (kIsComplex<S>)
    return {re, im};
  else
    return re;
}

template <class S>
TILE_DEVICE S scaled(S x, Real<S> by) {
  if constexpr (kIsComplex<S>)
    return {x.re * by, x.im * by};
  else
    return x * by;
}

/// What pivots are chosen by, as LAPACK does: of complex numbers the sum of the parts' sizes.
template <class S>
TILE_DEVICE Real<S> rough_size(S x) {
  return __builtin_elementwise_abs(real_of(x)) + __builtin_elementwise_abs(imaginary_of(x));
}

TILE_DEVICE float root(float x) { return __builtin_sqrtf(x); }
TILE_DEVICE double root(double x) { return __builtin_sqrt(x); }

}  // namespace wavesmith::kernels
