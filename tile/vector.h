// Element types and short vectors of them, the currency between memory and registers.
#pragma once

#include "tile/arch/language.h"
#if defined(__NVCC__)
#include "tile/arch/nvidia_vector.h"
#endif

namespace tile {

/// Floats of 8 bits in the format that the target's instructions have, OCP's or FNUZ.
struct e4m3 {
  unsigned char bits;
};
struct e5m2 {
  unsigned char bits;
};
/// Two of OCP's floats of 4 bits, the first in the lower bits.
struct e2m1x2 {
  unsigned char bits;
};
using i8 = signed char;
using u8 = unsigned char;
using u16 = unsigned short;
using u32 = unsigned;
using u64 = unsigned long;
using i64 = long;

#if !defined(__NVCC__)
using bf16 = __bf16;
using f16 = _Float16;
/// N elements in registers. `v[i]` reads and writes an element.
template <class T, int N>
using Vector = T __attribute__((ext_vector_type(N)));
/// Each element as another type's.
template <class To, class From>
TILE_DEVICE auto convert(From from) {
  return __builtin_convertvector(from, Vector<To, sizeof(From) / sizeof(from[0])>);
}
#endif

namespace detail {
template <class T>
struct Stored {
  using Type = T;
};
template <>
struct Stored<e4m3> {
  using Type = u8;
};
template <>
struct Stored<e5m2> {
  using Type = u8;
};
template <>
struct Stored<e2m1x2> {
  using Type = u8;
};
}  // namespace detail
/// What vectors of an element type are of.
template <class T>
using Stored = typename detail::Stored<T>::Type;

/// The same bits as another type of the same size.
template <class To, class From>
TILE_DEVICE To bits_as(const From& from) {
  static_assert(sizeof(To) == sizeof(From), "bits_as: the two types have different sizes");
  return __builtin_bit_cast(To, from);
}

/// A piece of 16 bytes, the widest access of a lane.
using Piece = Vector<u32, 4>;
inline constexpr int kPieceBytes = 16;
template <class T>
inline constexpr int kPieceElements = kPieceBytes / static_cast<int>(sizeof(T));

/// A number as a type: `decltype(x)::kValue` is a constant.
template <int kNumber>
struct Constant {
  static constexpr int kValue = kNumber;
};
/// Calls `use(Constant<i>{})` for each i below kCount.
template <int kCount, int kFirst = 0, class Use>
TILE_DEVICE void repeat(Use use) {
  if constexpr (kFirst < kCount) {
    use(Constant<kFirst>{});
    repeat<kCount, kFirst + 1>(use);
  }
}

constexpr int ceiling(int a, int b) { return (a + b - 1) / b; }

}  // namespace tile
