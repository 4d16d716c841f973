// Scalars and vectors as arguments of BLAS functions.
#pragma once

#include <cstdint>
#include <cstdio>
#include <cstring>
#include <initializer_list>

#include "libraries/blas/product.h"
#include "libraries/shim/handle.h"
#include "libraries/shim/number.h"
#include "libraries/shim/stream.h"

namespace wavesmith::libraries {

/// A scalar; one in the GPU's memory is read when the request runs.
struct Scalar {
  const void* on_gpu;  ///< null: it is here
  Number type;
  alignas(16) unsigned char here[16];
};
inline Scalar scalar_of(const Handle& handle, const void* place, Number type) {
  Scalar scalar{handle.pointer_mode != 0 ? place : nullptr, type, {}};
  if (!scalar.on_gpu) std::memcpy(scalar.here, place, size_of(type));
  return scalar;
}
template <class T>
Scalar constant(T value, Number type) {
  Scalar scalar{nullptr, type, {}};
  std::memcpy(scalar.here, &value, sizeof value);
  return scalar;
}

template <class T>
void read(const Scalar& scalar, T& to) {
  std::memcpy(&to, scalar.on_gpu ? scalar.on_gpu : scalar.here, sizeof to);
}
template <class T>
void read(const Scalar& scalar, Complex<T>& to) {
  const void* const from = scalar.on_gpu ? scalar.on_gpu : scalar.here;
  to = {};
  const bool part = scalar.type == Number::F32 || scalar.type == Number::F64;
  std::memcpy(&to, from, part ? sizeof(T) : sizeof to);
}

/// A vector as a matrix of one column; with a negative step the first element lies last.
inline Matrix vector_of(const void* data, Number type, int64_t n, int64_t step) {
  auto* const first = static_cast<char*>(const_cast<void*>(data)) +
                      (step < 0 ? (1 - n) * step * static_cast<int64_t>(size_of(type)) : 0);
  return {first, type, step, 0, 0, false};
}

/// Whether a matrix of m by n lies in its allocation, steps of either sign; if not, a line on stderr says so.
/// `of` is for that line: " of a sum".
inline bool lies_in_memory(const Matrix& a, int64_t m, int64_t n, const char* of = "") {
  if (!a.data || m <= 0 || n <= 0) return true;
  int64_t lowest = 0, highest = 0;
  for (const int64_t span : {(m - 1) * a.row, (n - 1) * a.column}) (span < 0 ? lowest : highest) += span;
  if (reaches(a.data, lowest, highest, size_of(a.type))) return true;
  std::fprintf(stderr,
               "wavesmith: a matrix or vector%s (%lld by %lld) reaches past the end of its allocation\n", of,
               static_cast<long long>(m), static_cast<long long>(n));
  return false;
}

/// Converts numbers to the type of sums and back.
inline double widened(float a) { return static_cast<double>(a); }
inline double widened(double a) { return a; }
template <class T>
Complex<double> widened(Complex<T> a) {
  return {static_cast<double>(a.real), static_cast<double>(a.imaginary)};
}
template <class T>
void store(double from, T& to) {
  to = static_cast<T>(from);
}
template <class T>
void store(Complex<double> from, Complex<T>& to) {
  to = {static_cast<T>(from.real), static_cast<T>(from.imaginary)};
}

/// Calls `run` with a value of the type that numbers have.
template <class Run>
void with_type(Number type, Run run) {
  switch (type) {
    case Number::F32:
      return run(float{});
    case Number::F64:
      return run(double{});
    case Number::C32:
      return run(Complex<float>{});
    default:
      return run(Complex<double>{});
  }
}

}  // namespace wavesmith::libraries
