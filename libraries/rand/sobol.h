// Sobol's quasi-random points, whose every stretch of 2^k fills the unit cube evenly: Antonov and Saleev's
// order of them (1979), with the direction numbers of Joe and Kuo, "Constructing Sobol sequences with better
// two-dimensional projections" (SIAM J. Sci. Comput. 30, 2008), their set new-joe-kuo-6, as rocRAND has it.
#pragma once

#include <bit>
#include <cstdint>

namespace wavesmith::libraries {

/// A primitive polynomial over the integers modulo 2, of a degree and with the coefficients between its first
/// and its last one, and the first direction numbers.
struct Primitive {
  uint8_t degree, coefficients, first[7];
};
// clang-format off
inline constexpr Primitive kPrimitives[] = {  // of the second dimension and the next ones
    {1, 0, {1}},
    {2, 1, {1, 3}},
    {3, 1, {1, 3, 1}},
    {3, 2, {1, 1, 1}},
    {4, 1, {1, 1, 3, 3}},
    {4, 4, {1, 3, 5, 13}},
    {5, 2, {1, 1, 5, 5, 17}},
    {5, 4, {1, 1, 5, 5, 5}},
    {5, 7, {1, 1, 7, 11, 19}},
    {5, 11, {1, 1, 5, 1, 1}},
    {5, 13, {1, 1, 1, 3, 11}},
    {5, 14, {1, 3, 5, 5, 31}},
    {6, 1, {1, 3, 3, 9, 7, 49}},
    {6, 13, {1, 1, 1, 15, 21, 21}},
    {6, 16, {1, 3, 1, 13, 27, 49}},
    {6, 19, {1, 1, 1, 15, 7, 5}},
    {6, 22, {1, 3, 1, 15, 13, 25}},
    {6, 25, {1, 1, 5, 5, 19, 61}},
    {7, 1, {1, 3, 7, 11, 23, 15, 103}},
    {7, 4, {1, 3, 7, 13, 13, 15, 69}},
};
// clang-format on
inline constexpr unsigned kSobolDimensions = 1 + sizeof kPrimitives / sizeof *kPrimitives;

/// One coordinate of the points, counted from 0.
class Sobol {
 public:
  /// From the point `index` on.
  Sobol(unsigned dimension, uint32_t index) : index_(index) {
    directions(dimension);
    const uint32_t gray = index ^ index >> 1;
    for (unsigned bit = 0; bit < 32; ++bit)
      if (gray >> bit & 1) now_ ^= directions_[bit];
  }
  /// In units of 2^-32.
  uint32_t next() {
    const uint32_t value = now_;
    // The place of the index's lowest 0: the one bit in which the next Gray code differs.
    if (const int bit = std::countr_one(index_++); bit < 32) now_ ^= directions_[bit];
    return value;
  }

 private:
  void directions(unsigned dimension) {
    if (dimension == 0) {
      for (unsigned i = 0; i < 32; ++i) directions_[i] = uint32_t{1} << (31 - i);
      return;
    }
    const Primitive& p = kPrimitives[dimension - 1];
    for (unsigned i = 0; i < 32; ++i) {
      if (i < p.degree) {
        directions_[i] = static_cast<uint32_t>(p.first[i]) << (31 - i);
        continue;
      }
      directions_[i] = directions_[i - p.degree] ^ directions_[i - p.degree] >> p.degree;
      for (unsigned k = 1; k < p.degree; ++k)
        if (p.coefficients >> (p.degree - 1 - k) & 1) directions_[i] ^= directions_[i - k];
    }
  }

  uint32_t directions_[32];
  uint32_t index_, now_ = 0;
};

}  // namespace wavesmith::libraries
