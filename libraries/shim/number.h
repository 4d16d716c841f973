// The element types of matrices: each is widened to the type of sums, and narrowed when a result is stored.
#pragma once

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <type_traits>

#include "base/small_float.h"

namespace wavesmith::libraries {

/// Fp8 and Bf8 are OCP's e4m3 and e5m2, those in Fnuz the GPUs' that came before (MI300).
enum class Number : uint8_t { None, F16, BF16, F32, F64, C32, C64, I8, I32, Fp8, Bf8, Fp8Fnuz, Bf8Fnuz };

inline bool is_8_bit_float(Number number) { return number >= Number::Fp8; }

/// Its name in `wavesmith predict`.
inline const char* word_of(Number number) {
  static constexpr const char* kWords[] = {"f32", "f16", "bf16", "f32", "f64", "c32", "c64",
                                           "i8",  "i32", "f8",   "f8",  "f8",  "f8"};
  return kWords[static_cast<int>(number)];
}

template <class T>
struct Complex {
  T real, imaginary;
};
template <class T>
Complex<T> operator*(Complex<T> a, Complex<T> b) {
  return {a.real * b.real - a.imaginary * b.imaginary, a.real * b.imaginary + a.imaginary * b.real};
}
template <class T>
Complex<T> operator+(Complex<T> a, Complex<T> b) {
  return {a.real + b.real, a.imaginary + b.imaginary};
}
template <class T>
T conjugate(T a) {
  return a;
}
template <class T>
Complex<T> conjugate(Complex<T> a) {
  return {a.real, -a.imaginary};
}
template <class T>
T minus(T a, T b) {
  return a - b;
}
template <class T>
Complex<T> minus(Complex<T> a, Complex<T> b) {
  return {a.real - b.real, a.imaginary - b.imaginary};
}
template <class T>
T divide(T a, T b) {
  return a / b;
}
/// Divides by Smith's method, which overflows only if the quotient does.
template <class T>
Complex<T> divide(Complex<T> a, Complex<T> b) {
  if (std::abs(b.real) >= std::abs(b.imaginary)) {
    const T ratio = b.imaginary / b.real, whole = b.real + b.imaginary * ratio;
    return {(a.real + a.imaginary * ratio) / whole, (a.imaginary - a.real * ratio) / whole};
  }
  const T ratio = b.real / b.imaginary, whole = b.real * ratio + b.imaginary;
  return {(a.real * ratio + a.imaginary) / whole, (a.imaginary * ratio - a.real) / whole};
}
/// The magnitude by which pivots are chosen, as in LAPACK.
template <class T>
T size_of_pivot(T a) {
  return std::abs(a);
}
template <class T>
T size_of_pivot(Complex<T> a) {
  return std::abs(a.real) + std::abs(a.imaginary);
}
template <class T>
bool is_zero(T a) {
  return a == T{};
}
template <class T>
bool is_zero(Complex<T> a) {
  return a.real == 0 && a.imaginary == 0;
}

/// A float that C++ has no type for.
template <FloatFormat F>
struct Small {
  std::conditional_t<F.bits() == 8, uint8_t, uint16_t> bits;
};

// Integers wrap around, as they do in the matrix cores.
template <class To, class From>
To widen(From value) {
  return static_cast<To>(value);
}
template <class To, FloatFormat F>
To widen(Small<F> value) {
  return static_cast<To>(decode<F>(value.bits));
}
template <>
inline uint32_t widen(int8_t value) {
  return static_cast<uint32_t>(int32_t{value});
}

template <class From, class To>
void narrow(From value, To& to) {
  to = static_cast<To>(value);
}
/// A sum of integers, which wraps around like one.
inline void narrow(double from, int32_t& to) { to = static_cast<int32_t>(static_cast<int64_t>(from)); }
inline void narrow(double from, int8_t& to) { to = static_cast<int8_t>(static_cast<int64_t>(from)); }
/// Rounds to nearest, ties to even. 8-bit floats saturate, as the matrix libraries configure the hardware;
/// infinity becomes the format's infinity or NaN.
template <class From, FloatFormat F>
void narrow(From value, Small<F>& to) {
  to.bits = static_cast<decltype(to.bits)>(
      encode<F>(value, Rounding::NearestEven, F.bits() == 8 ? Overflow::Saturate : Overflow::Special));
}

inline size_t size_of(Number type) {
  switch (type) {
    case Number::I8:
    case Number::Fp8:
    case Number::Bf8:
    case Number::Fp8Fnuz:
    case Number::Bf8Fnuz:
      return 1;
    case Number::F16:
    case Number::BF16:
      return 2;
    case Number::F32:
    case Number::I32:
      return 4;
    case Number::F64:
    case Number::C32:
      return 8;
    case Number::C64:
      return 16;
    case Number::None:
      return 0;
  }
  return 0;
}

/// Calls `use` with a pointer of the type of `type`'s elements, as far as they can be widened to T: to float
/// every float of up to 32 bits, to the others themselves, to uint32_t the integers.
template <class T, class Use>
void with_elements(Number type, void* data, Use use) {
  if constexpr (std::is_same_v<T, float>) {
    switch (type) {
      case Number::F16:
        return use(static_cast<_Float16*>(data));
      case Number::BF16:
        return use(static_cast<Small<kBf16>*>(data));
      case Number::Fp8:
        return use(static_cast<Small<kFp8>*>(data));
      case Number::Bf8:
        return use(static_cast<Small<kBf8>*>(data));
      case Number::Fp8Fnuz:
        return use(static_cast<Small<kFp8Fnuz>*>(data));
      case Number::Bf8Fnuz:
        return use(static_cast<Small<kBf8Fnuz>*>(data));
      default:
        return use(static_cast<float*>(data));
    }
  } else if constexpr (std::is_same_v<T, uint32_t>) {
    if (type == Number::I8) return use(static_cast<int8_t*>(data));
    return use(static_cast<uint32_t*>(data));
  } else {
    return use(static_cast<T*>(data));
  }
}

}  // namespace wavesmith::libraries
