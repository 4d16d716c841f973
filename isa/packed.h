// Signatures of instructions that work on parts of registers: VOP3P and the conversions of small floats.
// Which part an operand is can be chosen by op_sel and its relatives; neg_lo and neg_hi change signs by
// halves. All of that is done before and after the body, which sees the parts in place:
//
//   v(packed<v2f16(v2f16, v2f16)>, "v_pk_add_f16", [](auto a, auto b) { return a + b; });          // a half
//   at a time v(packed<f32(v2f16, v2f16, f32)>, "v_dot2_f32_f16", [](auto a, auto b, auto c) { ... a.low,
//   a.high ... }); v(packed<insert<8>(f32, u32)>, "v_cvt_sr_fp8_f32", [](auto value, auto random) { ... });
//
// A body whose sources and result are all pairs is applied to each half; any other receives pairs as Parts. A
// body that takes one argument more, in front, is told there whether the `clamp` modifier is set (as a
// compile-time bool); for the others a clamped result is a float in [0, 1].
#pragma once

#include "isa/row.h"

namespace wavesmith::isa {

using v2bf16 = two<bf16>;
/// Two values in consecutive registers.
using v2f32 = two<f32>;
using v2u32 = two<u32>;

/// A pair that the body receives as Parts even where its result is a pair.
template <class T>
struct whole {};
/// A source of 8 or 16 bits somewhere in a register. The body receives a dword with it in the low bits,
/// rubbish above.
template <int kBits>
struct part {};
/// A result of 8 or 16 bits that goes somewhere into a register whose other bits stay. The body returns it in
/// a dword.
template <int kBits>
struct insert {};
/// A float, or an f16 in either half of a register: v_fma_mix. The body receives a float.
struct mixed {};
/// A number that the instruction holds, not a register: a truth table, the signedness of integers. Not an
/// operand.
struct immediate {};
/// MODE.FP16_OVFL, as what becomes of numbers too large for a small float. Not printed.
struct overflow_mode {};
/// Consecutive registers that hold an array of small elements. The body receives and returns Registers.
template <int kDwords>
struct dwords_of {};
template <int kDwords>
struct Registers {
  Pack<uint32_t> dword[kDwords];
};

/// What a body receives for a pair.
template <class V>
struct Parts {
  V low, high;
};
template <class V>
Parts(V, V) -> Parts<V>;

template <class Signature>
struct PackedSignature {};
template <class Signature>
inline constexpr PackedSignature<Signature> packed{};

namespace detail {

template <Type kType>
struct PrintedRole {
  static constexpr Role read{Role::Use::Read, kType, true, false};
  static constexpr Role write{Role::Use::Write, kType, true, false};
};
template <>
struct RoleOf<v2bf16> : PrintedRole<Type::V2BF16> {};
template <>
struct RoleOf<v2f32> : PrintedRole<Type::V2F32> {};
template <>
struct RoleOf<v2u32> : PrintedRole<Type::V2U32> {};
template <class T>
struct RoleOf<whole<T>> : RoleOf<T> {};
template <>
struct RoleOf<part<8>> : PrintedRole<Type::B8> {};
template <>
struct RoleOf<part<16>> : PrintedRole<Type::B16> {};
template <>
struct RoleOf<insert<8>> : PrintedRole<Type::B8> {};
template <>
struct RoleOf<insert<16>> : PrintedRole<Type::B16> {};
template <>
struct RoleOf<mixed> : PrintedRole<Type::Mixed> {};
template <>
struct RoleOf<dwords_of<6>> : PrintedRole<Type::B192> {};
template <>
struct RoleOf<dwords_of<16>> : PrintedRole<Type::B512> {};
template <>
struct RoleOf<dwords_of<32>> : PrintedRole<Type::B1024> {};
template <>
struct RoleOf<overflow_mode> {
  static constexpr Role read{Role::Use::Read, Type::Mode, false, false};
};
template <>
struct RoleOf<immediate> {
  static constexpr Role read{Role::Use::Read, Type::Immediate, false, false};
};

}  // namespace detail

}  // namespace wavesmith::isa
