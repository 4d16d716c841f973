// What one lane moves between a register and memory, and the facts that a memory row states with it.
#pragma once

#include <cstdint>

namespace wavesmith::isa {

/// Which way the data goes.
enum class Direction : uint8_t { None, Load, Store, Atomic };

/// LDS instructions that move data between lanes, or whose address is not a lane's own.
enum class LdsLane : uint8_t {
  None,
  Swizzle,
  Permute,
  BackPermute,
  BackPermuteInvalid,
  Append,
  Consume,
  Transpose16,
  Transpose8,
  Transpose4,
  Transpose6
};

/// What a memory instruction addresses; the first part of its mnemonic says which (see space_of).
enum class Space : uint8_t { Global, Flat, Scratch, Buffer, Typed, Scalar, Lds };

/// The facts of a memory row.
struct Access {
  Direction direction = Direction::None;
  uint8_t bytes = 0;             ///< a lane moves in memory
  uint8_t dwords = 0;            ///< registers that hold them
  bool merges = false;           ///< a load that keeps the other half of its destination (without SRAM-ECC)
  bool high = false;             ///< the upper half of the register
  uint8_t places = 1;            ///< 2: read2 and write2, with an offset each
  LdsLane lane = LdsLane::None;  ///< then the direction is None
  bool formatted = false;        ///< converts: the format says how many bytes
  bool masked = false;           ///< M0 says which dwords move
  bool scalar = false;           ///< through the scalar cache, to or from SGPRs
  uint8_t transposes = 0;        ///< bits of the elements that go to other lanes
  bool far = false;              ///< of two places: their offsets count in 64 elements
  bool operator==(const Access&) const = default;
};

/// Elements are types: bytes in memory, and the part of a register that they fill.
enum class Part : uint8_t { Whole, Low, High };

template <int kBytes_, bool kSigned_ = false, Part kPart_ = Part::Whole>
struct Element {
  static constexpr int kBytes = kBytes_;
  static constexpr bool kSigned = kSigned_;
  static constexpr Part kPart = kPart_;
  static constexpr bool kClears = false;  ///< whether a load clears the part of the register that it leaves
  static constexpr int kDwords = (kBytes + 3) / 4;
};

/// The same element where SRAM-ECC is on (Target::may_have_sram_ecc).
template <class E>
struct Clearing : E {
  static constexpr bool kClears = E::kPart != Part::Whole;
};

using mem_u8 = Element<1>;
using mem_i8 = Element<1, true>;
using mem_u16 = Element<2>;
using mem_i16 = Element<2, true>;
using mem_u8_low = Element<1, false, Part::Low>;
using mem_i8_low = Element<1, true, Part::Low>;
using mem_u8_high = Element<1, false, Part::High>;
using mem_i8_high = Element<1, true, Part::High>;
using mem_b16_low = Element<2, false, Part::Low>;
using mem_b16_high = Element<2, false, Part::High>;
using mem_b32 = Element<4>;
using mem_b64 = Element<8>;
using mem_b96 = Element<12>;
using mem_b128 = Element<16>;

template <class E>
constexpr Access make_access(Direction direction, int places = 1) {
  return {direction,
          static_cast<uint8_t>(E::kBytes),
          static_cast<uint8_t>(E::kDwords),
          direction == Direction::Load && E::kPart != Part::Whole,
          E::kPart == Part::High,
          static_cast<uint8_t>(places)};
}

template <class E>
constexpr Access make_scalar_access(Direction direction) {
  Access access = make_access<E>(direction);
  access.scalar = true;
  return access;
}

constexpr Access make_lds_lane_access(LdsLane lane) {
  Access access;
  access.lane = lane;
  if (lane == LdsLane::Append || lane == LdsLane::Consume) access.bytes = 4;
  if (lane >= LdsLane::Transpose16) access.bytes = lane == LdsLane::Transpose6 ? 12 : 8;
  access.dwords = access.bytes / 4;
  return access;
}

/// Loads in which groups of eight lanes exchange rows for columns; `bits` of an element.
struct TransposedLoadSignature {
  int bits;
};
constexpr Access make_transposed_access(TransposedLoadSignature signature) {
  Access access;
  access.direction = Direction::Load;
  access.bytes = static_cast<uint8_t>(signature.bits);  // eight elements
  access.dwords = access.bytes / 4;
  access.transposes = static_cast<uint8_t>(signature.bits);
  return access;
}
/// Blocks of 32 dwords, of which M0 has a bit each.
struct BlockSignature {
  Direction direction;
};
constexpr Access make_block_access(BlockSignature signature) {
  Access access;
  access.direction = signature.direction;
  access.bytes = 128;
  access.dwords = 32;
  access.masked = true;
  return access;
}

/// Formatted memory: registers of 32 bits each, or 16-bit halves of them.
struct FormattedSignature {
  Direction direction;
  int components;
  Part part;  ///< Low: pairs of halves, or one low half; High: one upper half
};
/// How many bytes move is known at run time.
constexpr Access make_formatted_access(FormattedSignature signature) {
  const bool halves = signature.part != Part::Whole;
  Access access;
  access.direction = signature.direction;
  access.dwords = static_cast<uint8_t>(halves ? (signature.components + 1) / 2 : signature.components);
  access.merges = signature.direction == Direction::Load && halves && signature.components % 2 == 1;
  access.high = signature.part == Part::High;
  access.formatted = true;
  return access;
}

/// `data` counts what an atomic reads beside memory: 1, or 2 for a compare and swap.
template <class T>
constexpr Access make_atomic_access(int data) {
  return {Direction::Atomic, static_cast<uint8_t>(4 * T::dwords), static_cast<uint8_t>(T::dwords * data)};
}

}  // namespace wavesmith::isa
