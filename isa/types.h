// Operand types, as rows write them: `f32(f32, u32)` is an instruction that reads a float and an integer a
// lane and writes a float. A tag says how the registers hold the value and what a body receives for it.
#pragma once

#include <cstdint>

#include "isa/pack.h"

namespace wavesmith::isa {

/// What the registers hold; facts about a row are made of these.
enum class Type : uint8_t {
  F16,
  F32,
  F64,
  BF16,
  U16,
  I16,
  U32,
  I32,
  U64,
  I64,
  V2F16,
  V2BF16,
  V2I16,
  V2U16,
  V2F32,
  V2U32,
  B8,
  B16,
  B96,
  B128,
  B192,
  B512,
  B1024,
  LaneMask,
  Scc,
  Exec,
  Mode,
  Row,
  Mixed,
  Immediate,
  M0
};

// clang-format off
struct f32  { static constexpr Type type = Type::F32;  static constexpr int dwords = 1; using value = float; };
struct u32  { static constexpr Type type = Type::U32;  static constexpr int dwords = 1; using value = uint32_t; };
struct i32  { static constexpr Type type = Type::I32;  static constexpr int dwords = 1; using value = int32_t; };
struct f64  { static constexpr Type type = Type::F64;  static constexpr int dwords = 2; using value = double; };
struct u64  { static constexpr Type type = Type::U64;  static constexpr int dwords = 2; using value = uint64_t; };
struct i64  { static constexpr Type type = Type::I64;  static constexpr int dwords = 2; using value = int64_t; };
/// 16-bit values live in the low half of a register. Bodies get f16 and bf16 widened to float, exactly; the result is
/// rounded once, so an operation whose float result could round twice (a fused multiply-add) computes in f64.
struct f16  { static constexpr Type type = Type::F16;  static constexpr int dwords = 1; using value = float; };
struct bf16 { static constexpr Type type = Type::BF16; static constexpr int dwords = 1; using value = float; };
struct u16  { static constexpr Type type = Type::U16;  static constexpr int dwords = 1; using value = uint16_t; };
struct i16  { static constexpr Type type = Type::I16;  static constexpr int dwords = 1; using value = int16_t; };
/// A float's encoding, for bodies that compute on it.
struct f32_code { static constexpr Type type = Type::F32; static constexpr int dwords = 1; using value = uint32_t; };
struct f16_code { static constexpr Type type = Type::F16; static constexpr int dwords = 1; using value = uint16_t; };
struct f64_code { static constexpr Type type = Type::F64; static constexpr int dwords = 2; using value = uint64_t; };
// clang-format on

/// Two values in the halves of a register; a body is applied to each half.
template <class T>
struct two {
  static constexpr int dwords = 1;
  using half = T;
};
using v2f16 = two<f16>;
using v2u16 = two<u16>;
using v2i16 = two<i16>;
using v2f16_code = two<f16_code>;

/// One bit a lane, in an SGPR (wave32) or a pair (wave64).
struct bit {
  static constexpr Type type = Type::LaneMask;
};
/// The same, in VCC, and not printed among the operands.
struct vcc {
  static constexpr Type type = Type::LaneMask;
};
/// The same, in EXEC, and not printed.
struct exec {
  static constexpr Type type = Type::LaneMask;
};
/// EXEC of a wave32, for scalar instructions of 32 bits.
struct exec32 {
  static constexpr Type type = Type::LaneMask;
};
/// The lane's number, which no register holds.
struct lane_number {};
/// The MODE register, never printed: for bodies that round and flush as it asks.
struct float_mode {
  static constexpr Type type = Type::Mode;
};
/// The scalar condition code, never printed.
struct scc {
  static constexpr Type type = Type::Scc;
};
/// The destination's former value, which a multiply-accumulate reads.
template <class T>
struct old {
  using of = T;
};
/// Several results. A body returns a Results.
template <class... T>
struct out {};

/// What a body with several results returns.
template <class A, class B>
struct Results {
  A first;
  B second;
};
template <class A, class B>
Results(A, B) -> Results<A, B>;
template <class A, class B, class C>
struct Results3 {
  A first;
  B second;
  C third;
};
template <class A, class B, class C>
Results3(A, B, C) -> Results3<A, B, C>;

}  // namespace wavesmith::isa
