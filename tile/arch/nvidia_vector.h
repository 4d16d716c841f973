// Elements and vectors in CUDA, which has neither floats of 16 bits nor vectors in the language.
#pragma once

#include "tile/arch/ptx.h"

namespace tile {

/// Conversions round to the nearest, ties to even (PTX ISA, cvt).
struct bf16 {
  unsigned short bits;
  bf16() = default;
  TILE_DEVICE explicit bf16(float value) : bits(ptx::to_bf16(value)) {}
  TILE_DEVICE explicit operator float() const {
    return __builtin_bit_cast(float, static_cast<unsigned>(bits) << 16);
  }
};
struct f16 {
  unsigned short bits;
  f16() = default;
  TILE_DEVICE explicit f16(float value) : bits(ptx::to_f16(value)) {}
  TILE_DEVICE explicit operator float() const { return ptx::from_f16(bits); }
};

/// N elements in registers. `v[i]` reads and writes an element.
template <class T, int N>
struct alignas(sizeof(T) * N) Vector {
  T at[N];
  constexpr T& operator[](int i) { return at[i]; }
  constexpr const T& operator[](int i) const { return at[i]; }
};

namespace detail {
template <class T>
struct Same {
  using Type = T;
};
}  // namespace detail

// Operations on vectors element by element, also with one number for all.
#define TILE_VECTOR_OPERATION(op)                                                                  \
  template <class T, int N>                                                                        \
  TILE_DEVICE Vector<T, N>& operator op## = (Vector<T, N> & a, const Vector<T, N>& b) {            \
    TILE_UNROLL for (int i = 0; i < N; ++i) a.at[i] op## = b.at[i];                                \
    return a;                                                                                      \
  }                                                                                                \
  template <class T, int N>                                                                        \
  TILE_DEVICE Vector<T, N>& operator op## = (Vector<T, N> & a, typename detail::Same<T>::Type b) { \
    TILE_UNROLL for (int i = 0; i < N; ++i) a.at[i] op## = b;                                      \
    return a;                                                                                      \
  }                                                                                                \
  template <class T, int N>                                                                        \
  TILE_DEVICE Vector<T, N> operator op(Vector<T, N> a, const Vector<T, N>& b) {                    \
    return a op## = b;                                                                             \
  }                                                                                                \
  template <class T, int N>                                                                        \
  TILE_DEVICE Vector<T, N> operator op(Vector<T, N> a, typename detail::Same<T>::Type b) {         \
    return a op## = b;                                                                             \
  }
TILE_VECTOR_OPERATION(+)
TILE_VECTOR_OPERATION(-)
TILE_VECTOR_OPERATION(*)
TILE_VECTOR_OPERATION(&)
#undef TILE_VECTOR_OPERATION

/// Each element as another type's.
template <class To, class T, int N>
TILE_DEVICE Vector<To, N> convert(const Vector<T, N>& from) {
  Vector<To, N> to;
  TILE_UNROLL for (int i = 0; i < N; ++i) to.at[i] = static_cast<To>(from.at[i]);
  return to;
}

}  // namespace tile
