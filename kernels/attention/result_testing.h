// For tests of attention: whether a result keeps the bound of wavesmith_attention.h.
#pragma once

#include <cmath>

#include "kernels/testing.h"

namespace wavesmith::kernels {

/// What double precision says of an element of a row of O.
struct ExpectedElement {
  double value, magnitude, values;  ///< sums over keys: weight * v, weight * |v|, |v|
  bool nan;                         ///< because of the row's scores
};

/// `error`: of the row's scores, in all at most; `keys`: that it sees; `on_cdna2`, which takes weights that
/// are subnormal in f16 for 0. Kept in `note`.
inline testing::AssertionResult keeps_bound(double got, const ExpectedElement& expected, Type type,
                                            double error, size_t keys, bool on_cdna2, ErrorNote& note) {
  if (expected.nan || std::isnan(expected.value)) {
    if (std::isnan(got)) return testing::AssertionSuccess();
    return testing::AssertionFailure() << got << " instead of NaN";
  }
  const double unit = epsilon_of(type);
  const double least = type != WAVESMITH_KERNELS_F16 ? 0x1p-118 : on_cdna2 ? 0x1p-21 : 0x1p-32;
  const double allowed =
      (unit + 2 * error + (static_cast<double>(keys) + 100) * 0x1p-24) * expected.magnitude +
      unit * std::abs(expected.value) + tiny_of(type) + least * expected.values;
  note.add(std::abs(got - expected.value), allowed);
  if (std::abs(got - expected.value) <= allowed) return testing::AssertionSuccess();
  return testing::AssertionFailure() << got << " instead of " << expected.value << ", " << allowed
                                     << " allowed";
}

}  // namespace wavesmith::kernels
