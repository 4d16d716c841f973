// Small functions over bits and sizes.
#pragma once

#include <cstddef>
#include <cstdint>

namespace wavesmith {

/// `value` rounded up to a multiple of `unit`.
template <class T>
constexpr T round_up(T value, T unit) {
  return (value + unit - 1) / unit * unit;
}

}  // namespace wavesmith
