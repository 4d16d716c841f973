// Matrices of the libraries' types as Eigen's: in place, or widened to double, so that only the result is
// rounded to float and each algorithm is compiled twice (real, complex) instead of four times.
#pragma once

#include <Eigen/Core>
#include <cmath>
#include <complex>
#include <cstdint>
#include <type_traits>

#include "libraries/shim/number.h"

namespace wavesmith::libraries {

template <class T>
using Dense = Eigen::Matrix<T, Eigen::Dynamic, Eigen::Dynamic>;
using Reals = Eigen::VectorXd;

template <class T>
using Stored = Eigen::Map<Dense<T>, 0, Eigen::OuterStride<>>;

template <class T>
Stored<T> stored(const void* data, int64_t m, int64_t n, int64_t ld) {
  return {const_cast<T*>(static_cast<const T*>(data)), m, n, Eigen::OuterStride<>(ld)};
}

/// Calls `run` with a zero of the type.
template <class Run>
void with_scalar(Number type, Run run) {
  switch (type) {
    case Number::F32:
      return run(float{});
    case Number::F64:
      return run(double{});
    case Number::C32:
      return run(std::complex<float>{});
    default:
      return run(std::complex<double>{});
  }
}

/// Calls `run` with the type to compute in.
template <class Run>
void with_wide(Number type, Run run) {
  if (type == Number::F32 || type == Number::F64) return run(double{});
  return run(std::complex<double>{});
}

template <class T>
Dense<T> load(Number type, const void* data, int64_t m, int64_t n, int64_t ld) {
  using Narrow = std::conditional_t<std::is_same_v<T, double>, float, std::complex<float>>;
  if (type == Number::F32 || type == Number::C32) return stored<Narrow>(data, m, n, ld).template cast<T>();
  return stored<T>(data, m, n, ld);
}

template <class T>
void store(const Dense<T>& from, Number type, void* data, int64_t ld) {
  using Narrow = std::conditional_t<std::is_same_v<T, double>, float, std::complex<float>>;
  if (type == Number::F32 || type == Number::C32)
    stored<Narrow>(data, from.rows(), from.cols(), ld) = from.template cast<Narrow>();
  else
    stored<T>(data, from.rows(), from.cols(), ld) = from;
}

/// Stores real numbers in the real type that belongs to `type`.
inline void store_reals(const Reals& from, Number type, void* data) {
  const bool narrow = type == Number::F32 || type == Number::C32;
  store<double>(from, narrow ? Number::F32 : Number::F64, data, from.size());
}

inline int64_t width_of_reals(Number type) { return type == Number::F32 || type == Number::C32 ? 4 : 8; }

/// Whether all numbers are finite; otherwise iterations would not end.
template <class T>
bool is_finite(const Dense<T>& a) {
  return a.allFinite();
}

}  // namespace wavesmith::libraries
