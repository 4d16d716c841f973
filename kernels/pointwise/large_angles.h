// Sines and cosines of doubles of any size. M. H. Payne and R. N. Hanek ("Radian Reduction for Trigonometric
// Functions", 1983) multiply with those bits of 2 / pi alone that decide the angle within a turn.
#pragma once

#include <bit>

#include "kernels/pointwise/double_functions.h"

namespace wavesmith::kernels::wide {

/// Of 2^48 <= |x| < infinity. With x = m 2^e and an integer m of 53 bits: 192 bits of 2 / pi, of which the
/// first counts 2 quarters in the product with 2^e; those before it count whole turns, those behind it less
/// than 2^-137 of a quarter.
TILE_DEVICE Angle large_angle(double x) {
  // 64 zeros, then the bits of 2 / pi behind the point.
  static constexpr unsigned long kBits[] = {
      0x0000000000000000, 0xa2f9836e4e441529, 0xfc2757d1f534ddc0, 0xdb6295993c439041, 0xfe5163abdebbc561,
      0xb7246e3a424dd2e0, 0x06492eea09d1921c, 0xfe1deb1cb129a73e, 0xe88235f52ebb4484, 0xe99c7026b45f7e41,
      0x3991d639835339f4, 0x9c845f8bbdf9283b, 0x1ff897ffde05980f, 0xef2f118b5a0a6d1f, 0x6d367ecf27cb09b7,
      0x4f463f669e5fea2d, 0x7527bac7ebe5f17b, 0x3d0739f78a5292ea, 0x6bfb5fb11f8d5d08, 0x56033046fc7b6bab};
  using Wide = unsigned __int128;
  const auto bits = std::bit_cast<unsigned long>(x);
  const unsigned long m = (bits & ((1UL << 52) - 1)) | 1UL << 52;
  const int exponent = static_cast<int>(bits >> 52 & 2047) - 1075;
  const int first = exponent - 1 + 63, word = first / 64, shift = first % 64;
  unsigned long window[3];
  TILE_UNROLL for (int i = 0; i < 3; ++i) {
    const Wide pair = static_cast<Wide>(kBits[word + i]) << 64 | kBits[word + i + 1];
    window[i] = static_cast<unsigned long>(pair << shift >> 64);
  }
  const Wide low = static_cast<Wide>(m) * window[2];
  const Wide middle = static_cast<Wide>(m) * window[1] + (low >> 64);
  const unsigned long high = m * window[0] + static_cast<unsigned long>(middle >> 64);
  const auto next = static_cast<unsigned long>(middle);
  // Two bits of quarters, rounded; the rest is a signed fraction of one.
  const auto fraction = static_cast<long>(high << 2 | next >> 62);
  const int quarters = static_cast<int>((high + (1UL << 61)) >> 62);
  const double part = __builtin_fma(static_cast<double>(next << 2), 0x1p-64, static_cast<double>(fraction));
  const double rest = part * (kPi / 2 * 0x1p-64);
  return x < 0 ? Angle(-rest, -quarters & 3) : Angle(rest, quarters);
}

TILE_DEVICE Angle angle_of(double x) {
  const double size = __builtin_fabs(x);
  return size >= 0x1p48 && size < kInfinity ? large_angle(x) : Angle(x);
}

}  // namespace wavesmith::kernels::wide
