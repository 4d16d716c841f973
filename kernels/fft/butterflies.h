// Transforms of a few numbers in registers.
#pragma once

#include "tile/arch/device.h"

namespace wavesmith::kernels {

/// The real part and the imaginary one.
template <class T>
using FftNumber = tile::Vector<T, 2>;

template <class T>
TILE_DEVICE FftNumber<T> product(FftNumber<T> a, FftNumber<T> b) {
  return a.xx * b + a.yy * FftNumber<T>{-b.y, b.x};
}
/// Times -i.
template <class T>
TILE_DEVICE FftNumber<T> turned(FftNumber<T> a) {
  return {a.y, -a.x};
}

/// Cosines and sines of 2 pi k / R for k from 1 to R / 2.
template <int R>
struct OddRoots;
template <>
struct OddRoots<3> {
  static constexpr double kCosine[] = {-0.5}, kSine[] = {0.866025403784438646763723};
};
template <>
struct OddRoots<5> {
  static constexpr double kCosine[] = {0.309016994374947424102293, -0.809016994374947424102293},
                          kSine[] = {0.951056516295153572116439, 0.587785252292473129168706};
};
template <>
struct OddRoots<7> {
  static constexpr double kCosine[] = {0.623489801858733530525005, -0.222520933956314404288903,
                                       -0.900968867902419126236102},
                          kSine[] = {0.781831482468029808708444, 0.974927912181823607018131,
                                     0.433883739117558120475768};
};

/// Of an odd number of numbers: sums and differences of pairs.
template <int R, class T>
TILE_DEVICE void transform(FftNumber<T> (&v)[R]) {
  constexpr int kHalf = R / 2;
  FftNumber<T> sums[kHalf], differences[kHalf], all = v[0];
  TILE_UNROLL for (int k = 1; k <= kHalf; ++k) {
    sums[k - 1] = v[k] + v[R - k], differences[k - 1] = v[k] - v[R - k];
    all += sums[k - 1];
  }
  TILE_UNROLL for (int m = 1; m <= kHalf; ++m) {
    FftNumber<T> even = v[0], odd = {0, 0};
    TILE_UNROLL for (int k = 1; k <= kHalf; ++k) {
      const int at = k * m % R, nearer = at > kHalf ? R - at : at;
      const auto c = static_cast<T>(OddRoots<R>::kCosine[nearer - 1]);
      const auto s =
          static_cast<T>(at > kHalf ? -OddRoots<R>::kSine[nearer - 1] : OddRoots<R>::kSine[nearer - 1]);
      even += c * sums[k - 1], odd += s * differences[k - 1];
    }
    v[m] = even + turned<T>(odd), v[R - m] = even - turned<T>(odd);
  }
  v[0] = all;
}
template <class T>
TILE_DEVICE void transform(FftNumber<T> (&v)[2]) {
  const FftNumber<T> a = v[0];
  v[0] = a + v[1], v[1] = a - v[1];
}
template <class T>
TILE_DEVICE void transform(FftNumber<T> (&v)[4]) {
  const FftNumber<T> a = v[0] + v[2], b = v[0] - v[2], c = v[1] + v[3], d = turned<T>(v[1] - v[3]);
  v[0] = a + c, v[1] = b + d, v[2] = a - c, v[3] = b - d;
}
template <class T>
TILE_DEVICE void transform(FftNumber<T> (&v)[8]) {
  const auto half = static_cast<T>(0.707106781186547524400844);
  FftNumber<T> even[4] = {v[0], v[2], v[4], v[6]}, odd[4] = {v[1], v[3], v[5], v[7]};
  transform<T>(even), transform<T>(odd);
  odd[1] = half * (odd[1] + turned<T>(odd[1]));
  odd[2] = turned<T>(odd[2]);
  odd[3] = half * (turned<T>(odd[3]) - odd[3]);
  TILE_UNROLL for (int k = 0; k < 4; ++k) v[k] = even[k] + odd[k], v[k + 4] = even[k] - odd[k];
}

}  // namespace wavesmith::kernels
