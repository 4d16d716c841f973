// The operations on complex numbers.
#pragma once

#include "kernels/pointwise/elements.h"
#include "kernels/pointwise/functions.h"

namespace wavesmith::kernels {

template <class T>
TILE_DEVICE Complex<T> product(Complex<T> x, Complex<T> z) {
  return {x.re * z.re - x.im * z.im, x.re * z.im + x.im * z.re};
}
/// By the divisor's larger part, so that nothing overflows between (Smith, "Algorithm 116").
template <class T>
TILE_DEVICE Complex<T> quotient(Complex<T> x, Complex<T> z) {
  const bool real = __builtin_elementwise_abs(z.re) >= __builtin_elementwise_abs(z.im);
  const T larger = real ? z.re : z.im, smaller = real ? z.im : z.re;
  const T ratio = larger == 0 ? T(0) : smaller / larger, scale = 1 / (larger + smaller * ratio);
  return real ? Complex<T>{(x.re + x.im * ratio) * scale, (x.im - x.re * ratio) * scale}
              : Complex<T>{(x.re * ratio + x.im) * scale, (x.im * ratio - x.re) * scale};
}
template <class T>
TILE_DEVICE T size_of(Complex<T> x) {
  const T re = __builtin_elementwise_abs(x.re), im = __builtin_elementwise_abs(x.im);
  const T larger = re > im ? re : im, smaller = re > im ? im : re, ratio = smaller / larger;
  if (larger == static_cast<T>(wide::kInfinity) || larger == 0) return larger;
  return larger * sqrt_of(1 + ratio * ratio);
}

template <class T>
TILE_DEVICE void apply(Pointwise operation, Group<Complex<T>, 1>& v, const Complex<T> (&numbers)[3]) {
  const Complex<T> x = v.x[0], z = v.z[0], w = v.w[0];
  const auto truth = [&](bool so) { v.x[0] = {so ? T(1) : T(0), T(0)}; };
  const auto not_zero = [](Complex<T> a) { return a.re != 0 || a.im != 0; };
  switch (operation) {
    case WAVESMITH_POINTWISE_FILL:
      v.x[0] = numbers[0];
      return;
    case WAVESMITH_POINTWISE_NEGATE:
      v.x[0] = {-x.re, -x.im};
      return;
    case WAVESMITH_POINTWISE_ABSOLUTE:
      v.x[0] = {size_of(x), T(0)};
      return;
    case WAVESMITH_POINTWISE_LOGICAL_NOT:
      return truth(!not_zero(x));
    case WAVESMITH_POINTWISE_ADD: {
      const Complex<T> scaled = product(numbers[0], z);
      v.x[0] = {x.re + scaled.re, x.im + scaled.im};
      return;
    }
    case WAVESMITH_POINTWISE_MULTIPLY:
      v.x[0] = product(x, z);
      return;
    case WAVESMITH_POINTWISE_DIVIDE:
      v.x[0] = quotient(x, z);
      return;
    case WAVESMITH_POINTWISE_EQUAL:
      return truth(x.re == z.re && x.im == z.im);
    case WAVESMITH_POINTWISE_NOT_EQUAL:
      return truth(x.re != z.re || x.im != z.im);
    case WAVESMITH_POINTWISE_MASKED_FILL:
      v.x[0] = not_zero(z) ? numbers[0] : x;
      return;
    case WAVESMITH_POINTWISE_WHERE:
      v.x[0] = not_zero(x) ? z : w;
      return;
    default:
      return;
  }
}

}  // namespace wavesmith::kernels
